import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  API,
  DEVELOPER,
  DEVELOPER_TOO,
  idsOf,
  OTHER,
  READER,
  startPipelinesScene,
  type Headers,
  type PipelinesScene,
} from "./pipelines-scene.ts";
import type { Answer, ForgeName } from "./scene.ts";

let scene: PipelinesScene;
beforeAll(async () => {
  scene = await startPipelinesScene();
});
beforeEach(async () => await scene.again());
afterAll(async () => await scene.harness.close());

type Principal = { readonly name: string; readonly headers?: Headers; readonly query?: string };

const PRINCIPALS: Readonly<Record<ForgeName, readonly Principal[]>> = {
  gitlab: [
    { name: "nobody" },
    { name: "reader", headers: READER },
    { name: "developer", headers: DEVELOPER },
    { name: "developer's cookie", headers: DEVELOPER_TOO },
    { name: "no member", headers: OTHER },
    { name: "wrong token", headers: { "PRIVATE-TOKEN": "glpat-wrong" } },
    { name: "reader's cookie", headers: { cookie: "_gitlab_session=session-reader" } },
    { name: "ended cookie", headers: { cookie: "_gitlab_session=ended" } },
    { name: "job token", headers: { "JOB-TOKEN": "job-reader" } },
    { name: "deploy token", headers: { "Deploy-Token": "gldt-secret" } },
    { name: "private_token=", query: "private_token=glpat-reader" },
  ],
  gitea: [
    { name: "nobody" },
    { name: "reader", headers: { authorization: "token gitea-reader" } },
    { name: "no member", headers: { authorization: "token gitea-other" } },
    { name: "wrong token", headers: { authorization: "token gitea-wrong" } },
    { name: "reader's cookie", headers: { cookie: "i_like_gitea=session-reader" } },
    { name: "token=", query: "token=gitea-reader" },
  ],
};

/** The resources of a project, the list of jobs first: a "no" to another must not stand for it. */
function resourcesOf(forge: ForgeName, project: string): readonly string[] {
  if (forge === "gitea") return ["runs", "tasks"].map((list) => `/api/v1/repos/${project}/actions/${list}`);
  const pipeline = project === "demo/hello" ? 11 : 21;
  const base = `${API}/${encodeURIComponent(project)}/pipelines`;
  const number = `${API}/${project === "demo/hello" ? 1 : 2}/pipelines`;
  return [`${base}/${pipeline}/jobs`, base, `${number}/latest?ref=main`, `${number}/${pipeline}`, number];
}

/** What no refusal may tell. */
const PRIVATE_WORDS = /"(?:sha|head_sha|web_url|workflow_runs|pipeline)"|Build of secret|Keep a secret/;

