import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { quietPort } from "../../scripts/servers/quiet-port.ts";
import { startHarness, type Harness } from "./harness.ts";
import { startEdge } from "./start-edge.ts";

let harness: Harness;
let directory = "";

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "forgefront-git-"));
  harness = await startHarness({ bigFileBytes: 3_000_000 });
});
afterEach(() => {
  harness.demo.gitlab.intercept = undefined;
});
afterAll(async () => {
  await harness.close();
  await rm(directory, { recursive: true, force: true });
});

type Site = "gitlab" | "gitea";
const SITES: readonly Site[] = ["gitlab", "gitea"];
const SECRET = { gitlab: "demo/nested/secret", gitea: "demo/secret" };
const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

async function git(...parameters: string[]): Promise<string> {
  const env = {
    PATH: process.env["PATH"],
    HOME: directory,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_AUTHOR_NAME: "A",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "C",
    GIT_COMMITTER_EMAIL: "c@example.com",
  };
  return (await promisify(execFile)("git", parameters, { env, cwd: directory })).stdout.trim();
}

/** A request with the path and the headers exactly as given; nothing is decoded. */
async function send(
  url: string,
  options: { method?: string; headers?: OutgoingHttpHeaders; body?: Uint8Array | string } = {},
): Promise<{ status: number; headers: IncomingMessage["headers"]; body: Buffer }> {
  const { method = "GET", headers = {}, body } = options;
  const outgoing = httpRequest(url, { method, headers, agent: false });
  outgoing.end(body);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
}

describe.each(SITES)("git through the edge, %s", (site) => {
  const forge = () => harness.demo[site];
  const withUser = (user: string, project: string) =>
    `${harness[site].replace("//", `//${user}@`)}/${project}.git`;
  const user = site === "gitlab" ? "oauth2:glpat-reader" : "reader:password";

  it("does clone and fetch a public project", async () => {
    const clone = join(directory, `${site}-public`);
    await git("clone", "--quiet", `${harness[site]}/demo/hello.git`, clone);
    expect(await git("-C", clone, "rev-parse", "HEAD")).toBe(await forge().objectId("demo/hello", "main"));
    expect((await readFile(join(clone, "big/blob.bin"))).length).toBe(3_000_000);
    const branches = await git("-C", clone, "branch", "--remotes");
    expect(branches).toContain("origin/release/1.x/hotfix");
    const commit = await forge().commit("demo/hello", `${site}-news`, { "news.txt": "news\n" });
    await git("-C", clone, "fetch", "--quiet");
    expect(await git("-C", clone, "rev-parse", `origin/${site}-news`)).toBe(commit);
  });

  it("does clone a private project with credentials in the URL, in a header, and not without", async () => {
    const project = SECRET[site];
    const main = await forge().objectId(project, "main");
    const byUrl = join(directory, `${site}-by-url`);
    await git("clone", "--quiet", withUser(user, project), byUrl);
    expect(await git("-C", byUrl, "rev-parse", "HEAD")).toBe(main);
    const byHeader = join(directory, `${site}-by-header`);
    const header = `http.extraHeader=Authorization: ${basic(user)}`;
    await git("-c", header, "clone", "--quiet", "--depth=1", `${harness[site]}/${project}.git`, byHeader);
    expect(await git("-C", byHeader, "rev-parse", "HEAD")).toBe(main);
    for (const url of [`${harness[site]}/${project}.git`, withUser("oauth2:wrong", project)]) {
      await expect(git("clone", "--quiet", url, join(directory, "never"))).rejects.toThrow(
        /Username|Authentication failed/,
      );
    }
  });

  it("does push more than git holds in memory, and show it at once", async () => {
    const clone = join(directory, `${site}-push`);
    await git("clone", "--quiet", "--depth=1", withUser(user, "demo/hello"), clone);
    const bytes = randomBytes(2_500_000);
    await writeFile(join(clone, "pushed.bin"), bytes);
    await git("-C", clone, "checkout", "--quiet", "-b", `${site}-pushed`);
    await git("-C", clone, "add", "pushed.bin");
    await git("-C", clone, "commit", "--quiet", "-m", "Push");
    forge().resetCounts();
    await git("-C", clone, "push", "--quiet", "origin", `${site}-pushed`);
    expect(forge().counts()["git:push"]).toBeGreaterThanOrEqual(1);
    const commit = await git("-C", clone, "rev-parse", "HEAD");
    expect(await forge().objectId("demo/hello", `${site}-pushed`)).toBe(commit);
    const form = site === "gitlab" ? "-/raw" : "raw/branch";
    const response = await fetch(`${harness[site]}/demo/hello/${form}/${site}-pushed/pushed.bin`);
    const received = Buffer.from(await response.arrayBuffer());
    expect(createHash("sha256").update(received).digest("hex")).toBe(
      createHash("sha256").update(bytes).digest("hex"),
    );
  });

  it("does not push without permission", async () => {
    const clone = join(directory, `${site}-refused`);
    await git("clone", "--quiet", "--depth=1", `${harness[site]}/demo/hello.git`, clone);
    await expect(git("-C", clone, "push", "--quiet", "origin", "HEAD:refs/heads/no")).rejects.toThrow(
      /Username/,
    );
    expect(await forge().objectId("demo/hello", "refs/heads/no")).toBeUndefined();
  });
});

