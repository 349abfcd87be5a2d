import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { breakBodies, half } from "./origin-faults.ts";
import { AGEING_MS, ask, startScene, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  // So long that no list is renewed behind a read while the tests run
  scene = await startScene({ bigFileBytes: 1024, vars: { PIPELINES_FRESH_S: 60 } });
  scene.harness.store.createBucket("shared", { visibility: "public" });
  for (const key of ["a.txt", "b/1.txt", "b/2.txt"]) scene.harness.store.put("shared", key, `at ${key}`);
  await scene.fresh();
});
afterAll(async () => await scene.harness.close());

type Headers = Readonly<Record<string, string>>;
type SiteName = "gitlab" | "gitea" | "s3";
type Item = { readonly kind: string; readonly name: string; readonly where: string };
type Purged = {
  readonly purged: object;
  readonly dry_run: boolean;
  readonly names?: readonly string[];
  readonly note?: string;
  readonly items: readonly Item[];
  readonly more: number;
  readonly complete: boolean;
  readonly detail?: string;
};

const READER = { "PRIVATE-TOKEN": "glpat-reader" };
const TWO = { "x-test-isolate": "two" };

const bearer = () => ({ authorization: `Bearer ${scene.harness.controlToken}` });

async function send(site: SiteName, body: BodyInit, headers: Headers = bearer()): Promise<Response> {
  const url = `${scene.harness[site]}/-/forgefront/purge`;
  return await fetch(url, { method: "POST", headers, body, duplex: "half" } as RequestInit);
}

async function purge(site: SiteName, body: object): Promise<Purged> {
  const response = await send(site, JSON.stringify(body));
  expect(response.status).toBe(200);
  expect(response.headers.get("cache-control")).toBe("no-store");
  return (await response.json()) as Purged;
}

const API = "/api/v4/projects";
/** What is read of the GitLab-shaped site, each in a way that no other one's answer helps. */
const READS: Readonly<Record<string, { readonly path: string; readonly headers?: Headers }>> = {
  file: { path: "/demo/hello/-/raw/main/README.md" },
  tag: { path: "/demo/hello/-/raw/v1.0/README.md" },
  api: { path: `${API}/1/repository/files/README.md/raw?ref=main` },
  secret: { path: "/demo/nested/secret/-/raw/main/config/private.txt", headers: READER },
  list: { path: `${API}/demo%2Fhello/pipelines` },
  pipeline: { path: `${API}/demo%2Fhello/pipelines/11` },
  jobs: { path: `${API}/demo%2Fhello/pipelines/11/jobs` },
  another: { path: `${API}/demo%2Fhello/pipelines/12` },
};
const LISTS = ["list", "pipeline", "jobs", "another"];
const OBJECTS = {
  a: "/shared/a.txt",
  one: "/shared/b/1.txt",
  two: "/shared/b/2.txt",
  other: "/public/hello.txt",
};

async function read(name: string, more: Headers = {}): Promise<Buffer> {
  const { path, headers = {} } = READS[name] ?? { path: "" };
  const { status, body } = await ask(scene.harness.gitlab + path, { headers: { ...headers, ...more } });
  expect([name, status]).toEqual([name, 200]);
  return body;
}

async function readObject(name: keyof typeof OBJECTS): Promise<void> {
  expect((await ask(scene.harness.s3 + OBJECTS[name])).status).toBe(200);
}

async function readAll(more: Headers = {}): Promise<void> {
  for (const name of Object.keys(READS)) await read(name, more);
  await scene.settle();
}

/** All is known, in KV as well. */
async function warm(): Promise<void> {
  await readAll();
  await scene.advance(AGEING_MS);
  await readAll();
}

/** Which reads ask the origin something. */
async function askingReads(more: Headers = {}): Promise<readonly string[]> {
  const asking: string[] = [];
  for (const name of Object.keys(READS)) {
    const before = scene.forge("gitlab").counts().total;
    await read(name, more);
    if (scene.forge("gitlab").counts().total > before) asking.push(name);
  }
  await scene.settle();
  return asking;
}

