import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AGEING_MS, ask, startScene, type Scene } from "./scene.ts";

/*
 * Whoever has no right at all can make requests, each of which costs the owner what a request costs. Not more: no writes to KV.
 */

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ bigFileBytes: 1024 });
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.harness.close());

const REQUESTS = 12;
const PUBLIC_FILE = "/demo/hello/-/raw/main/README.md";
const made = (n: number) => `made-up-${n}`;

type Made = { readonly path: string; readonly headers?: Readonly<Record<string, string>> };

const GITLAB: readonly { readonly what: string; readonly make: (n: number) => Made }[] = [
  { what: "refs that are not there", make: (n) => ({ path: `/demo/hello/-/raw/${made(n)}/README.md` }) },
  {
    what: "refs that are not there, of the API",
    make: (n) => ({ path: `/api/v4/projects/1/repository/files/a/raw?ref=${made(n)}` }),
  },
  { what: "projects that are not there", make: (n) => ({ path: `/demo/${made(n)}/-/raw/main/README.md` }) },
  {
    what: "sessions",
    make: (n) => ({ path: PUBLIC_FILE, headers: { cookie: `_gitlab_session=${made(n)}` } }),
  },
  { what: "tokens", make: (n) => ({ path: PUBLIC_FILE, headers: { "PRIVATE-TOKEN": made(n) } }) },
  { what: "schemes", make: (n) => ({ path: PUBLIC_FILE, headers: { authorization: `Foo ${made(n)}` } }) },
  {
    what: "sessions for pipelines",
    make: (n) => ({
      path: "/api/v4/projects/1/pipelines",
      headers: { cookie: `_gitlab_session=${made(n)}` },
    }),
  },
];

async function kvPutsOf(base: string, make: (n: number) => Made): Promise<number> {
  const puts = async () => (await scene.harness.kvCalls()).kvPuts;
  const before = await puts();
  for (let n = 0; n < REQUESTS; n++) {
    const { path, headers = {} } = make(n);
    expect((await ask(base + path, { headers })).status).toBeLessThan(500);
  }
  await scene.settle();
  return (await puts()) - before;
}

/** What is really there may be remembered, however it was asked for: a few refs. */
const A_FEW = 2;

describe("strangers who make up", () => {
  it.each(GITLAB)("$what cause no writes to KV", async ({ make }) => {
    expect(await kvPutsOf(scene.harness.gitlab, make)).toBeLessThanOrEqual(A_FEW);
  });

  it("sessions, and come back with them, cause none where anybody may read", async () => {
    const sessions = GITLAB.find(({ what }) => what === "sessions");
    if (sessions === undefined) throw new Error("There are no sessions");
    await ask(scene.harness.gitlab + PUBLIC_FILE);
    await kvPutsOf(scene.harness.gitlab, sessions.make);
    await scene.advance(AGEING_MS);
    await ask(scene.harness.gitlab + PUBLIC_FILE);
    await scene.settle();
    expect(await kvPutsOf(scene.harness.gitlab, sessions.make)).toBeLessThanOrEqual(A_FEW);
  });

  it("branches of Gitea's, and its sessions, cause none", async () => {
    const { gitea } = scene.harness;
    const branch = (n: number) => ({ path: `/demo/hello/raw/branch/${made(n)}/x` });
    const session = (n: number) => ({
      path: "/demo/hello/raw/branch/main/README.md",
      headers: { cookie: `i_like_gitea=${made(n)}` },
    });
    expect(await kvPutsOf(gitea, branch)).toBeLessThanOrEqual(A_FEW);
    expect(await kvPutsOf(gitea, session)).toBeLessThanOrEqual(A_FEW);
  });
});
