import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  API,
  HELLO,
  idsOf,
  OTHER,
  READER,
  SECRET_LIST,
  startPipelinesScene,
  type PipelinesScene,
} from "./pipelines-scene.ts";
import type { Answer } from "./scene.ts";

let scene: PipelinesScene;
beforeAll(async () => {
  scene = await startPipelinesScene();
});
beforeEach(async () => await scene.again());
afterAll(async () => await scene.harness.close());

const RUNS = "/api/v1/repos/demo/secret/actions/runs";
const GITEA_READER = { authorization: "token gitea-reader" };

/** What a list says of where its pages are. */
function linksOf({ headers }: Answer): readonly string[] {
  return [...String(headers["link"] ?? "").matchAll(/<([^>]*)>/g)].map(([, url = ""]) => url);
}

describe("the name of a list", () => {
  beforeEach(async () => void (await scene.get(`${HELLO}/12`, OTHER))); // tells the project's number
  it.each([
    ["?ref=main&page=1", "?page=1&ref=main&per_page=20"],
    ["?ref=feature%2Flogin", "?sort=desc&ref=feature/login&order_by=id"],
    ["", "?per_page=20&private_token=glpat-reader"],
    ["?per_page=100", "?per_page=500"],
    ["?ref=a+b&status=running&username=x", "?username=x&ref=a%20b&status=running&page=1"],
    ["?yaml_errors=true", "?yaml_errors=1"],
  ])("%s and %s are one entry", async (one, other) => {
    const first = await scene.get(HELLO + one, READER);
    expect(first.status).toBe(200);
    const questions = await scene.questions(async () => {
      const second = await scene.get(HELLO + other, other.includes("private_token") ? {} : READER);
      expect([second.status, second.headers.etag]).toEqual([200, first.headers.etag]);
    });
    expect(questions).toBe(other.includes("private_token") ? 1 : 0); // another asker asks once
  });

  it("of jobs takes a scope in any order", async () => {
    const jobs = `${HELLO}/11/jobs`;
    const first = await scene.get(`${jobs}?scope[]=success&scope[]=failed`, READER);
    expect(idsOf(first)).toEqual([1002, 1001]);
    const questions = await scene.questions(async () => {
      for (const query of ["scope[]=failed&scope[]=success", "scope%5B%5D=success&scope[]=failed&page=1"])
        expect((await scene.get(`${jobs}?${query}`, READER)).headers.etag).toBe(first.headers.etag);
    });
    expect(questions).toBe(0);
    expect(idsOf(await scene.get(`${jobs}?scope[]=running`, READER))).toEqual([]);
  });

  it("with an odd query is the origin's to answer, each time", async () => {
    const odd = [
      "?nonsense=1",
      "?page=0",
      "?page=x",
      "?per_page=0",
      "?per_page=-1",
      "?scope=nope",
      "?status=PASSED",
      "?page=1&page=2",
      "?ref",
      "?ref=%ff",
      "?ref=a;b",
      "?updated_after=yesterday",
      "?ref[]=main",
      "?created_after=2026-02-30",
      "?yaml_errors=maybe",
      "?order_by=name",
      "?ref=%00",
    ];
    const questions = await scene.questions(async () => {
      for (const query of odd) {
        const direct = await scene.direct(HELLO + query, READER);
        for (let time = 0; time < 2; time++) {
          const answer = await scene.get(HELLO + query, READER);
          expect([query, answer.status, answer.headers["cache-status"]]).toEqual([
            query,
            direct.status,
            "forgefront; fwd=bypass",
          ]);
          expect([query, answer.body.toString()]).toEqual([query, direct.body.toString()]);
        }
      }
    });
    expect(questions).toBe(3 * odd.length);
  });

  it("is the project's number and its path once that is known, and Link is spelled as asked", async () => {
    await scene.get(`${SECRET_LIST}?per_page=1&sort=asc`, READER); // tells the number
    const byPath = await scene.get(`${SECRET_LIST}?per_page=1`, READER);
    const questions = await scene.questions(async () => {
      const byNumber = await scene.get(`${API}/2/pipelines?per_page=1`, READER);
      expect(byNumber.body.equals(byPath.body)).toBe(true);
      const again = await scene.get(`${SECRET_LIST}?per_page=1`, READER);
      for (const [answer, project] of [
        [byNumber, "2"],
        [again, "demo%2Fnested%2Fsecret"],
        [byPath, "demo%2Fnested%2Fsecret"],
      ] as const) {
        expect(linksOf(answer)).not.toEqual([]);
        for (const link of linksOf(answer)) {
          expect(link).toContain(`${scene.harness.gitlab}/api/v4/projects/${project}/pipelines?`);
          expect(new URL(link).searchParams.get("id")).toBe(decodeURIComponent(project));
        }
      }
    });
    expect(questions).toBe(0);
  });
});