/** What the forge itself says to everybody, now. */
async function truths(forge: ForgeName, project: string): Promise<readonly Truth[]> {
  const all = resourcesOf(forge, project).map(
    async (path) =>
      await Promise.all(
        PRINCIPALS[forge].map(async ({ name, headers = {}, query }): Promise<Truth> => {
          const asked = query === undefined ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`;
          return { name, path: asked, headers, direct: await scene.direct(asked, headers, { forge }) };
        }),
      ),
  );
  return (await Promise.all(all)).flat();
}

type Truth = {
  readonly name: string;
  readonly path: string;
  readonly headers: Headers;
  readonly direct: Answer;
};

/** Asks everybody for everything, and tells what is not as the forge itself says. */
async function differences(
  forge: ForgeName,
  known: readonly Truth[],
  isolate: string,
): Promise<readonly string[]> {
  const own = scene.forge(forge).url;
  const normal = (answer: Answer) =>
    answer.body
      .toString()
      .replaceAll(scene.harness[forge], own)
      .replaceAll(/"duration":[\d.]+/g, "");
  const all = known.map(async ({ name, path, headers, direct }) => {
    const got = await scene.get(path, headers, { forge, isolate });
    const isSame =
      direct.status === 200
        ? normal(got) === normal(direct)
        : !PRIVATE_WORDS.test(normal(got)) &&
          got.headers.etag === undefined &&
          got.headers["link"] === undefined;
    if (got.status === direct.status && isSame && got.headers["set-cookie"] === undefined) return [];
    return [`${name}, ${path}: ${direct.status} but ${got.status} ${normal(got).slice(0, 60)}`];
  });
  return (await Promise.all(all)).flat();
}

const PLACES = [
  { forge: "gitlab", project: "demo/hello" },
  { forge: "gitlab", project: "demo/nested/secret" },
  { forge: "gitea", project: "demo/hello" },
  { forge: "gitea", project: "demo/secret" },
] as const;

function setAccess(forge: ForgeName, project: string, access: "everyone" | "members" | "disabled"): void {
  if (forge === "gitlab") scene.harness.demo.gitlab.setPipelinesAccess(project, access);
  else scene.harness.demo.gitea.setActionsAccess(project, access);
}

const TOKENS = [
  "glpat-reader",
  "glpat-developer",
  "session-reader",
  "session-developer",
  "job-reader",
  "gitea-reader",
];

describe.each(PLACES)("who is shown lists of $project at $forge", ({ forge, project }) => {
  it("is as the forge says: cold, warm, in another isolate, and 31 s after each change", async () => {
    const changes: readonly (readonly [string, () => void])[] = [
      ["members", () => setAccess(forge, project, "members")],
      ["disabled", () => setAccess(forge, project, "disabled")],
      ["everyone", () => setAccess(forge, project, "everyone")],
      [
        "the other visibility",
        () => scene.forge(forge).setVisibility(project, project === "demo/hello" ? "private" : "public"),
      ],
      ["revoked", () => TOKENS.forEach((token) => scene.forge(forge).revokeToken(token))],
    ];
    const first = await truths(forge, project);
    for (const isolate of ["", "", "second"]) expect(await differences(forge, first, isolate)).toEqual([]);
    for (const [index, [name, change]] of changes.entries()) {
      await scene.settle();
      change();
      await scene.advance(31_000);
      const isolate = index % 2 === 0 ? "second" : "";
      expect([name, await differences(forge, await truths(forge, project), isolate)]).toEqual([name, []]);
    }
  });
});

/** Polls on for so long after a change that nobody is to be shown what was before, not even for a moment. */
async function pollsAfter(change: () => void, ask: () => Promise<Answer>): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let passed = 0; passed < 25_000; passed += 2500) {
    await ask();
    await scene.advance(2500);
  }
  change();
  for (let passed = 0; passed <= 30_000; passed += 3000) {
    statuses.push((await ask()).status);
    await scene.settle();
    await scene.advance(3000);
  }
  statuses.push((await ask()).status);
  return statuses;
}

describe("one who may no longer", () => {
  it("is shown nothing after 30 seconds: in memory, another isolate or a new one", async () => {
    const ask = async () => await scene.get(`${API}/2/pipelines`, READER);
    const statuses = await pollsAfter(() => scene.forge("gitlab").revokeToken("glpat-reader"), ask);
    expect(statuses.at(-1)).toBe(401);
    const firstNo = statuses.findIndex((status) => status !== 200);
    expect(statuses.slice(firstNo).every((status) => status === 401)).toBe(true);
    expect((await scene.get(`${API}/2/pipelines`, READER, { isolate: "other" })).status).toBe(401);
    await scene.harness.newIsolate();
    expect((await ask()).status).toBe(401);
  });

  it("is not shown a list by the standing of others, nor by a 304 to what it knew", async () => {
    const list = `${API}/2/pipelines`;
    const first = await scene.get(list, READER);
    scene.forge("gitlab").setMember("reader", "demo/nested/secret", false);
    await scene.advance(31_000);
    for (const isolate of ["one", "two"]) {
      expect((await scene.get(list, DEVELOPER, { isolate })).status).toBe(200);
      for (const headers of [{}, { "if-none-match": String(first.headers.etag) }, { "if-none-match": "*" }]) {
        const answer = await scene.get(list, { ...READER, ...headers }, { isolate });
        expect([answer.status, answer.headers.etag]).toEqual([404, undefined]);
      }
    }
  });

  it("is not shown what a job token alone may see, nor the other way round", async () => {
    const job = { "JOB-TOKEN": "job-reader" };
    const base = `${API}/2/pipelines`;
    for (let time = 0; time < 2; time++) {
      expect((await scene.get(`${base}/21/jobs`, job)).status).toBe(200);
      for (const path of [base, `${base}/latest`, `${base}/21`])
        expect([path, (await scene.get(path, job)).status]).toEqual([path, 404]);
    }
  });
});

const HIDDEN = 700;

/** What each asker sees at the forge itself, now. */
const seenBy = async (headers: Headers) => idsOf(await scene.direct(`${API}/2/pipelines`, headers));

describe("askers with different rights", () => {
  const list = `${API}/2/pipelines`;
  const all: readonly Headers[] = [
    READER,
    DEVELOPER,
    DEVELOPER_TOO,
    { authorization: "Bearer glpat-developer" },
    { authorization: "Bearer glpat-reader" },
  ];
  const isReader = (headers: Headers) => JSON.stringify(headers).includes("reader");

  function forget(id: number): void {
    const { gitlab } = scene.harness.demo;
    gitlab.setHidden(id, false);
    gitlab.pipelines.remove(id);
  }

  it("who saw the same are not shown what only two of them see now", async () => {
    const { gitlab } = scene.harness.demo;
    for (const headers of all) idsOf(await scene.get(list, headers));
    gitlab.setHidden(HIDDEN, true);
    await gitlab.addPipeline("demo/nested/secret", { id: HIDDEN });
    await scene.advance(6000);
    const told = [];
    // Who sees more asks first: all of them, and by more than one question
    const order = all.toSorted((one, other) => Number(isReader(one)) - Number(isReader(other)));
    for (const headers of order) told.push(idsOf(await scene.get(list, headers)).includes(HIDDEN));
    forget(HIDDEN);
    expect(told).toEqual(order.map((headers) => !isReader(headers)));
  });

  it("are never shown each other's over many polls and changes, in two isolates", async () => {
    const { gitlab } = scene.harness.demo;
    const names = ["", "right"];
    const mine = [];
    let state = 7; // what comes next is arbitrary, and the same each time
    const next = (count: number) => (state = (state * 1103 + 12_345) % 65_536) % count;
    for (let step = 0; step < 30; step++) {
      const id = HIDDEN + 1 + step;
      if (step % 3 === 0) {
        const isHidden = next(2) === 0;
        gitlab.setHidden(id, isHidden);
        await gitlab.addPipeline("demo/nested/secret", { id, status: "running" });
        mine.push({ id, isHidden });
      } else if (next(3) === 0) gitlab.pipelines.setStatus(21, next(2) === 0 ? "failed" : "success");
      for (let polls = 0; polls < 5; polls++) {
        const headers = all[next(all.length)] ?? READER;
        const isolate = names[next(names.length)] ?? "";
        const ids = idsOf(await scene.get(list, headers, { isolate }));
        const leaked = isReader(headers)
          ? mine.filter(({ id: each, isHidden }) => isHidden && ids.includes(each))
          : [];
        expect([step, polls, leaked]).toEqual([step, polls, []]);
      }
      await scene.advance(1000 + next(5) * 1000);
    }
    await scene.settle();
    await scene.advance(31_000);
    for (const headers of all) expect(idsOf(await scene.get(list, headers))).toEqual(await seenBy(headers));
    for (const { id } of mine) forget(id);
    gitlab.pipelines.setStatus(21, "success");
  }, 30_000);

  it("share again once they see the same", async () => {
    const { gitlab } = scene.harness.demo;
    gitlab.setHidden(HIDDEN, true);
    await gitlab.addPipeline("demo/nested/secret", { id: HIDDEN });
    for (const headers of all) await scene.get(list, headers);
    gitlab.setHidden(HIDDEN, false);
    await scene.advance(31_000);
    for (const headers of all) expect(idsOf(await scene.get(list, headers))).toContain(HIDDEN);
    const questions = await scene.questions(async () => {
      await scene.advance(6000);
      for (const headers of all) expect(idsOf(await scene.get(list, headers))).toContain(HIDDEN);
    });
    expect(questions).toBe(1);
    forget(HIDDEN);
  });

  it("see their own jobs: whether one follows a user is told only to somebody", async () => {
    const jobs = `${API}/1/pipelines/13/jobs`;
    const { pipelines } = scene.harness.demo.gitlab;
    for (let step = 0; step < 12; step++) {
      if (step % 4 === 1) pipelines.setJobStatus(1202, step % 8 === 1 ? "running" : "pending");
      for (const headers of [{}, READER, {}, DEVELOPER, OTHER]) {
        const { status, body } = await scene.get(jobs, headers);
        const isSomebody = Object.keys(headers).length > 0;
        expect([step, status, body.includes('"is_followed"')]).toEqual([step, 200, isSomebody]);
      }
      await scene.advance(4000);
    }
  });
});
