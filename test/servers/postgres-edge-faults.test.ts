import { expect, test } from "vitest";
import { postgresLacks } from "../../scripts/servers/postgres.ts";
import { API, HELLO, READER } from "../edge/pipelines-scene.ts";
import { DATABASE, lockProjects, READER as READER_ROLE } from "./postgres-place.ts";
import { type DatabaseScene, GREETING_BYTES, told, useDatabaseScene } from "./postgres-scene.ts";
import { describeWith } from "./presence.ts";

/** How long a list may take that the database fails to make, in milliseconds: it waits for it for three seconds. */
const PATIENCE_MS = 4500;
const QUICK_MS = 1000;
const REST_MS = 10_000;

type Fault = {
  readonly reason: string;
  /** Whether one list alone is left to the forge. */
  readonly isOfOne?: boolean;
  readonly begin: (scene: DatabaseScene) => Promise<AsyncDisposable | void>;
  readonly end?: (scene: DatabaseScene) => Promise<void>;
};

const FAULTS: Readonly<Record<string, Fault>> = {
  "takes no connection": {
    reason: "unreachable",
    begin: async ({ way }) => await way.set({ kind: "closed" }),
  },
  "takes connections and says nothing": {
    reason: "timeout",
    begin: async ({ way }) => await way.set({ kind: "silent" }),
  },
  "breaks off in the middle of its answer": {
    reason: "unreachable",
    begin: async ({ way }) => await way.set({ kind: "cut", afterBytes: 2 * GREETING_BYTES }),
  },
  "waits for a table that is locked": {
    reason: "timeout",
    isOfOne: true,
    begin: async (scene) => await lockProjects(scene),
  },
  "has a column under another name": {
    reason: "schema",
    begin: async ({ postgres }) =>
      await postgres.execute(DATABASE, "ALTER TABLE projects RENAME COLUMN hidden TO concealed"),
    end: async ({ postgres }) =>
      await postgres.execute(DATABASE, "ALTER TABLE projects RENAME COLUMN concealed TO hidden"),
  },
  "lets the role no longer in": {
    reason: "error",
    begin: async ({ postgres }) => await postgres.execute(DATABASE, `ALTER ROLE ${READER_ROLE.role} NOLOGIN`),
    end: async ({ postgres }) => await postgres.execute(DATABASE, `ALTER ROLE ${READER_ROLE.role} LOGIN`),
  },
};

describeWith("PostgreSQL", await postgresLacks())("where GitLab's database", () => {
  const running = useDatabaseScene();

  test.each(Object.entries(FAULTS))("%s, the list is the forge's own", async (_name, fault) => {
    const { scene } = running;
    const { reason, isOfOne = false, begin, end } = fault;
    const [path, other] = [`${HELLO}?per_page=50`, `${API}/2/pipelines`];
    const timed = async (url: string) => {
      const begun = performance.now();
      const answer = await scene.get(url, READER);
      return { said: told(answer), ms: performance.now() - begun };
    };
    const [before, beforeOther] = [await timed(path), await timed(other)];
    const lock = await begin(scene);
    try {
      await scene.advance(6000); // what was made is over
      const first = await timed(path);
      expect(first.said).toEqual(before.said);
      expect(first.ms).toBeLessThan(PATIENCE_MS);
      const taken = scene.way.taken;
      for (let passed = 0; passed < REST_MS - 1000; passed += 3000) {
        for (const [url, expected] of isOfOne
          ? [[path, before] as const]
          : [[path, before] as const, [other, beforeOther] as const]) {
          const answer = await timed(url);
          expect(answer.said).toEqual(expected.said);
          expect(answer.ms).toBeLessThan(QUICK_MS);
        }
        await scene.settle();
        await scene.advance(3000);
      }
      expect(await scene.outcomes()).toEqual({ made: 2, [reason]: 1 });
      expect(scene.way.taken).toBe(taken);
    } finally {
      if (lock !== undefined) await lock[Symbol.asyncDispose]();
      await end?.(scene);
      await scene.way.set({ kind: "open" });
    }
    await scene.advance(REST_MS);
    expect((await timed(path)).said).toEqual(before.said);
    expect(await scene.outcomes()).toEqual({ made: 3, [reason]: 1 });
  });
});