/** Header fields of the origin's that are of one answer and not of the list. */
const OF_ONE_ANSWER = [
  "x-request-id",
  "x-runtime",
  "set-cookie",
  "x-gitlab-meta",
  "date-of-origin",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  "ratelimit-observed",
];

/** Lets the forge send such fields, too. */
function addHeadersOfOneAnswer(): void {
  scene.harness.demo.gitlab.intercept = (_request, response) => {
    let count = 0;
    for (const name of OF_ONE_ANSWER) response.setHeader(name, `one-${++count}`);
    return false;
  };
}

describe("the answer to a list", () => {
  it.each([
    ["a list", `${HELLO}?per_page=2`],
    ["the latest", `${HELLO}/latest?ref=main`],
    ["a pipeline", `${HELLO}/12`],
    ["jobs", `${HELLO}/11/jobs?per_page=1`],
  ])("says of %s what the origin says, and nothing of one answer alone", async (_name, path) => {
    addHeadersOfOneAnswer();
    const { gitlab } = scene.harness;
    const own = scene.harness.demo.gitlab.url;
    const direct = await scene.direct(path, READER);
    for (const state of ["cold", "warm", "of the second"]) {
      const answer = await scene.get(path, READER);
      expect([state, answer.status]).toEqual([state, 200]);
      const text = direct.body.toString().replaceAll(`"web_url":"${own}`, `"web_url":"${gitlab}`);
      expect(answer.body.toString()).toBe(text);
      for (const [name, value] of Object.entries(direct.headers))
        if (/^x-(total|page|per|next|prev|total-pages)/.test(name)) expect(answer.headers[name]).toBe(value);
      expect(linksOf(answer)).toEqual(linksOf(direct).map((link) => link.replace(own, gitlab)));
      for (const name of OF_ONE_ANSWER) expect(answer.headers).not.toHaveProperty(name);
      expect(answer.headers.etag).toMatch(/^"[\w-]+"$/);
      expect(answer.headers["content-length"]).toBe(String(answer.body.length));
    }
  });

  it("leaves addresses alone that do not name the origin", async () => {
    const { gitlab } = scene.harness.demo;
    for (const externalUrl of [
      "https://forge.example",
      `${gitlab.url}0`,
      `${gitlab.url}.example`,
      "http://127.0.0.1",
    ]) {
      gitlab.externalUrl = externalUrl;
      await scene.advance(40_000);
      const answer = await scene.get(HELLO, READER);
      const direct = await scene.direct(HELLO, READER);
      expect([answer.status, answer.body.toString()]).toEqual([200, direct.body.toString()]);
      expect(answer.headers["link"]).toBe(direct.headers["link"]);
    }
  });

  it("does not rewrite what only looks like an address", async () => {
    const { gitlab } = scene.harness.demo;
    const name = `"web_url":"${gitlab.url}/x" \\"web_url\\":\\"${gitlab.url}/y\\" ${gitlab.url}`;
    const row = await gitlab.addPipeline("demo/hello", { name, status: "success" });
    const { body } = await scene.get(`${HELLO}/${row.id}`, READER);
    const told = JSON.parse(body.toString()) as { name: string; web_url: string };
    expect(told.name).toBe(name);
    expect(told.web_url).toBe(`${scene.harness.gitlab}/demo/hello/-/pipelines/${row.id}`);
    gitlab.pipelines.remove(row.id);
  });

  it("repeats no credential in its Link", async () => {
    for (const query of [
      "private_token=glpat-reader",
      "access_token=glpat-reader",
      "%70rivate_token=glpat-reader",
    ]) {
      const answer = await scene.get(`${SECRET_LIST}?per_page=1&${query}`);
      expect([query, answer.status]).toEqual([query, 200]);
      expect(JSON.stringify(answer.headers) + answer.body.toString()).not.toContain("glpat");
    }
  });

  it("is 304 to its own ETag without a question, and HEAD is a GET without a body", async () => {
    for (const [path, headers, forge] of [
      [`${API}/2/pipelines?per_page=1`, READER, "gitlab"],
      [`${RUNS}?limit=1`, GITEA_READER, "gitea"],
    ] as const) {
      const head = await scene.get(path, headers, { forge, method: "HEAD" });
      expect([head.status, head.body.length]).toEqual([200, 0]);
      const questions = await scene.questions(async () => {
        const got = await scene.get(path, headers, { forge });
        expect([got.headers.etag, String(got.body.length)]).toEqual([
          head.headers.etag,
          head.headers["content-length"],
        ]);
        const etag = String(got.headers.etag);
        for (const condition of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
          const same = await scene.get(path, { ...headers, "if-none-match": condition }, { forge });
          expect([condition, same.status, same.headers.etag]).toEqual([condition, 304, etag]);
        }
        const other = await scene.get(path, { ...headers, "if-none-match": '"other"' }, { forge });
        expect(other.status).toBe(200);
      }, forge);
      expect(questions).toBe(0);
      const stranger = await scene.get(path, { "if-none-match": "*" }, { forge });
      expect([401, 404]).toContain(stranger.status);
    }
  });

  it("has one ETag by path and number, from the first poll on", async () => {
    const { headers } = await scene.get(`${SECRET_LIST}?per_page=1`, READER);
    const questions = await scene.questions(async () => {
      for (const project of ["demo%2Fnested%2Fsecret", "2"]) {
        const path = `${API}/${project}/pipelines?per_page=1`;
        const { status } = await scene.get(path, { ...READER, "if-none-match": String(headers.etag) });
        expect([project, status]).toEqual([project, 304]);
      }
    });
    expect(questions).toBe(0);
  });

  it("may be kept by its asker alone, and for no longer than it is believed here", async () => {
    await scene.get(HELLO); // anybody may read it
    for (const [path, headers, forge] of [
      [HELLO, {}, "gitlab"],
      [HELLO, READER, "gitlab"],
      [SECRET_LIST, READER, "gitlab"],
      [RUNS, GITEA_READER, "gitea"],
    ] as const) {
      const answer = await scene.get(path, headers, { forge });
      const control = String(answer.headers["cache-control"]);
      const maxAge = Number(/max-age=(\d+)/.exec(control)?.[1] ?? 0);
      expect(maxAge).toBeLessThanOrEqual(5);
      expect(control).not.toContain("stale-while-revalidate");
      if (path !== HELLO) expect(control).toContain("private");
      const vary = String(answer.headers.vary).toLowerCase();
      for (const name of ["authorization", "cookie"]) expect(vary).toContain(name);
      if (forge === "gitlab") for (const name of ["private-token", "job-token"]) expect(vary).toContain(name);
    }
  });

  it("that is longer than a mebibyte is the origin's whole and is not kept", async () => {
    const { gitlab } = scene.harness.demo;
    const long = "x".repeat(200_000);
    const rows = [];
    for (let count = 0; count < 6; count++)
      rows.push(await gitlab.addPipeline("demo/other", { name: long, status: "success" }));
    const path = `${API}/3/pipelines?per_page=6`;
    const direct = await scene.direct(path, OTHER);
    expect(direct.body.length).toBeGreaterThan(1024 * 1024);
    for (let time = 0; time < 2; time++) {
      const counted = await scene.questions(async () => {
        const answer = await scene.get(path, OTHER);
        expect([answer.status, answer.whole, answer.body.equals(direct.body)]).toEqual([200, true, true]);
      });
      expect(counted).toBeGreaterThanOrEqual(1);
    }
    for (const { id } of rows) gitlab.pipelines.remove(id);
  });
});

