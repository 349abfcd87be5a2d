import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildAll, CONTENTS, VARS } from "./artifact-contents.ts";
import { startArtifactScene, text, type ArtifactScene } from "./artifact-scene.ts";

const IDENTITY = { "accept-encoding": "identity" };

let scene: ArtifactScene;
beforeAll(async () => {
  scene = await startArtifactScene({ vars: VARS });
});
afterAll(async () => await scene.harness.close());

describe("what the origin is asked", () => {
  beforeEach(async () => await scene.fresh());
  const FEW = [
    "stored-small.bin",
    "stored-large.bin",
    "deflated-small.txt",
    "deflated-large.txt",
    "zstd-large.txt",
  ] as const;
  const DELIVERIES = ["local", "object"] as const;
  const CASES = DELIVERIES.flatMap((storage) => FEW.map((name) => ({ storage, name })));

  it.each(CASES)(
    "little for $name of an archive that is cold ($storage), less once it is warm",
    async ({ storage, name }) => {
      const { web } = buildAll(scene, { storage });
      const read = async (path: string) => {
        const { result, requests } = await scene.counted(
          async () => await scene.get(path, { headers: IDENTITY }),
        );
        expect(result.status).toBe(200);
        return requests;
      };
      expect(await read(web.entry(`dir/${name}`))).toBeLessThanOrEqual(storage === "local" ? 3 : 4);
      expect(await read(web.entry(`dir/${name}`))).toBe(0);
      expect(await read(web.entry("dir/zstd-small.txt"))).toBeLessThanOrEqual(1);
      expect(await read(web.list())).toBe(0);
      await scene.harness.newIsolate();
      expect(await read(web.list())).toBe(0);
      expect(await read(web.entry(`dir/${name}`))).toBe(0);
    },
  );

  it.each(DELIVERIES)("once for a small archive and all that is in it (%s)", async (storage) => {
    const names = Array.from({ length: 20 }, (_, index) => `${index}.txt`);
    const { web } = scene.build(
      names.map((name) => ({ name, content: text(500), method: 8 })),
      { storage },
    );
    const paths = [
      ...names.map((name) => web.entry(name)),
      web.list(),
      web.made("tar"),
      web.made("zip"),
      web.archive,
    ];
    const cold = await scene.counted(
      async () => await Promise.all(paths.map(async (path) => await scene.get(path))),
    );
    expect(cold.result.map(({ status }) => status)).toEqual(paths.map(() => 200));
    expect(cold.requests).toBeLessThanOrEqual(storage === "local" ? 2 : 4);
    const warm = await scene.counted(
      async () => await Promise.all(paths.map(async (path) => await scene.get(path))),
    );
    expect(warm.requests).toBe(0);
  });

  it("but a few blocks for the end of a long stored entry", async () => {
    const content = randomBytes(60 * VARS.BLOCK_BYTES);
    const { web } = scene.build([{ name: "long.bin", content }]);
    const { gitlab } = scene.harness.demo;
    expect((await scene.get(web.list())).status).toBe(200);
    gitlab.resetCounts();
    const { status, body } = await scene.get(web.entry("long.bin"), { headers: { range: "bytes=-100" } });
    expect([status, body.equals(content.subarray(-100))]).toEqual([206, true]);
    expect(gitlab.counts().artifactBytes).toBeLessThanOrEqual(4 * VARS.BLOCK_BYTES);
    for (let time = 0; time < 2; time++)
      expect((await scene.get(web.entry("long.bin"))).body.equals(content)).toBe(true);
  });

  it("no more for many clients at once than for one", async () => {
    const { web } = buildAll(scene);
    const path = web.entry("dir/stored-large.bin");
    const clients = Array.from({ length: 12 });
    const { result, requests } = await scene.counted(
      async () => await Promise.all(clients.map(async () => await scene.get(path, { headers: IDENTITY }))),
    );
    const bytes = CONTENTS["stored-large.bin"].content;
    for (const { body } of result) expect(body.equals(bytes)).toBe(true);
    expect(requests).toBeLessThanOrEqual(4);
  });

  it("nothing for what a live grant and a known directory answer alone", async () => {
    const { web, api } = scene.build([{ name: "a.txt", content: "a" }]);
    for (const door of [web, api]) {
      await scene.get(door.list());
      const { requests } = await scene.counted(async () => {
        expect((await scene.get(door.entry("missing.txt"))).status).toBe(404);
        expect((await scene.get(door.entry("a.txt"), { method: "HEAD" })).status).toBe(200);
      });
      expect(requests).toBe(0);
    }
  });
});