const HEX = /[0-9a-f]{64}/;
const kindsOf = ({ items }: Purged, where = "memory") =>
  [...new Set(items.filter((item) => item.where === where).map(({ kind }) => kind))].toSorted();

describe("who may purge", () => {
  it("nobody without the control token", async () => {
    const { items } = await purge("s3", { bucket: "shared", dry_run: true });
    expect(items).toEqual([]);
    await readObject("a");
    const wrong = [
      {},
      { authorization: "Bearer wrong" },
      { authorization: `Basic ${scene.harness.controlToken}` },
    ];
    for (const headers of [...wrong, { authorization: "Bearer" }, READER] as Headers[]) {
      const response = await send("s3", '{"bucket":"shared"}', headers);
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe('Bearer realm="forgefront"');
      expect(response.headers.get("content-type")).toBe("application/problem+json");
    }
    const before = scene.harness.store.counts().total;
    await readObject("a");
    expect(scene.harness.store.counts().total).toBe(before);
  });

  it.each(["GET", "PUT", "DELETE", "HEAD", "OPTIONS"])("nobody by %s", async (method) => {
    const response = await fetch(`${scene.harness.gitlab}/-/forgefront/purge`, { method, headers: bearer() });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });
});

describe("a purge that cannot be read", () => {
  it.each([
    ["gitlab", "", "purge_malformed", /body/],
    ["gitlab", '{"project":"demo/hello","refs":"main"}', "purge_malformed", /"refs"/],
    ["gitea", '{"project":"demo/hello","pipeline":1}', "purge_malformed", /^pipeline/],
    ["s3", '{"project":"demo/hello"}', "purge_malformed", /^project/],
  ] as const)("of %s is refused: %s", async (site, body, problem, detail) => {
    const response = await send(site, body);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json()).toMatchObject({
      type: `urn:forgefront:problem:${problem}`,
      status: 400,
      detail: expect.stringMatching(detail),
    });
  });

  it("for its length is refused, whether that is told or not", async () => {
    const body = JSON.stringify({ project: "demo/hello", ref: "x".repeat(64 * 1024) });
    expect((await send("gitlab", body)).status).toBe(413);
    expect((await send("gitlab", new Blob([body]).stream())).status).toBe(413);
    const most = JSON.stringify({ project: "demo/hello" }).padEnd(64 * 1024);
    expect((await send("gitlab", most)).status).toBe(200);
  });
});