describe.each(SITES)("all else at %s", (site) => {
  const echo = () => `${harness[site]}/-/demo/echo`;

  it("bodies do stream both ways: the answer begins before the request ends", async () => {
    const outgoing = httpRequest(echo(), { method: "POST", agent: false });
    outgoing.write("first");
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    const pieces = response.setEncoding("latin1")[Symbol.asyncIterator]() as AsyncIterator<string>;
    expect((await pieces.next()).value).toBe("first");
    outgoing.write("second");
    expect((await pieces.next()).value).toBe("second");
    outgoing.end();
    expect((await pieces.next()).done).toBe(true);
  });

  it.each([0, 1, 5_000_000])("a body of %i bytes does come back as it was", async (length) => {
    const bytes = randomBytes(length);
    const { status, body } = await send(echo(), { method: "POST", body: bytes });
    expect([status, body.equals(bytes)]).toEqual([200, true]);
  });

  it("an answer that the origin compressed does arrive as it was", async () => {
    for (const accept of ["gzip", "br;q=1, gzip;q=0.5", "identity"]) {
      const url = `${harness[site]}/-/demo/gzip`;
      const { headers, body } = await send(url, { headers: { "Accept-Encoding": accept } });
      expect(headers["content-encoding"]).toBe("gzip");
      expect(gunzipSync(body).toString()).toBe("This text was compressed\n".repeat(100));
      expect(headers["cache-status"]).toBe("forgefront; fwd=bypass");
    }
  });

  it("a websocket does open, echo and close", async () => {
    const socket = new WebSocket(`${harness[site].replace("http", "ws")}/-/demo/socket`);
    await once(socket, "open");
    for (const text of ["hello", "Grüße", ""]) {
      socket.send(text);
      const [event] = (await once(socket, "message")) as [MessageEvent];
      expect(event.data).toBe(text);
    }
    socket.close(1000, "enough");
    const [closed] = (await once(socket, "close")) as [CloseEvent];
    expect(closed.code).toBe(1000);
  });

  it("what a client says of where it came from is not believed", async () => {
    const forged = {
      "X-Forwarded-Host": "evil.example",
      "X-Forwarded-Proto": "gopher",
      "X-Forwarded-Port": "1",
      "X-Forwarded-For": "192.0.2.1",
      Forwarded: "host=evil.example;for=192.0.2.1",
      "X-Real-IP": "192.0.2.1",
      X_Forwarded_For: "192.0.2.1",
      "X-Original-URL": "/evil.example",
      "X-WebAuth-User": "evil.example",
      "X-Kept": "yes",
    };
    const { headers } = await send(echo(), { method: "POST", headers: forged });
    expect(headers["x-echo-x-forwarded-host"]).toBe(new URL(harness[site]).host);
    expect(headers["x-echo-x-forwarded-proto"]).toBe("http");
    expect(JSON.stringify(headers)).not.toMatch(/evil\.example|192\.0\.2\.1|gopher/);
    expect(headers["x-echo-x-kept"]).toBe("yes");
    expect(headers["x-echo-host"]).toBe(new URL(harness.demo[site].url).host);
  });

  it("CDN-Loop does tell the origin, and stop a request that has been here", async () => {
    const first = await send(echo(), { method: "POST", headers: { "CDN-Loop": "elsewhere" } });
    const members = String(first.headers["x-echo-cdn-loop"]).split(", ");
    expect(members[0]).toBe("elsewhere");
    expect(members[1]).toMatch(/^forgefront\b/);
    for (const loop of [members[1] ?? "", members.toReversed().join(","), ` ${members[1]} ,other`]) {
      for (const path of [
        "/-/demo/echo",
        "/demo/hello/-/raw/main/README.md",
        "/demo/hello/raw/branch/main/README.md",
      ]) {
        harness.demo[site].resetCounts();
        const { status, headers } = await send(harness[site] + path, { headers: { "CDN-Loop": loop } });
        expect([status, headers["content-type"]]).toEqual([508, "application/problem+json"]);
        expect(harness.demo[site].counts().total).toBe(0);
      }
    }
    const other = await send(echo(), {
      method: "POST",
      headers: { "CDN-Loop": 'forgefront; host="other.example"' },
    });
    expect(other.status).toBe(200);
  });

  it("an unknown Host does get 421", async () => {
    for (const host of [
      "other.example",
      "127.0.0.1",
      `evil.example/${new URL(harness[site]).host}`,
      "127.0.0.1:1",
    ]) {
      const { status, headers } = await send(`${harness[site]}/`, { headers: { Host: host } });
      expect([status, headers["content-type"]]).toEqual([421, "application/problem+json"]);
    }
  });

  it("a page does pass with the origin's own cookies", async () => {
    const { status, headers, body } = await send(`${harness[site]}/`);
    expect([status, headers["cache-status"]]).toEqual([200, "forgefront; fwd=bypass"]);
    expect(headers["set-cookie"]).toHaveLength(1);
    expect(body.toString()).toContain(site === "gitlab" ? "GitLab" : "Gitea");
  });
});

