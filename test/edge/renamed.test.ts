import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Forge } from "../../scripts/demo/demo.ts";
import { AGEING_MS, ask, SECRET, startScene, type Scene } from "./scene.ts";

/*
 * A project is moved, and another one takes its name: whoever may read the one that is there now is not shown the one that was.
 */

let scene: Scene;
let gitlab: Forge;
let project: string;
beforeAll(async () => {
  scene = await startScene({ bigFileBytes: 1024 });
  gitlab = scene.forge("gitlab");
});
beforeEach(async () => {
  await scene.fresh();
  gitlab.setMember("other", SECRET.gitlab, true);
  project = SECRET.gitlab;
  gitlab.renamed = (url) =>
    url.replace(/^\/moved\/name(?=[./])/, `/${project}`).replace("moved%2Fname", encodeURIComponent(project));
});
afterAll(async () => await scene.harness.close());

const MEMBER = { "PRIVATE-TOKEN": "glpat-reader" };
const COOKIE = { cookie: "_gitlab_session=session-reader" };
const PRIVATE = "# secret\n";

type Headers = Readonly<Record<string, string>>;

const WEB = (name: string, path: string) => `/moved/name/-/raw/${name}/${path}`;
const API = (name: string, path: string) =>
  `/api/v4/projects/moved%2Fname/repository/files/${path}/raw?ref=${name}`;

async function read(
  path: string,
  headers: Headers = {},
): Promise<{ status: number; text: string; caches: string }> {
  const { status, body, caches } = await ask(scene.harness.gitlab + path, { headers });
  return { status, text: body.toString(), caches: `${caches["grant"]}, ${caches["revision"]}` };
}

async function commitOf(): Promise<string> {
  return (await gitlab.objectId(SECRET.gitlab, "main")) ?? "";
}

describe.each([
  { form: "web, token", url: WEB, who: MEMBER },
  { form: "web, cookie", url: WEB, who: COOKIE },
  { form: "API", url: API, who: MEMBER },
])("a name that is given to another project ($form)", ({ url, who }) => {
  it.each([0, 10_000, 31_000, 3_600_000])("shows nothing of the one it was, %i ms later", async (ms) => {
    const pinned = url(await commitOf(), "README.md");
    const main = url("main", "README.md");
    for (const path of [main, pinned, main, pinned])
      expect(await read(path, who)).toMatchObject({ status: 200, text: PRIVATE });
    await scene.settle();
    project = "demo/hello"; // public, and its main is another commit
    await scene.advance(ms);
    for (const isNew of [false, true]) {
      if (isNew) await scene.harness.newIsolate();
      await read(url("feature/login", "README.md"));
      expect((await read(main)).text).not.toContain("secret");
      expect((await read(pinned)).status).toBe(404);
      expect((await read(url("feature/login", "README.md"))).status).toBe(200);
      expect((await read(main)).text).toContain("# Hello");
    }
  });

  it("shows the one that it is to those who could read the one it was, by their own right", async () => {
    const main = url("main", "README.md");
    expect(await read(main, who)).toMatchObject({ status: 200, text: PRIVATE });
    project = "demo/hello";
    await scene.advance(60_000);
    expect((await read(main, who)).text).toContain("# Hello");
  });
});

describe("a commit that is named in full", () => {
  it("is asked about behind the answers, once for all, while it is read", async () => {
    const path = `/demo/nested/secret/-/raw/${await commitOf()}/README.md`;
    expect((await read(path, MEMBER)).status).toBe(200);
    for (let second = 0; second < 130; second += 5) {
      await scene.advance(5000);
      const { status, caches } = await read(path, MEMBER);
      expect(status).toBe(200);
      expect(caches).not.toContain("fwd");
      await scene.settle();
    }
    const { total } = gitlab.counts();
    expect(total).toBeLessThanOrEqual(2 + 6 + 4); // at first; grants, each 20 to 25 s; whether it is there, each 40 s
  });

  it("is served while its origin does not answer, for as long as a grant lives", async () => {
    const path = `/demo/nested/secret/-/raw/${await commitOf()}/README.md`;
    const other = `/demo/nested/secret/-/raw/main/README.md`;
    expect((await read(path, MEMBER)).status).toBe(200);
    await scene.advance(29_000);
    expect((await read(other, MEMBER)).status).toBe(200);
    await scene.settle();
    await scene.advance(AGEING_MS);
    expect((await read(other, MEMBER)).status).toBe(200);
    await scene.settle();
    gitlab.intercept = (request) => {
      request.socket.destroy();
      return true;
    };
    await scene.advance(10_000); // it was last said to be there a minute ago
    expect(await read(path, MEMBER)).toMatchObject({ status: 200, text: PRIVATE });
    await scene.advance(31_000);
    expect((await read(path, MEMBER)).status).toBe(502);
  });
});
