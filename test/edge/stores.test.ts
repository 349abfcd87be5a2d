import { describe, expect, it } from "vitest";
import {
  ALL_DOORS,
  BIG_BYTES,
  COOKIE,
  counted,
  expectBytes,
  get,
  gitlab,
  newFile,
  playCachesScene,
  READER,
  scene,
} from "./caches-scene.ts";
import { CREDENTIALS, GITEA_WEB, GITLAB_API, GITLAB_WEB, type Door, type NewFile } from "./doors.ts";
import { AGEING_MS, ask, SECRET, type Answer } from "./scene.ts";

playCachesScene();

/** The first byte, the last ones, and a piece out of the middle. */
function rangesOf(length: number): [number, number][] {
  if (length === 0) return [];
  return [
    [0, 1],
    [length - 7, length],
    [1000, Math.min(150_000, length)],
  ];
}

describe("stores that fail", () => {
  const WORLDS = [
    { kv: "failing" },
    { kv: "read-only" },
    { cache: "failing" },
    { cache: "read-only" },
    { kv: "failing", cache: "failing" },
    { kv: "read-only", cache: "read-only" },
  ] as const;

  it.each(WORLDS)("change no answer: %o", async (world) => {
    const empty = { ...(await newFile(1)), bytes: Buffer.alloc(0) };
    await gitlab.commit(SECRET.gitlab, empty.ref, { [empty.name]: "" });
    const files = [await newFile(), await newFile(BIG_BYTES), await newFile(3 * 64 * 1024), empty];
    await scene.harness.world(world);
    const faults: string[] = [];
    const look = async (door: Door, { bytes, ...place }: NewFile, isolate: string) => {
      for (const hit of [1, 2]) {
        const { status, body } = await get(door, place);
        if (status !== 200 || !body.equals(bytes))
          faults.push(`${door.name}, ${isolate}, hit ${hit}: ${status}`);
      }
      for (const [start, end] of rangesOf(bytes.length)) {
        const range = { ...CREDENTIALS[door.forge], range: `bytes=${start}-${end - 1}` };
        const { status, body } = await get(door, place, range);
        const isRight = status === 206 && body.equals(bytes.subarray(start, end));
        if (!isRight)
          faults.push(`${door.name}, ${isolate}, ${start} to ${end} of ${bytes.length}: ${status}`);
      }
    };
    for (const door of ALL_DOORS) {
      for (const isolate of ["first isolate", "second isolate"]) {
        for (const file of files) await look(door, file, isolate);
        await scene.harness.newIsolate();
      }
    }
    expect(faults).toEqual([]);
  });

  it.each([
    { world: { kv: "failing" }, tier: "kv" },
    { world: { kv: "read-only" }, tier: "kv" },
    { world: { cache: "failing" }, tier: "colo" },
    { world: { cache: "read-only" }, tier: "colo" },
  ] as const)("are counted: $world", async ({ world, tier }) => {
    const file = await newFile();
    await scene.harness.world(world);
    expectBytes(await get(GITLAB_WEB, file), file.bytes);
    await scene.settle();
    const metrics = await ask(`${scene.harness.gitlab}/-/forgefront/metrics`, {
      headers: { authorization: `Bearer ${scene.harness.controlToken}` },
    });
    const line = new RegExp(`^forgefront_store_errors_total\\{tier="${tier}"\\} ([1-9]\\d*)$`, "m");
    expect(metrics.body.toString()).toMatch(line);
  });

  it.each([GITLAB_WEB, GITEA_WEB] as const)(
    "leave grants to KV where the colo has none: $name",
    async (door) => {
      const file = await newFile();
      expectBytes(await get(door, file), file.bytes);
      await scene.settle();
      await scene.advance(AGEING_MS);
      expectBytes(await get(door, file), file.bytes);
      await scene.settle();
      const { probes } = counted(door);
      await scene.harness.world({ cache: "failing" });
      await scene.harness.newIsolate();
      const answer = await get(door, file);
      expectBytes(answer, file.bytes);
      expect(answer.caches["grant"]).toContain("detail=kv");
      expect(answer.caches["revision"]).toContain("detail=kv");
      expect(counted(door).probes).toBe(probes);
    },
  );
});

describe("a credential", () => {
  it("is in no key or value of KV, in no metric and in no error", async () => {
    const file = await newFile();
    const all = [
      READER,
      COOKIE,
      { authorization: "Bearer glpat-reader" },
      { "JOB-TOKEN": "job-reader" },
      { "Deploy-Token": "gldt-secret" },
      { "PRIVATE-TOKEN": "glpat-wrong" },
    ];
    const answers: Answer[] = [];
    const askAll = async () => {
      for (const headers of all) {
        for (const door of [GITLAB_WEB, GITLAB_API] as const) answers.push(await get(door, file, headers));
      }
      await scene.settle();
    };
    await askAll();
    await scene.advance(AGEING_MS);
    await askAll();
    const path = `${GITLAB_WEB.path(file)}?private_token=glpat-reader`;
    answers.push(await ask(scene.harness.gitlab + path));
    gitlab.intercept = (request) => {
      request.socket.destroy();
      return true;
    };
    await scene.advance(30_000);
    answers.push(await ask(scene.harness.gitlab + path));
    const metrics = await ask(`${scene.harness.gitlab}/-/forgefront/metrics`, {
      headers: { authorization: `Bearer ${scene.harness.controlToken}` },
    });
    const values = await scene.harness.kvRecords();
    expect(values.length).toBeGreaterThan(10);
    const told = answers.map(({ headers, body }) => JSON.stringify(headers) + body.toString());
    const everything = [...values, ...told, metrics.body.toString()].join("\n");
    for (const secret of ["glpat", "session-reader", "job-reader", "gldt-secret", "oauth2", "b2F1dGgy"]) {
      expect(everything).not.toContain(secret);
    }
  });
});
