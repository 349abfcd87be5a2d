import { createHash } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { PRIVATE_MARKER } from "../../scripts/demo/demo.ts";
import { basic, useDemo } from "./running-demo.ts";

const running = useDemo();
const get = (path: string, init?: RequestInit) =>
  fetch(`${running.demo.gitlab.url}/api/v4/projects/${path}`, init);
const READER = { "PRIVATE-TOKEN": "glpat-reader" };

describe("repository/files", () => {
  it("gives a file's facts for HEAD", async () => {
    const response = await get("1/repository/files/docs%2Fsmall.txt?ref=feature%2Flogin", {
      method: "HEAD",
    });
    const { gitlab } = running.demo;
    const content = await (await get("1/repository/files/docs%2Fsmall.txt/raw")).text();
    expect(content).toHaveLength(4096);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "x-gitlab-blob-id": await gitlab.objectId("demo/hello", "main:docs/small.txt"),
      "x-gitlab-commit-id": await gitlab.objectId("demo/hello", "refs/heads/feature/login"),
      "x-gitlab-last-commit-id": await gitlab.objectId("demo/hello", "refs/tags/v1.0"),
      "x-gitlab-content-sha256": createHash("sha256").update(content).digest("hex"),
      "x-gitlab-encoding": "base64",
      "x-gitlab-execute-filemode": "false",
      "x-gitlab-file-name": "small.txt",
      "x-gitlab-file-path": "docs/small.txt",
      "x-gitlab-ref": "feature/login",
      "x-gitlab-size": "4096",
    });
    expect(gitlab.counts()).toMatchObject({
      total: 2,
      "api:head-file": 1,
      "api:raw": 1,
      bytes: 4096,
    });
  });

  it("gives facts and content as JSON", async () => {
    const response = await get("demo%2Fnested%2Fsecret/repository/files/config%2Fprivate.txt", {
      headers: READER,
    });
    const file = (await response.json()) as { content: string; size: number; ref: string };
    const content = Buffer.from(file.content, "base64").toString();
    expect(file).toMatchObject({
      file_path: "config/private.txt",
      size: 4096,
      ref: "HEAD",
      execute_filemode: false,
    });
    expect(content).toHaveLength(4096);
    expect(content).toContain(PRIVATE_MARKER);
  });

  it("gives raw bytes without a validator, not to be stored", async () => {
    const { headers } = await get("2/repository/files/README.md/raw?ref=main&lfs=true", {
      headers: READER,
    });
    expect(headers.get("etag")).toBeNull();
    expect(headers.get("cache-control")).toBe("max-age=0, private, must-revalidate, no-store");
    expect(headers.get("x-gitlab-blob-id")).toMatch(/^[0-9a-f]{40}$/);
  });

  it("knows executables and names outside ASCII", async () => {
    const executable = await get("1/repository/files/bin%2Fhello", { method: "HEAD" });
    expect(executable.headers.get("x-gitlab-execute-filemode")).toBe("true");
    const named = await get("1/repository/files/docs%2Fgr%C3%BC%C3%9Fe%2Fna%C3%AFve%20file.txt", {
      method: "HEAD",
    });
    expect(Buffer.from(named.headers.get("x-gitlab-file-name") ?? "", "latin1").toString()).toBe(
      "naïve file.txt",
    );
  });

  test.for([
    ["both", "both as a tag\n"],
    ["refs/heads/both", "both as a branch\n"],
  ])("ref=%s", async ([ref, content]) => {
    expect(await (await get(`1/repository/files/both.txt/raw?ref=${ref}`)).text()).toBe(content);
  });

  test.for([
    ["1/repository/files/missing.txt/raw", "404 File Not Found"],
    ["1/repository/files/docs/raw", "404 File Not Found"],
    ["1/repository/files/README.md/raw?ref=missing", "404 Commit Not Found"],
    ["9/repository/files/README.md/raw", "404 Project Not Found"],
    ["2/repository/files/README.md/raw", "404 Project Not Found"],
  ])("%s: %s", async ([path = "", message]) => {
    const response = await get(path);
    expect([response.status, await response.json()]).toEqual([404, { message }]);
  });
});

it("gives a blob by its id", async () => {
  const oid = await running.demo.gitlab.objectId("demo/hello", "main:README.md");
  const raw = await (await get(`1/repository/blobs/${oid}/raw`)).text();
  const json = (await (await get(`1/repository/blobs/${oid}`)).json()) as { content: string };
  expect(Buffer.from(json.content, "base64").toString()).toBe(raw);
  expect((await get("1/repository/blobs/0000000000000000000000000000000000000000/raw")).status).toBe(404);
  expect(running.demo.gitlab.counts()["api:blob"]).toBe(3);
});

it("lists branches by page", async () => {
  const response = await get("1/repository/branches?per_page=2&page=2");
  const names = ((await response.json()) as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual(["feature/login-page", "main"]);
  expect(response.headers.get("x-total")).toBe("5");
});

it("describes a project", async () => {
  expect(await (await get("demo%2Fhello")).json()).toMatchObject({
    id: 1,
    path_with_namespace: "demo/hello",
    default_branch: "main",
    visibility: "public",
  });
});

describe("who may read", () => {
  test.for<[string, string, Record<string, string>, number]>([
    ["PRIVATE-TOKEN", "", READER, 200],
    ["Bearer", "", { Authorization: "Bearer glpat-reader" }, 200],
    ["JOB-TOKEN", "", { "JOB-TOKEN": "job-reader" }, 200],
    ["Deploy-Token", "", { "Deploy-Token": "gldt-secret" }, 200],
    ["private_token", "?private_token=glpat-reader", {}, 200],
    ["session", "", { Cookie: "_gitlab_session=session-reader" }, 200],
    ["Basic, which the API does not take", "", basic("reader", "password"), 404],
    ["a static object token, which the API does not take", "?token=static-reader", {}, 404],
    ["a token of another project", "", { "PRIVATE-TOKEN": "glpat-other" }, 404],
    ["an unknown token", "", { "PRIVATE-TOKEN": "glpat-unknown" }, 401],
    ["an expired token", "", { "PRIVATE-TOKEN": "glpat-expired" }, 401],
  ])("%s", async ([, query, headers, status]) => {
    expect((await get(`2${query}`, { headers })).status).toBe(status);
    expect(running.demo.gitlab.counts().denied).toBe(status === 200 ? 0 : 1);
  });
});
