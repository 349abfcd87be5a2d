import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ask, type Answer } from "./scene.ts";
import {
  API,
  DEVELOPER,
  idsOf,
  READER,
  startPipelinesScene,
  type Headers,
  type PipelinesScene,
} from "./pipelines-scene.ts";

const FRESH_MS = 5000;

let scene: PipelinesScene;
beforeAll(async () => {
  scene = await startPipelinesScene();
});
beforeEach(async () => await scene.again());
afterAll(async () => await scene.harness.close());

const LIST = `${API}/1/pipelines`;
const SECRET = `${API}/2/pipelines`;

/** Askers who see the same: tokens of two users, each with an unknown one beside it that makes it another asker. */
const CROWD: readonly Headers[] = Array.from({ length: 50 }, (_, index) => ({
  "PRIVATE-TOKEN": `unknown-${index}`,
  authorization: index % 2 === 0 ? "Bearer glpat-reader" : "Bearer glpat-developer",
}));

type Poll = { readonly ids: readonly number[]; readonly age: number; readonly text: string };

async function pollAs(headers: Headers, path = LIST): Promise<Poll> {
  const answer = await scene.get(path, headers);
  return { ids: idsOf(answer), age: Number(answer.headers["age"]), text: answer.body.toString() };
}

async function pollAll(path = LIST, crowd = CROWD): Promise<readonly Poll[]> {
  return await Promise.all(crowd.map(async (headers) => await pollAs(headers, path)));
}

describe("one rendering for everyone", () => {
  it("costs a question of each asker in 20 seconds, and one for all in three", async () => {
    expect(await scene.questions(async () => await pollAll())).toBe(CROWD.length);
    const calm = await scene.questions(async () => {
      for (let passed = 0; passed < 18; passed += 3) {
        await scene.advance(3000);
        for (const { age } of await pollAll()) expect(age).toBeLessThanOrEqual(FRESH_MS / 1000);
        await scene.settle();
      }
    });
    expect(calm).toBeLessThanOrEqual(7);
    const own = await scene.questions(async () => {
      for (let passed = 18; passed < 42; passed += 3) {
        await scene.advance(3000);
        await pollAll();
        await scene.settle();
      }
    });
    expect(own).toBeGreaterThanOrEqual(CROWD.length);
    expect(own).toBeLessThanOrEqual(2 * CROWD.length + 10); // each at 20 and at 40 seconds
  });

  it("costs a question of each asker at most after a change, which all see in time", async () => {
    const { gitlab } = scene.harness.demo;
    await pollAll();
    for (let changes = 0; changes < 2; changes++) {
      const row = await gitlab.addPipeline("demo/hello", { status: "running" });
      const questions = await scene.questions(async () => {
        await scene.advance(FRESH_MS);
        await pollAll(); // some are served what was, while the first asks
        await scene.settle();
        for (let polls = 0; polls < 2; polls++)
          for (const { ids } of await pollAll()) expect(ids).toContain(row.id);
      });
      expect(questions).toBeLessThanOrEqual(CROWD.length + 1);
      gitlab.pipelines.remove(row.id);
      await scene.advance(FRESH_MS);
      await pollAll();
      await scene.settle();
      for (const { ids } of await pollAll()) expect(ids).not.toContain(row.id);
    }
  });

  it("is never older than its life and one revalidation, however slow the origin is", async () => {
    const { gitlab } = scene.harness.demo;
    const few = CROWD.slice(0, 8);
    await pollAll(LIST, few);
    gitlab.authMs = 150;
    for (let changes = 0; changes < 2; changes++) {
      const row = await gitlab.addPipeline("demo/hello", { status: "running" });
      await scene.advance(FRESH_MS - 1000);
      await pollAll(LIST, few); // begins the revalidation behind the answers
      await scene.advance(1500);
      for (const { age, ids } of await pollAll(LIST, few))
        expect(ids.includes(row.id) || age <= FRESH_MS / 1000 + 1).toBe(true);
      await sleep(400);
      for (const { ids } of await pollAll(LIST, few)) expect(ids).toContain(row.id);
      gitlab.pipelines.remove(row.id);
      await scene.advance(FRESH_MS + 1000);
      await pollAll(LIST, few);
      await sleep(400);
      for (const { ids } of await pollAll(LIST, few)) expect(ids).not.toContain(row.id);
    }
  });

  it("is found by other isolates of the colo, who ask for nobody twice", async () => {
    await Promise.all([READER, DEVELOPER].map(async (headers) => await scene.get(SECRET, headers)));
    await scene.settle();
    const questions = await scene.questions(async () => {
      for (const isolate of ["one", "two"])
        for (const headers of [READER, DEVELOPER])
          expect((await scene.get(SECRET, headers, { isolate })).status).toBe(200);
    });
    expect(questions).toBeLessThanOrEqual(1);
  });
});

