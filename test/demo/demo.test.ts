import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startDemo } from "../../scripts/demo/demo.ts";
import { useDemo } from "./running-demo.ts";

const running = useDemo();
afterEach(() => vi.unstubAllEnvs());
const get = (path: string, init?: RequestInit) =>
  fetch(running.demo.gitlab.url + path, { redirect: "manual", ...init });
const secret = "/demo/nested/secret/-/raw/main/README.md";
const READER = { headers: { "PRIVATE-TOKEN": "glpat-reader" } };

describe("what tests change", () => {
  it("commit() changes, adds and deletes files on a branch old or new", async () => {
    const { gitlab } = running.demo;
    const first = await gitlab.commit("demo/hello", "topic/new", {
      "a b/ü.txt": "one\n",
      "README.md": undefined,
    });
    expect(await (await get(`/demo/hello/-/raw/topic/new/a%20b/%C3%BC.txt`)).text()).toBe("one\n");
    expect((await get("/demo/hello/-/raw/topic/new/README.md")).status).toBe(404);
    expect((await get("/demo/hello/-/raw/topic/new/docs/small.txt")).status).toBe(200);
    const [second, third] = await Promise.all([
      gitlab.commit("demo/hello", "topic/new", { "a b/ü.txt": new TextEncoder().encode("two\n") }),
      gitlab.commit("demo/hello", "topic/new", { "c.txt": "three\n" }),
    ]);
    expect(await gitlab.objectId("demo/hello", `${third}^`)).toBe(second);
    expect(await gitlab.objectId("demo/hello", `${second}^`)).toBe(first);
    expect(await (await get(`/demo/hello/-/raw/topic/new/a%20b/%C3%BC.txt`)).text()).toBe("two\n");
  });

  it("createTag() and deleteRef() take effect at both forges", async () => {
    const { gitlab, gitea } = running.demo;
    await gitea.createTag("demo/hello", "t", "refs/heads/main", true);
    expect((await get("/demo/hello/-/raw/t/README.md")).status).toBe(200);
    await gitlab.createTag("demo/hello", "t", "refs/heads/feature/login");
    expect(await (await get("/demo/hello/-/raw/t/README.md")).text()).toBe("# Hello, login\n");
    await gitlab.deleteRef("demo/hello", "refs/tags/t");
    expect((await get("/demo/hello/-/raw/t/README.md")).status).toBe(404);
  });

  it("addManyRefs() adds a hundred thousand, found at once", async () => {
    const { gitlab } = running.demo;
    await gitlab.addManyRefs("demo/other", 100_000);
    const headers = { "PRIVATE-TOKEN": "glpat-other" };
    expect((await get("/demo/other/-/raw/many/0099999/README.md", { headers })).status).toBe(200);
    expect((await get("/demo/other/-/raw/v1.0/README.md", { headers })).status).toBe(200);
    await gitlab.commit("demo/other", "many/0000001", { "new.txt": "new\n" });
    expect((await get("/demo/other/-/raw/many/0000001/new.txt", { headers })).status).toBe(200);
  });

  it("setVisibility(), setMember() and revokeToken() hold for one forge", async () => {
    const { gitlab } = running.demo;
    gitlab.setVisibility("demo/nested/secret", "public");
    expect((await get(secret)).status).toBe(200);
    gitlab.setVisibility("demo/nested/secret", "private");
    expect((await get(secret)).status).toBe(302);
    gitlab.setMember("reader", "demo/nested/secret", false);
    expect((await get(secret, READER)).status).toBe(404);
    gitlab.setMember("reader", "demo/nested/secret", true);
    gitlab.revokeToken("glpat-reader");
    expect((await get(secret, READER)).status).toBe(401);
    gitlab.restoreToken("glpat-reader");
    expect((await get(secret, READER)).status).toBe(200);
  });

  it("intercept takes a request, which still counts", async () => {
    const { gitlab } = running.demo;
    gitlab.intercept = (asked, response) => {
      if (asked.url?.includes("pass")) return false;
      response.writeHead(503).end("out of order");
      return true;
    };
    expect((await get(secret)).status).toBe(503);
    expect((await get("/pass")).status).toBe(404);
    gitlab.intercept = undefined;
    expect(gitlab.counts()).toMatchObject({ total: 2, "web:raw": 1, other: 1, denied: 0 });
  });

  it("authMs delays every decision about who may read", async () => {
    const { gitlab } = running.demo;
    gitlab.authMs = 60;
    const before = performance.now();
    await Promise.all([
      get(secret),
      get("/api/v4/projects/1"),
      get("/demo/hello.git/info/refs?service=git-upload-pack"),
    ]);
    const took = performance.now() - before;
    gitlab.authMs = 0;
    expect(took).toBeGreaterThan(55);
  });
});

describe("pages to pass through", () => {
  it("/-/demo/counts is not counted", async () => {
    await get("/");
    expect(await (await get("/-/demo/counts")).json()).toMatchObject({ total: 1, other: 1 });
    expect(running.demo.gitlab.counts().total).toBe(1);
  });

  it("/-/demo/echo sends the body back while it comes", async () => {
    // fetch() would read no answer before its body has ended.
    const asking = request(`${running.demo.gitlab.url}/-/demo/echo`, {
      method: "POST",
      headers: { "X-Test": "yes" },
    });
    asking.write("one");
    const [response] = (await once(asking, "response")) as [IncomingMessage];
    expect(response.headers["x-echo-x-test"]).toBe("yes");
    expect(String((await once(response, "data"))[0])).toBe("one");
    asking.write("two");
    expect(String((await once(response, "data"))[0])).toBe("two");
    asking.end();
    await once(response, "end");
  });

  it("/-/demo/gzip is compressed, and HTML is HTML", async () => {
    const response = await get("/-/demo/gzip");
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(await response.text()).toMatch(/^This text was compressed\n/);
    expect((await get("/users/sign_in")).headers.get("content-type")).toBe("text/html; charset=utf-8");
  });

  it("/-/demo/socket echoes text", async () => {
    const socket = new WebSocket(`${running.demo.gitlab.url.replace("http", "ws")}/-/demo/socket`);
    await once(socket, "open");
    for (const text of ["hello", "ü"]) {
      const message = once(socket, "message");
      socket.send(text);
      expect(((await message)[0] as MessageEvent).data).toBe(text);
    }
    const closed = once(socket, "close");
    socket.close(1000);
    expect(((await closed)[0] as CloseEvent).code).toBe(1000);
  });
});

it("close() ends open connections and forgets the repositories", async () => {
  const directory = await mkdtemp(join(tmpdir(), "forgefront-test-"));
  vi.stubEnv("TMPDIR", directory);
  const demo = await startDemo({ bigFileBytes: 64 * 1024 * 1024 });
  const socket = new WebSocket(`${demo.gitea.url.replace("http", "ws")}/-/demo/socket`);
  await once(socket, "open");
  const idle = connect(Number(new URL(demo.gitlab.url).port), "127.0.0.1");
  await once(idle, "connect");
  // Its body is left unread, so git is still writing.
  const download = await fetch(`${demo.gitlab.url}/demo/hello/-/raw/main/big/blob.bin`);
  await demo.close();
  await expect(download.arrayBuffer()).rejects.toThrow();
  await expect(fetch(demo.gitlab.url)).rejects.toThrow();
  expect(await readdir(directory)).toEqual([]);
  await rm(directory, { recursive: true });
});
