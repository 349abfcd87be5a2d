import { randomBytes } from "node:crypto";
import { startSites } from "../bench/bench-edge.ts";
import { quietPort } from "../servers/quiet-port.ts";
import { KEYS, OUTSIDERS, PEOPLE, STORE_ASKERS } from "./askers.ts";
import { projectName, PROJECTS } from "./catalogue.ts";
import { createChanges } from "./changes.ts";
import { startControl } from "./control.ts";
import { awayMs, boundsOf, type Lengths } from "./lengths.ts";
import { startOrigins, type Origins } from "./origins.ts";
import type { LoadPlan } from "./plan.ts";

/** Origins, and what was true of them before anything changed. */
export type Place = {
  readonly origins: Origins;
  /** What each project's branch began at. */
  readonly commits: readonly string[];
  /** Questions that reached the origins since the last time. */
  originQuestions(): number;
};

/** An edge before the origins, and a control server that changes them as it suits the edge's lives of things. */
export type Stage = Omit<LoadPlan, "seconds" | "clients" | "rate" | "thresholds">;

const AUTH_MS = 10;

export async function startPlace(scope: AsyncDisposableStack): Promise<Place> {
  const origins = await startOrigins(scope, AUTH_MS);
  const { forge, store } = origins;
  const heads = Array.from(
    { length: PROJECTS },
    async (_, project) => await forge.objectId(projectName(project), "main"),
  );
  return {
    origins,
    commits: (await Promise.all(heads)).map((commit) => commit ?? ""),
    originQuestions() {
      const count = forge.counts().total + store.counts().total;
      forge.resetCounts();
      store.resetCounts();
      return count;
    },
  };
}

/** Starts an edge with empty caches; only one may change the origins. */
export async function startStage(
  scope: AsyncDisposableStack,
  { origins, commits }: Place,
  lengths: Lengths,
): Promise<Stage> {
  const { forge, store } = origins;
  const ports = [await quietPort(), await quietPort()] as const;
  const [forgeHost, storeHost] = ports.map((port) => `127.0.0.1:${port}`);
  const secret = randomBytes(32).toString("hex");
  const edge = await startSites({
    sites: [
      { host: forgeHost, kind: "gitlab", origin: forge.url },
      { host: storeHost, kind: "s3", origin: store.url, auth: "edge" },
    ],
    ports,
    vars: {
      ...lengths.vars,
      WEBHOOK_SECRET: secret,
      S3_KEYS: Object.fromEntries(Object.values(KEYS).map((key) => [key.id, key.secret])),
    },
  });
  scope.defer(() => edge.close());
  const hooked = { url: `http://${forgeHost}/-/forgefront/hooks`, secret };
  const changes = scope.adopt(
    await createChanges({ origins, hooked, awayMs: awayMs(lengths), random: Math.random }),
    (started) => started.close(),
  );
  const control = scope.adopt(await startControl(changes), (started) => started.close());
  return {
    kind: "local",
    forge: `http://${forgeHost}`,
    store: `http://${storeHost}`,
    control: control.url,
    bounds: boundsOf(lengths),
    askers: [...PEOPLE.map(({ asker }) => asker), ...OUTSIDERS],
    commits,
    storeAskers: STORE_ASKERS,
  };
}
