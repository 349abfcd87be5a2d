import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { countedAt, CREDENTIALS, getFrom, GITEA_WEB, GITLAB_API, GITLAB_WEB, newFileIn } from "./doors.ts";
import type { Door, NewFile } from "./doors.ts";
import { AGEING_MS, startScene, type Answer, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ bigFileBytes: 1024 });
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.harness.close());

const ISOLATES = ["one", "two", "three"];

async function getFromOne(door: Door, file: NewFile, isolate: string): Promise<Answer> {
  const headers = { ...CREDENTIALS[door.forge], "x-test-isolate": isolate };
  return await getFrom(scene, door, file, { headers });
}

/** One answer of each isolate of the colo, one after the other, with what is done behind it. */
async function getFromEach(door: Door, file: NewFile): Promise<Answer[]> {
  const answers = [];
  for (const isolate of ISOLATES) {
    answers.push(await getFromOne(door, file, isolate));
    await scene.settle();
  }
  return answers;
}

describe("several isolates of a colo", () => {
  it.each([GITLAB_WEB, GITLAB_API, GITEA_WEB])(
    "do renew a grant and a revision with one question: $name",
    async (door) => {
      const file = await newFileIn(scene, 2000);
      await getFromEach(door, file);
      const renewed = async (isolate: string) =>
        await expect
          .poll(async () => (await getFromOne(door, file, isolate)).caches["grant"], { timeout: 5000 })
          .toMatch(/ttl=(?:2[5-9]|30);/);
      for (let renewal = 0; renewal < 4; renewal++) {
        const before = countedAt(scene, door).total;
        await scene.advance(AGEING_MS);
        for (const isolate of ISOLATES) {
          const { status, body, caches } = await getFromOne(door, file, isolate);
          expect(status).toBe(200);
          expect(body.equals(file.bytes)).toBe(true);
          expect(`${caches["grant"]}, ${caches["revision"]}`).not.toContain("fwd");
          await renewed(isolate);
          await scene.settle(); // what is written to the colo
        }
        expect(countedAt(scene, door).total - before).toBe(1);
      }
    },
  );

  it("do not tell one another for longer than 30 s who could read", async () => {
    const file = await newFileIn(scene, 2000);
    const statuses = async () => (await getFromEach(GITLAB_WEB, file)).map(({ status }) => status);
    await getFromEach(GITLAB_WEB, file);
    await scene.advance(AGEING_MS);
    expect(await statuses()).toEqual([200, 200, 200]);
    scene.forge("gitlab").revokeToken("glpat-reader");
    for (const ms of [10_000, 10_000, 9000]) {
      await scene.advance(ms);
      await statuses();
    }
    await scene.advance(1000);
    expect(await statuses()).not.toContain(200);
  });
});
