import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  ARTIFACT_ASKERS,
  askAs,
  ASKERS_VARS,
  buildMarked,
  DEVELOPER_OF,
  expectNothingTold,
  expectServed,
  faultsOf,
  formsOf,
  isAdmitted,
  READER_OF,
  SMALL,
} from "./artifact-askers.ts";
import { HELLO, PRIVATE_PROJECT, startArtifactScene, type ArtifactScene } from "./artifact-scene.ts";
import { WEB_AND_API } from "./principals.ts";
import { AGEING_MS } from "./scene.ts";

let scene: ArtifactScene;
beforeAll(async () => {
  scene = await startArtifactScene({ vars: ASKERS_VARS });
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.harness.close());

const JOBS = {
  "a private project": { project: PRIVATE_PROJECT },
  "a private project, in object storage": { project: PRIVATE_PROJECT, storage: "object" },
  "a public project": { project: HELLO, storage: "object" },
  "a public project, for developers": { project: HELLO, access: "developer" },
  "a public project, for developers, in object storage": {
    project: HELLO,
    access: "developer",
    storage: "object",
  },
  "a public project, for nobody": { project: HELLO, access: "none" },
} as const;
const CASES = WEB_AND_API.flatMap((channel) =>
  Object.entries(JOBS).map(([where, job]) => ({ channel, where, job })),
);

describe("a job's artifacts are for those whom the forge gives them", () => {
  it.each(CASES)("$channel, $where: cold, then warm by others", async ({ channel, job }) => {
    const warm = buildMarked(scene, job);
    const admitted = await Promise.all(
      ARTIFACT_ASKERS.map(async (asker) => await isAdmitted(scene, asker, warm[channel].archive)),
    );
    const readers = ARTIFACT_ASKERS.filter((_, index) => admitted[index]);
    expect(readers.length).toBeGreaterThanOrEqual("access" in job && job.access === "none" ? 0 : 1);
    for (const reader of readers.slice(0, 2))
      expect(await faultsOf(scene, reader, { built: warm, channel, isServed: true })).toEqual([]);
    const faults = await Promise.all(
      ARTIFACT_ASKERS.map(async (asker, index) => {
        const isServed = admitted[index] === true;
        const cold = buildMarked(scene, job);
        const { archive } = cold[channel];
        const first = await askAs(scene, asker, cold[channel].entry(SMALL));
        if (isServed) expectServed(first);
        else expectNothingTold(first);
        expect((await askAs(scene, asker, archive, { method: "HEAD" })).status === 200).toBe(isServed);
        return await faultsOf(scene, asker, { built: warm, channel, isServed });
      }),
    );
    expect(faults.flat()).toEqual([]);
  });
});

const MEMORY = { tier: "memory", forget: async () => undefined };
const COLO = { tier: "colo", forget: async () => await scene.harness.newIsolate() };
const KV = {
  tier: "kv",
  forget: async () => {
    await scene.harness.world({ cache: "failing" });
    await scene.harness.newIsolate();
  },
};
const ENDINGS = {
  "the credential is revoked": () => {
    for (const secret of ["glpat-reader", "session-reader"]) scene.gitlab.revokeToken(secret);
  },
  "they are no members any more": () => scene.gitlab.setMember("reader", PRIVATE_PROJECT, false),
} as const;
const [REVOKED = ["", () => undefined] as const, ...OTHERS] = Object.entries(ENDINGS);
/** Why it is over makes no difference to where it was remembered. */
const OVER = WEB_AND_API.flatMap((channel) => [
  ...[MEMORY, COLO, KV].map((tier) => Object.assign({ channel, why: REVOKED[0], end: REVOKED[1] }, tier)),
  ...OTHERS.map(([why, end]) => Object.assign({ channel, why, end }, MEMORY)),
]);

describe("what was seen in a tier is seen no more after 30 s", () => {
  it.each(OVER)("$channel, $tier: $why", async ({ channel, tier, forget, end }) => {
    const built = buildMarked(scene, { project: PRIVATE_PROJECT });
    const reader = { name: "reader", headers: READER_OF[channel] };
    for (let time = 0; time < 2; time++) {
      expect(await faultsOf(scene, reader, { built, channel, isServed: true })).toEqual([]);
      await scene.settle();
      if (tier === "kv" && time === 0) await scene.advance(AGEING_MS);
    }
    end();
    await scene.settle();
    await forget();
    await scene.advance(30_000);
    expect(await faultsOf(scene, reader, { built, channel, isServed: false })).toEqual([]);
    await scene.harness.newIsolate();
    expect(await faultsOf(scene, reader, { built, channel, isServed: false })).toEqual([]);
  });

  it.each(WEB_AND_API)("%s: a job that is erased, or closed to them", async (channel) => {
    for (const end of ["erase", "close"] as const) {
      for (const storage of ["local", "object"] as const) {
        const built = buildMarked(scene, { project: PRIVATE_PROJECT, storage });
        const reader = { name: `${end}, ${storage}`, headers: READER_OF[channel] };
        expect(await faultsOf(scene, reader, { built, channel, isServed: true })).toEqual([]);
        if (end === "erase") scene.gitlab.jobs.eraseJob(built.job.id);
        else scene.gitlab.jobs.setArtifactAccess(built.job.id, "developer");
        await scene.settle();
        await scene.advance(30_000);
        expect(await faultsOf(scene, reader, { built, channel, isServed: false })).toEqual([]);
      }
    }
  });
});

describe("a grant", () => {
  it.each(WEB_AND_API)("%s: for one job opens nothing of another with the same bytes", async (channel) => {
    const open = buildMarked(scene, { project: HELLO });
    const closed = scene.build(open.bytes, { project: HELLO, access: "developer" });
    const reader = { name: "reader", headers: READER_OF[channel] };
    const developer = { name: "developer", headers: DEVELOPER_OF[channel] };
    expect(await faultsOf(scene, developer, { built: closed, channel, isServed: true })).toEqual([]);
    for (let time = 0; time < 2; time++) {
      expect(await faultsOf(scene, reader, { built: open, channel, isServed: true })).toEqual([]);
      expect(await faultsOf(scene, reader, { built: closed, channel, isServed: false })).toEqual([]);
      await scene.settle();
      await scene.harness.newIsolate();
    }
  });

  it("by one door opens nothing by the other", async () => {
    const built = buildMarked(scene, { project: PRIVATE_PROJECT });
    const reader = { name: "token", headers: READER_OF.api };
    expect(await faultsOf(scene, reader, { built, channel: "api", isServed: true })).toEqual([]);
    expect(await faultsOf(scene, reader, { built, channel: "web", isServed: false })).toEqual([]);
  });

  it("for the latest job of a ref is none for that job, nor for the next", async () => {
    const name = scene.name("job");
    const first = buildMarked(scene, { project: HELLO, name });
    const reader = { name: "reader", headers: READER_OF.api };
    expect(await faultsOf(scene, reader, { built: first, channel: "api", isServed: true })).toEqual([]);
    const next = buildMarked(scene, { project: HELLO, name, access: "developer" }, "is in the next one");
    const developer = { name: "developer", headers: DEVELOPER_OF.api };
    for (const ms of [0, 15_000, 15_000]) {
      await scene.advance(ms);
      expect(await faultsOf(scene, developer, { built: next, channel: "api", isServed: true })).toEqual([]);
      expect(await faultsOf(scene, reader, { built: next, channel: "api", isServed: false })).toEqual([]);
    }
  });
});

describe("somebody who is refused", () => {
  it.each(WEB_AND_API)(
    "%s: costs the origin one question in 10 s, whatever of the job they ask for",
    async (channel) => {
      const built = buildMarked(scene, { project: PRIVATE_PROJECT });
      const reader = { name: "reader", headers: READER_OF[channel] };
      const other = {
        name: "other",
        headers: { "PRIVATE-TOKEN": "glpat-other", cookie: "_gitlab_session=session-wrong" },
      };
      expect(await faultsOf(scene, reader, { built, channel, isServed: true })).toEqual([]);
      const ask = async () => {
        const paths = Object.entries(formsOf(built, channel)).filter(([form]) => !form.startsWith("latest"));
        const answers = await Promise.all(paths.map(async ([, path]) => await askAs(scene, other, path)));
        for (const answer of answers) expectNothingTold(answer);
      };
      const puts = (await scene.harness.kvCalls()).kvPuts;
      expect((await scene.counted(ask)).requests).toBe(1);
      await scene.advance(9000);
      expect((await scene.counted(ask)).requests).toBe(0);
      await scene.advance(1000);
      expect((await scene.counted(ask)).requests).toBe(1);
      expect((await scene.harness.kvCalls()).kvPuts).toBe(puts);
    },
  );
});