type Held = { readonly begun: Promise<void>; readonly release: () => void };

/** Holds back the next answer of the forge to the edge, which is made at once: it is of then, and comes later. */
function holdNext(part: string): Held {
  const forge = scene.forge("gitlab");
  let begin = () => {};
  let release = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  forge.intercept = (request, response) => {
    if (!request.url?.includes(part) || request.headers["x-original"] !== undefined) return false;
    forge.intercept = undefined;
    void (async () => {
      const headers = { ...(request.headers as Record<string, string>), "x-original": "1" };
      const answer = await ask(forge.url + request.url, { headers });
      begin();
      await released;
      const { connection: _, "keep-alive": __, "transfer-encoding": ___, ...kept } = answer.headers;
      response.writeHead(answer.status, kept).end(answer.body);
    })();
    return true;
  };
  return { begun, release };
}

async function tell(): Promise<void> {
  for (const delivered of await scene.harness.demo.gitlab.delivered())
    expect(delivered).toMatchObject({ kind: "answered", status: 200 });
}

describe("a question that is under way when something is told", () => {
  it.each(["nothing known", "a list that grew old", "a list told to be over"])(
    "answers nobody who asks after it: %s",
    async (state) => {
      const { gitlab } = scene.harness.demo;
      gitlab.hooks = [
        { url: `${scene.harness.gitlab}/-/forgefront/hooks`, secret: scene.harness.webhookSecret },
      ];
      if (state !== "nothing known") await scene.get(SECRET, READER);
      if (state === "a list that grew old") await scene.advance(FRESH_MS + 100);
      const rows = [];
      if (state === "a list told to be over") {
        rows.push(await gitlab.addPipeline("demo/nested/secret", { status: "running" }));
        await tell();
      }
      const held = holdNext("/pipelines");
      const early = scene.get(SECRET, READER);
      await held.begun;
      const row = await gitlab.addPipeline("demo/nested/secret", { status: "running" });
      rows.push(row);
      await tell();
      const late: Promise<Answer>[] = [READER, READER, DEVELOPER].map(async (headers) =>
        scene.get(SECRET, headers),
      );
      await sleep(50);
      held.release();
      idsOf(await early);
      for (const answer of await Promise.all(late)) expect(idsOf(answer)).toContain(row.id);
      expect(idsOf(await scene.get(SECRET, READER))).toContain(row.id);
      for (const { id } of rows) gitlab.pipelines.remove(id);
    },
  );
});

describe("a list that changes while its pages are read", () => {
  it("is on each page what the origin says of it, with totals that fit", async () => {
    const { gitlab } = scene.harness.demo;
    const page = (number: number) => `${LIST}?per_page=2&page=${number}`;
    const one = await scene.get(page(1), READER);
    const total = Number(one.headers["x-total"]);
    const row = await gitlab.addPipeline("demo/hello", { status: "running" });
    const two = await scene.get(page(2), READER);
    expect([one.headers["x-total"], two.headers["x-total"]]).toEqual([`${total}`, `${total + 1}`]);
    expect(idsOf(two)).toEqual(idsOf(await scene.direct(page(2), READER)));
    await scene.advance(FRESH_MS);
    for (const number of [1, 2]) {
      const [answer, direct] = [
        await scene.get(page(number), READER),
        await scene.direct(page(number), READER),
      ];
      expect([idsOf(answer), answer.headers["x-total"]]).toEqual([idsOf(direct), `${total + 1}`]);
    }
    gitlab.pipelines.remove(row.id);
  });
});