describe("requests and answers as they were", () => {
  it.each(["PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "POST"])(
    "%s does reach the origin whole",
    async (method) => {
      const path = "/demo/hello/-/raw/main/README.md?b=2&a=1&a=%20+&empty";
      harness.demo.gitlab.intercept = (request, response) => {
        void buffer(request).then((body) => {
          response.appendHeader("Set-Cookie", "second=2");
          response.writeHead(201, { "X-Method": request.method ?? "", "X-Url": request.url ?? "" }).end(body);
        });
        return true;
      };
      const { status, headers, body } = await send(harness.gitlab + path, {
        method,
        headers: { "Content-Length": 6 },
        body: "a body",
      });
      expect([status, headers["x-method"], headers["x-url"], body.toString()]).toEqual([
        201,
        method,
        path,
        "a body",
      ]);
      expect(headers["set-cookie"]).toEqual([expect.stringMatching(/^_gitlab_session=/), "second=2"]);
    },
  );

  it("a redirect to the origin's own address does lead to the site, any other where it led", async () => {
    const origin = harness.demo.gitlab.url;
    const moved = await send(`${harness.gitlab}/demo/hello/info/refs?service=git-upload-pack`);
    expect(moved.status).toBe(301);
    expect(new URL(moved.headers.location ?? "", harness.gitlab).href).toBe(
      `${harness.gitlab}/demo/hello.git/info/refs?service=git-upload-pack`,
    );
    for (const [location, expected] of [
      [origin, `${harness.gitlab}/`],
      [`${origin}/a?b#c`, `${harness.gitlab}/a?b#c`],
      ["/relative?x", `${harness.gitlab}/relative?x`],
      [`${origin}@evil.example/`, `${origin}@evil.example/`],
      [`${origin}//evil.example/x`, undefined],
      ["https://elsewhere.example/x", "https://elsewhere.example/x"],
    ] as const) {
      harness.demo.gitlab.intercept = (_, response) => {
        response.writeHead(302, { Location: location }).end();
        return true;
      };
      const { status, headers } = await send(`${harness.gitlab}/moved`);
      expect(status).toBe(302);
      const target = new URL(headers.location ?? "", harness.gitlab).href;
      if (expected === undefined) expect(new URL(target).host).not.toBe("evil.example");
      else expect(target).toBe(new URL(expected).href);
    }
  });

  it("the edge's own questions do carry CDN-Loop, and nothing a client made up", async () => {
    const seen: IncomingMessage["headers"][] = [];
    harness.demo.gitlab.intercept = (request) => {
      seen.push(request.headers);
      return false;
    };
    const made = {
      "X-Forwarded-Host": "evil.example",
      "X-Http-Method-Override": "DELETE",
      "X-Original-Url": "/",
      Cookie: "a=b",
    };
    const { status } = await send(`${harness.gitlab}/demo/hello/-/raw/v1.0/README.md`, { headers: made });
    expect([status, seen.length > 0]).toEqual([200, true]);
    for (const headers of seen) {
      expect(headers["cdn-loop"]).toMatch(/^forgefront\b/);
      expect(JSON.stringify(headers)).not.toMatch(/evil\.example|override|original|a=b/i);
    }
  });
});

describe("control routes", () => {
  const control = (path: string, options: Parameters<typeof send>[1] = {}) =>
    send(`${harness.gitlab}/-/forgefront/${path}`, options);
  const authorized = () => ({ headers: { Authorization: `Bearer ${harness.controlToken}` } });

  it("health does answer on every site, without the origin", async () => {
    for (const site of SITES) {
      harness.demo[site].resetCounts();
      const { status, headers, body } = await send(`${harness[site]}/-/forgefront/health`);
      expect([status, headers["content-type"], body.toString()]).toEqual([
        200,
        "application/json",
        '{"status":"ok"}',
      ]);
      expect(harness.demo[site].counts().total).toBe(0);
    }
    expect((await control("health", { method: "HEAD" })).status).toBe(200);
  });

  it("the control token does go to no origin", async () => {
    const seen: (string | undefined)[] = [];
    harness.demo.gitlab.intercept = ({ headers }) => {
      seen.push(headers.authorization);
      return false;
    };
    for (const path of ["/-/demo/echo", "/-/%66orgefront/", "/demo/nested/secret/-/raw/main/README.md"])
      for (let time = 0; time < 2; time++) await send(harness.gitlab + path, authorized());
    expect(seen.length).toBeGreaterThanOrEqual(4);
    expect(seen).toEqual(seen.map(() => undefined));
    seen.length = 0;
    const led = await send(`${harness.gitlab}/-/forgefront`, authorized());
    expect([led.status, led.headers.location, seen]).toEqual([308, "/-/forgefront/", []]);
  });

  it("metrics do open to the control token alone", async () => {
    await fetch(`${harness.gitlab}/demo/nested/secret/-/raw/main/README.md?private_token=glpat-reader`);
    for (const authorization of [
      undefined,
      "Bearer wrong",
      `Basic ${harness.controlToken}`,
      "Bearer",
      `Bearer ${harness.controlToken}x`,
    ]) {
      const { status, headers, body } = await control("metrics", {
        headers: authorization === undefined ? {} : { Authorization: authorization },
      });
      expect([status, headers["content-type"]]).toEqual([401, "application/problem+json"]);
      expect(headers["www-authenticate"]).toMatch(/^Bearer\b/);
      expect(body.toString()).not.toContain(harness.controlToken);
    }
    const { status, headers, body } = await control("metrics", authorized());
    expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(body.toString()).toMatch(/^forgefront_\w+\{[^}]*\} \d/m);
    expect(body.toString()).not.toMatch(/glpat-reader|secret|control-token/);
  });

  it.each(["nothing", "health/", "metrics/x", "look/", "HEALTH"])("%s is no control route", async (path) => {
    harness.demo.gitlab.resetCounts();
    const { status, headers } = await control(path, authorized());
    expect([status, headers["content-type"]]).toEqual([404, "application/problem+json"]);
    expect(harness.demo.gitlab.counts().total).toBe(0);
  });

  it.each(["", "look", "health", "metrics"])("%s does take GET and HEAD alone", async (path) => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      const { status, headers } = await control(path, { method, ...authorized() });
      expect([status, headers.allow, headers["content-type"]]).toEqual([
        405,
        "GET, HEAD",
        "application/problem+json",
      ]);
    }
  });

  it("without a control token configured there are no metrics", async () => {
    const port = await quietPort();
    const host = `127.0.0.1:${port}`;
    const SITES_ = [{ host, kind: "gitlab", origin: harness.demo.gitlab.url }];
    const edge = await startEdge({
      ports: [port],
      vars: { KEY_SECRET: "a secret of the tests", SITES: SITES_ },
    });
    try {
      for (const headers of [
        {},
        { Authorization: "Bearer " },
        { Authorization: "Bearer undefined" },
        authorized().headers,
      ]) {
        const { status } = await send(`http://${host}/-/forgefront/metrics`, { headers });
        expect(status).toBe(404);
      }
      expect((await send(`http://${host}/-/forgefront/health`)).status).toBe(200);
    } finally {
      await edge.close();
    }
  });
});