describe("after a purge the origin is asked", () => {
  beforeAll(async () => await warm()); // and after each row all is warm again

  const all = Object.keys(READS);
  const rows: [body: object, asking: readonly string[]][] = [
    [{ project: "Demo/Hello" }, all.filter((name) => name !== "secret")],
    [{ project: 1 }, all.filter((name) => name !== "secret")],
    [{ project: "demo/nested/secret" }, ["secret"]],
    [{ project: "demo/hello", ref: "refs/tags/v1.0" }, ["tag"]],
    [{ project: "demo/hello", ref: "main" }, ["file", "tag", "api"]],
    [{ project: "demo/hello", pipelines: true }, LISTS],
    [{ project: "demo/hello", pipeline: 11 }, ["pipeline", "jobs"]],
    [{ project: 1, pipeline: "12" }, ["another"]],
    [{ group: "demo" }, all],
    // All that is known by a number may be below the group
    [{ group: "demo/nested" }, ["api", "secret", ...LISTS]],
    [{ project: "demo/other" }, []],
  ];

  it.each(rows)("of %j and nothing else", async (body, asking) => {
    expect(await purge("gitlab", body)).toMatchObject({ purged: body, dry_run: false });
    expect((await askingReads()).toSorted()).toEqual([...asking].toSorted());
  });

  it("of a Gitea project", async () => {
    const url = `${scene.harness.gitea}/demo/hello/raw/branch/main/README.md`;
    const total = () => scene.forge("gitea").counts().total;
    for (let time = 0; time < 2; time++) expect((await ask(url)).status).toBe(200);
    await scene.settle();
    for (const body of [
      { project: "demo/hello" },
      { project: "demo/hello", ref: "main" },
      { group: "demo" },
    ]) {
      const before = total();
      expect((await purge("gitea", body)).note).toBeUndefined();
      await ask(url);
      expect(total()).toBeGreaterThan(before);
      await scene.settle();
    }
    const before = total();
    await purge("gitlab", { project: "demo/hello" });
    await ask(url);
    expect(total()).toBe(before);
  });

  it.each([
    [{ bucket: "shared", key: "a.txt" }, ["a"]],
    [{ bucket: "shared", prefix: "b/" }, ["one", "two"]],
    [{ bucket: "shared" }, ["a", "one", "two"]],
    [{ bucket: "shared", prefix: "nothing" }, []],
  ])("of objects by %j and nothing else", async (body, asking) => {
    const names = ["a", "one", "two", "other"] as const;
    for (let time = 0; time < 2; time++) for (const name of names) await readObject(name);
    const items = (await purge("s3", { ...body, dry_run: true })).items;
    const listed = names.filter((name) => items.some((item) => `/${item.name}` === OBJECTS[name]));
    expect(listed).toEqual(asking);
    expect(items.every(({ kind }) => kind === "object")).toBe(true);
    await purge("s3", body);
    const asked: string[] = [];
    for (const name of names) {
      const before = scene.harness.store.counts().total;
      await readObject(name);
      if (scene.harness.store.counts().total > before) asked.push(name);
    }
    expect(asked).toEqual(asking);
  });

  it("who was refused before", async () => {
    const url = `${scene.harness.gitlab}/demo/nested/secret/-/raw/main/config/private.txt`;
    const headers = { "PRIVATE-TOKEN": "glpat-other" };
    expect((await ask(url, { headers })).status).not.toBe(200);
    scene.forge("gitlab").setMember("other", "demo/nested/secret", true);
    expect((await ask(url, { headers })).status).not.toBe(200);
    const { items } = await purge("gitlab", { project: "demo/nested/secret" });
    expect(items).toContainEqual({
      kind: "denial",
      name: "demo/nested/secret (web): an asker",
      where: "memory",
    });
    expect((await ask(url, { headers })).status).toBe(200);
  });
});

