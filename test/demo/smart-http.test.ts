import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { basic, useDemo } from "./running-demo.ts";

const running = useDemo();
let home = "";
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "forgefront-test-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

async function git(...args: string[]): Promise<string> {
  const identity = {
    GIT_AUTHOR_NAME: "Test",
    GIT_AUTHOR_EMAIL: "test@example.com",
    GIT_COMMITTER_NAME: "Test",
    GIT_COMMITTER_EMAIL: "test@example.com",
  };
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    ...identity,
  };
  const { stdout } = await promisify(execFile)("git", args, { cwd: home, env });
  return stdout;
}

const withUser = (url: string, user: string) => url.replace("http://", `http://${user}@`);

describe.each(["gitlab", "gitea"] as const)("git at %s", (name) => {
  const secret = name === "gitlab" ? "demo/nested/secret" : "demo/secret";
  const user = name === "gitlab" ? "oauth2:glpat-reader" : "reader:gitea-reader";

  it("clones a public project", async () => {
    const forge = running.demo[name];
    await git("clone", "--quiet", `${forge.url}/demo/hello.git`, `${name}-hello`);
    expect(await readFile(join(home, `${name}-hello/docs/changes.txt`), "utf8")).toBe("A large file came\n");
    expect(forge.counts()).toMatchObject({
      "git:capabilities": 1,
      "git:ls-refs": 1,
      "git:fetch": 1,
      denied: 0,
      total: 3,
    });
  });

  it("clones, pushes and fetches a private project", async () => {
    const forge = running.demo[name];
    const work = `${name}-secret`;
    await git("clone", "--quiet", withUser(`${forge.url}/${secret}.git`, user), work);
    await git("-C", work, "switch", "--quiet", "--create", `${name}/pushed`);
    await writeFile(join(home, work, "new.txt"), "new\n");
    await git("-C", work, "add", "new.txt");
    await git("-C", work, "commit", "--quiet", "--message", "Add a file");
    await git("-C", work, "push", "--quiet", "origin", "HEAD");
    expect(forge.counts()["git:push"]).toBe(1);
    expect(await forge.objectId(secret, `refs/heads/${name}/pushed`)).toBe(
      (await git("-C", work, "rev-parse", "HEAD")).trim(),
    );
  });

  it("takes a push in chunks", async () => {
    const forge = running.demo[name];
    const work = `${name}-chunked`;
    await git("clone", "--quiet", withUser(`${forge.url}/${secret}.git`, user), work);
    await writeFile(join(home, work, "large.bin"), Buffer.alloc(300_000, "0123456789"));
    await git("-C", work, "add", "large.bin");
    await git("-C", work, "-c", "core.compression=0", "commit", "--quiet", "--message", "Add a large file");
    await git(
      "-C",
      work,
      "-c",
      "core.compression=0",
      "-c",
      "http.postBuffer=1000",
      "push",
      "--quiet",
      "origin",
      `HEAD:${name}/chunked`,
    );
    expect(await forge.objectId(secret, `refs/heads/${name}/chunked:large.bin`)).toBeDefined();
  });

  it("refuses a clone of a private project", async () => {
    const forge = running.demo[name];
    await expect(git("clone", `${forge.url}/${secret}.git`, "no")).rejects.toThrow(/could not read Username/);
    await expect(git("clone", withUser(`${forge.url}/${secret}.git`, "x:unknown"), "no")).rejects.toThrow(
      /Authentication failed/,
    );
    await expect(
      git(
        "clone",
        withUser(`${forge.url}/${secret}.git`, user.replace("reader", "other").replace("-reader", "-other")),
        "no",
      ),
    ).rejects.toThrow(/not found/);
  });

  it("refuses a push by anybody and by a stranger", async () => {
    const forge = running.demo[name];
    const ask = (headers: Record<string, string>) =>
      fetch(`${forge.url}/demo/hello.git/info/refs?service=git-receive-pack`, { headers });
    const stranger = name === "gitlab" ? basic("oauth2", "glpat-other") : basic("x", "gitea-other");
    expect((await ask({})).status).toBe(401);
    expect((await ask(stranger)).status).toBe(name === "gitlab" ? 403 : 404);
  });

  it("answers ls-refs in gzip, in chunks, and an empty probe", async () => {
    const forge = running.demo[name];
    const command = "0014command=ls-refs\n00010009peel\n001bref-prefix refs/heads/\n0000";
    const post = (body: BodyInit, headers: Record<string, string>) =>
      fetch(`${forge.url}/demo/hello.git/git-upload-pack`, {
        method: "POST",
        body,
        headers: {
          "Content-Type": "application/x-git-upload-pack-request",
          "Git-Protocol": "version=2",
          ...headers,
        },
        duplex: "half",
      } as RequestInit);
    const plain = await (await post(command, {})).text();
    expect(plain).toContain("refs/heads/feature/login\n");
    expect(await (await post(gzipSync(command), { "Content-Encoding": "gzip" })).text()).toBe(plain);
    expect(await (await post(new Blob([command]).stream(), {})).text()).toBe(plain);
    expect(forge.counts()["git:ls-refs"]).toBe(3);
    expect((await post("0000", {})).status).toBe(200);
    expect((await post("", {})).status).toBeLessThan(600);
    expect(forge.counts()["git:fetch"]).toBe(2);
  });
});

describe("GitLab's smart HTTP", () => {
  const refs = (project: string, headers: Record<string, string>) =>
    fetch(`${running.demo.gitlab.url}/${project}/info/refs?service=git-upload-pack`, {
      headers,
      redirect: "manual",
    });

  test.for<[string, Record<string, string>, number]>([
    ["a token", basic("oauth2", "glpat-reader"), 200],
    ["a token under any name", basic("anything", "glpat-reader"), 200],
    ["a job token", basic("gitlab-ci-token", "job-reader"), 200],
    ["a deploy token", basic("gitlab+deploy-token-1", "gldt-secret"), 200],
    ["a password", basic("reader", "password"), 200],
    ["a deploy token without its name", { "Deploy-Token": "gldt-secret" }, 401],
    ["a deploy token under another name", basic("oauth2", "gldt-secret"), 401],
    ["PRIVATE-TOKEN, which is no Basic", { "PRIVATE-TOKEN": "glpat-reader" }, 401],
    ["a session, which does not count", { Cookie: "_gitlab_session=session-reader" }, 401],
    ["a token of another project", basic("oauth2", "glpat-other"), 404],
  ])("%s", async ([, headers, status]) => {
    expect((await refs("demo/nested/secret.git", headers)).status).toBe(status);
  });

  it("words its denials as GitLab does", async () => {
    for (const project of ["demo/nested/secret.git", "demo/missing.git"]) {
      const response = await refs(project, {});
      expect(response.headers.get("www-authenticate")).toBe('Basic realm="GitLab"');
      expect(await response.text()).toBe("HTTP Basic: Access denied\n");
    }
  });

  it("wants the suffix .git", async () => {
    const response = await refs("demo/hello", {});
    expect(response.status).toBe(301);
    expect(response.headers.get("location")).toBe(
      `${running.demo.gitlab.url}/demo/hello.git/info/refs?service=git-upload-pack`,
    );
  });
});

it("Gitea needs no suffix", async () => {
  const refs = await git("ls-remote", `${running.demo.gitea.url}/demo/hello`, "refs/heads/main");
  expect(refs).toContain("refs/heads/main");
});