describe("how long it is believed", () => {
  it("a finished pipeline is for a minute, a running one for five seconds", async () => {
    const { pipelines } = scene.harness.demo.gitlab;
    const { gitlab } = scene.harness.demo;
    await scene.get(`${HELLO}/12`, READER); // tells the project's number
    const [done, running] = [await scene.get(`${HELLO}/11`, READER), await scene.get(`${HELLO}/13`, READER)];
    pipelines.update(11, { name: "Renamed" });
    pipelines.update(13, { name: "Renamed" });
    await scene.advance(6000);
    expect((await scene.get(`${HELLO}/13`, READER)).headers.etag).not.toBe(running.headers.etag);
    await scene.advance(9000);
    expect((await scene.get(`${HELLO}/11`, READER)).headers.etag).toBe(done.headers.etag);
    gitlab.resetCounts();
    for (let polls = 0; polls < 9; polls++) {
      await scene.advance(5000);
      expect((await scene.get(`${HELLO}/11`, READER)).status).toBe(200);
      await scene.settle();
    }
    expect(gitlab.counts()["api:pipeline"]).toBeLessThanOrEqual(3); // its asker asks every 20 to 25 seconds
    await scene.advance(9000);
    expect((await scene.get(`${HELLO}/11`, READER)).body.toString()).toContain("Renamed");
    pipelines.update(11, { name: "Build of hello" });
    pipelines.update(13, { name: undefined });
  });

  it("the totals of a 304 are those that it tells", async () => {
    const { pipelines } = scene.harness.demo.gitlab;
    const path = `${API}/3/pipelines?sort=asc&per_page=1`;
    pipelines.addMany(3, 10_000);
    expect((await scene.get(path, OTHER)).headers["x-total"]).toBe("10000");
    pipelines.addMany(3, 1); // GitLab counts no further
    await scene.advance(31_000);
    const [answer, direct] = [await scene.get(path, OTHER), await scene.direct(path, OTHER)];
    expect(answer.body.toString()).toBe(
      direct.body.toString().replaceAll(scene.harness.demo.gitlab.url, scene.harness.gitlab),
    );
    for (const name of ["x-total", "x-total-pages", "x-page", "x-next-page"])
      expect([name, answer.headers[name]]).toEqual([name, direct.headers[name]]);
    expect(linksOf(answer)).toHaveLength(linksOf(direct).length);
  });

  it("a pipeline that is not there is asked for once in ten seconds, and says nothing of others", async () => {
    for (const path of [`${SECRET_LIST}/999`, `${SECRET_LIST}/latest?ref=none`, `${SECRET_LIST}/999/jobs`]) {
      const { status } = await scene.direct(path, READER);
      expect([403, 404]).toContain(status);
      const questions = await scene.questions(async () => {
        for (let time = 0; time < 3; time++) expect((await scene.get(path, READER)).status).toBe(status);
      });
      expect([path, questions]).toEqual([path, 1]);
      // Neither this asker's other names nor this name of other askers are known to be refused by it
      expect((await scene.get(`${SECRET_LIST}/21`, READER)).status).toBe(200);
      expect((await scene.get(`${SECRET_LIST}/21/jobs`, READER)).status).toBe(200);
      expect(
        await scene.questions(async () => {
          expect((await scene.get(path, { authorization: "Bearer glpat-reader" })).status).toBe(status);
        }),
      ).toBeLessThanOrEqual(1);
      await scene.advance(10_000);
      expect(await scene.questions(async () => await scene.get(path, READER))).toBe(1);
    }
  });

  it("what is denied costs a question in ten seconds, and strangers write nothing to KV", async () => {
    await scene.get(SECRET_LIST, READER);
    await scene.settle();
    const before = await scene.harness.kvCalls();
    const questions = await scene.questions(async () => {
      for (let count = 0; count < 10; count++)
        for (const path of [
          SECRET_LIST,
          `${SECRET_LIST}/21`,
          `${SECRET_LIST}/latest`,
          `${SECRET_LIST}/21/jobs`,
        ])
          expect([401, 404]).toContain(
            (await scene.get(path, { "PRIVATE-TOKEN": `random-${count}` })).status,
          );
    });
    expect(questions).toBeLessThanOrEqual(40); // one for each name of each at most
    expect((await scene.harness.kvCalls()).kvPuts).toBe(before.kvPuts);
    const again = await scene.questions(async () => {
      for (let time = 0; time < 5; time++) await scene.get(SECRET_LIST, { "PRIVATE-TOKEN": "random-1" });
    });
    expect(again).toBe(0);
    await scene.advance(10_000);
    expect(
      await scene.questions(async () => await scene.get(SECRET_LIST, { "PRIVATE-TOKEN": "random-1" })),
    ).toBe(1);
  });
});