describe("a dry run", () => {
  beforeAll(async () => {
    await scene.fresh();
    await warm();
  });

  it("changes nothing, and lists what would go in words", async () => {
    await ask(`${scene.harness.gitlab}/demo/hello/-/raw/main/none.txt`);
    await scene.settle();
    const answer = await purge("gitlab", { project: "demo/hello", dry_run: true });
    expect(answer).toMatchObject({
      purged: { project: "demo/hello" },
      dry_run: true,
      names: ["demo/hello", "1"],
      more: 0,
      complete: true,
    });
    expect(kindsOf(answer)).toEqual(["denial", "entry", "grant", "list", "number", "revision"]);
    expect(kindsOf(answer, "kv")).toEqual(["grant", "revision"]);
    const memory = (kind: string, name: string) => ({ kind, name, where: "memory" });
    expect(answer.items).toEqual(
      expect.arrayContaining([
        memory("grant", "demo/hello (web): anonymous"),
        memory("revision", "demo/hello (web): refs main"),
        memory("revision", "1 (api): ref main"),
        memory("list", "1 (pipelines): pipeline 11"),
        memory("list", "1 (pipelines): jobs 11"),
        { ...memory("grant", "demo/hello (web): anonymous"), where: "kv" },
      ]),
    );
    expect(JSON.stringify(answer)).not.toMatch(HEX);
    expect(JSON.stringify(answer)).not.toContain("nested");
    expect(await askingReads()).toEqual([]);
  });

  it("shows no asker, and what is gone no more", async () => {
    const body = { project: "demo/nested/secret", dry_run: true };
    const before = await purge("gitlab", body);
    const grant = { kind: "grant", name: "demo/nested/secret (web): an asker" };
    expect(before.items).toContainEqual({ ...grant, where: "memory" });
    expect(before.items).toContainEqual({ ...grant, where: "kv" });
    expect(JSON.stringify(before)).not.toMatch(HEX);
    const done = await purge("gitlab", { project: "demo/nested/secret" });
    expect({ ...done, dry_run: true }).toEqual(before);
    expect(kindsOf(await purge("gitlab", body))).toEqual([]);
    expect(await askingReads()).toEqual(["secret"]);
  });

  it("of one ref, pipeline or group lists that alone", async () => {
    const listed = async (body: object) =>
      (await purge("gitlab", { ...body, dry_run: true })).items
        .filter(({ kind, where }) => where === "memory" && kind !== "denial")
        .map(({ name }) => name);
    const tag = { project: "demo/hello", ref: "refs/tags/v1.0" };
    expect(await listed(tag)).toEqual(["demo/hello (web): refs v1.0"]);
    expect(await listed({ project: "demo/hello", pipeline: 12 })).toEqual(["1 (pipelines): pipeline 12"]);
    expect(await listed({ project: "demo/other" })).toEqual([]);
    const nested = await listed({ group: "demo/nested" });
    expect(nested.some((name) => name.startsWith("demo/nested/secret"))).toBe(true);
    expect(nested.some((name) => name.startsWith("demo/hello"))).toBe(false);
  });

  it("says that KV could not be asked, or that the project's other name is not known", async () => {
    await scene.harness.world({ kv: "failing" });
    const answer = await purge("gitlab", { project: "demo/nested/secret", dry_run: true });
    await scene.harness.world({ kv: "ok" });
    expect(answer).toMatchObject({ complete: false, names: ["demo/nested/secret"] });
    expect(answer.note).toContain("no other is known");
    expect(kindsOf(answer)).toEqual(["entry", "grant", "revision"]);
  });
});

describe("another isolate of the colo", () => {
  beforeAll(async () => {
    await scene.fresh();
    await warm();
  });

  it("knows within a second", async () => {
    await readAll(TWO);
    expect(await askingReads(TWO)).toEqual([]);
    await purge("gitlab", { project: "demo/nested/secret" });
    await purge("gitlab", { project: "demo/hello", pipeline: 11 });
    await scene.advance(1000);
    expect(await askingReads(TWO)).toEqual(["secret", "pipeline", "jobs"]);
  });

  it("that is new finds nothing of before in the colo or KV", async () => {
    await purge("gitlab", { group: "demo" });
    expect(await askingReads({ "x-test-isolate": "new" })).toEqual(Object.keys(READS));
  });
});

describe("what began before a purge", () => {
  it("does not show after it: a body that was still being read", async () => {
    const gitlab = scene.forge("gitlab");
    const ref = scene.name("slow");
    await gitlab.commit("demo/hello", ref, { "slow.txt": "old bytes\n" });
    const url = `${scene.harness.gitlab}/demo/hello/-/raw/${ref}/slow.txt`;
    const [begun, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    breakBodies(
      gitlab,
      (response, { status, headers, body }) => {
        response.writeHead(status, headers).write(half(body));
        begun.resolve();
        void open.promise.then(() => response.end(body.subarray(half(body).length)));
      },
      1,
    );
    const slow = ask(url);
    await begun.promise;
    await gitlab.commit("demo/hello", ref, { "slow.txt": "new bytes\n" });
    await purge("gitlab", { project: "demo/hello" });
    const asked = gitlab.counts()["git:ls-refs"];
    expect((await ask(url)).body.toString()).toBe("new bytes\n");
    expect(gitlab.counts()["git:ls-refs"]).toBe(asked + 1);
    open.resolve();
    expect((await slow).body.toString()).toBe("old bytes\n");
    await scene.settle();
    for (const more of [{}, TWO])
      expect((await ask(url, { headers: more })).body.toString()).toBe("new bytes\n");
  });
});
