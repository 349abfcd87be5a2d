import { startDemo, type Demo } from "../demo/demo.ts";
import { programsLack } from "../servers/programs.ts";
import { makeSmall, type Archives } from "./artifacts-archives.ts";
import { startBenchEdge } from "./bench-edge.ts";
import type { BesidePeers, PeerConditions } from "./figure.ts";
import { startForgePeers, type PeerUrls } from "./forge-peers.ts";
import type { PeerRow } from "./peers.ts";
import { SECRET } from "./raw-files.ts";
import { formatNumber } from "../measuring/table.ts";

const MIB = 1024 * 1024;
/** How long the origin takes to decide who may read. */
export const AUTH_MS = 10;
const FRESH_S = 60;

/** A private archive, and the forge, the edge and other caches to ask for it. */
export type ArchiveScene = {
  readonly conditions: PeerConditions;
  readonly origin: Demo;
  readonly urls: PeerUrls;
  readonly archives: Pick<Archives, "directory" | "small">;
};

/** Compares what is done with an archive; the other caches keep it, or what the origin unpacked of it. */
export function archiveBesidePeers(compareIn: (scene: ArchiveScene) => Promise<PeerRow[]>): BesidePeers {
  return {
    lacks: async () => await programsLack(["bash", "curl", "git", "python3", "tar", "unzip", "wrk"]),
    compare: async (conditions) => await compareIn({ conditions, ...(await placeOf(conditions)) }),
  };
}

type Place = Omit<ArchiveScene, "conditions">;

const places = new WeakMap<AsyncDisposableStack, Promise<Place>>();

/** What a run has for this, which is started when it is first asked for. */
async function placeOf(conditions: PeerConditions): Promise<Place> {
  const known = places.get(conditions.run);
  if (known !== undefined) return await known;
  const starting = startPlace(conditions);
  places.set(conditions.run, starting);
  return await starting;
}

async function startPlace(conditions: PeerConditions): Promise<Place> {
  const { run } = conditions;
  const archives = await makeSmall(conditions);
  const origin = run.adopt(await startDemo({ authMs: AUTH_MS, bigFileBytes: 1024 }), (started) =>
    started.close(),
  );
  const edge = run.adopt(await startBenchEdge(origin.gitlab.url), (started) => started.close());
  const cache = { url: origin.gitlab.url, authPath: SECRET.authPath, freshS: FRESH_S };
  const urls = { edge: edge.url, ...(await startForgePeers(run, conditions, cache)) };
  return { origin, urls, archives };
}

/** Adds a job of the private project with the archive, of which no cache knows anything; the path of its artifacts. */
export function addPrivateJob({ origin, archives }: ArchiveScene): string {
  const archive = { path: archives.small.path };
  const plan = { project: SECRET.project, name: "bench", ref: "main", archive, storage: "local" } as const;
  return `${SECRET.authPath}/jobs/${origin.gitlab.jobs.addJob(plan).id}/artifacts`;
}

/** The archive's size, in words. */
export function ofArchive({ archives: { small } }: ArchiveScene): string {
  return `of a zip of ${formatNumber(Math.round(small.bytes / MIB))} MiB, ${formatNumber(small.entries)} entries`;
}
