import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DEMO_KEYS } from "../../scripts/demo/s3-samples.ts";
import type { Look } from "../../src/core/look/colo-look.ts";
import type { Settings } from "../../src/core/look/settings.ts";
import { CREDENTIALS, getFrom, GITLAB_API, GITLAB_WEB, newFileIn, type NewFile } from "./doors.ts";
import { breakBodies, half } from "./origin-faults.ts";
import { PRINCIPALS } from "./principals.ts";
import { prepare, send } from "./s3-client.ts";
import { startS3Scene } from "./s3-scene.ts";
import { ask, basic, startScene, type Scene } from "./scene.ts";

/** More than is held back until it is known to be whole. */
const BIG_BYTES = 3 * 64 * 1024;
const SMALL_BYTES = 3000;

let scene: Scene;
let token: string;
beforeAll(async () => {
  scene = await startScene({
    bigFileBytes: 1024,
    vars: { ORIGIN_TIMEOUT_S: 1, BLOCK_BYTES: 64 * 1024, HOT_BODY_BYTES: 32 * 1024 },
  });
  token = scene.harness.controlToken;
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.harness.close());

type Shown = Look & {
  readonly at: number;
  readonly questions: { readonly saved: number; readonly of: number };
  readonly settings: Settings;
};

const bearer = () => ({ authorization: `Bearer ${token}` });

function inside(route: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${scene.harness.gitlab}/-/forgefront/${route}`, init);
}

async function look(isolate = ""): Promise<Shown> {
  const response = await inside("look", { headers: { ...bearer(), "x-test-isolate": isolate } });
  expect(response.status).toBe(200);
  return (await response.json()) as Shown;
}

/** Looks until it is seen: what is told behind an answer takes its time. */
async function lookUntil(isSeen: (shown: Shown) => boolean, isolate = ""): Promise<Shown> {
  for (let times = 0; ; times++) {
    const shown = await look(isolate);
    if (isSeen(shown) || times === 100) return shown;
    await sleep(20);
  }
}

describe("who may look", () => {
  it.each([
    ["", "text/html; charset=utf-8"],
    ["look", "application/json"],
  ])("is the holder of the control token: /-/forgefront/%s", async (route, type) => {
    for (const authorization of [`Bearer ${token}`, basic("anybody", token), basic("", token)]) {
      const response = await inside(route, { headers: { authorization } });
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": type,
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
      });
      expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    }
    for (const authorization of ["", "Bearer wrong", basic("anybody", "wrong"), basic(token, "")]) {
      const response = await inside(route, { headers: { authorization } });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe(
        'Basic realm="forgefront", Bearer realm="forgefront"',
      );
      expect(await response.json()).toMatchObject({ type: "urn:forgefront:problem:unauthorized" });
    }
  });

  it.each(["", "look"])("may not change anything there: /-/forgefront/%s", async (route) => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      const response = await inside(route, { method, headers: bearer() });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("GET, HEAD");
    }
    const head = await inside(route, { method: "HEAD", headers: bearer() });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  it.each(["gitea", "s3"] as const)("finds it at every site: %s", async (site) => {
    const response = await fetch(`${scene.harness[site]}/-/forgefront/look`, { headers: bearer() });
    expect(response.status).toBe(200);
  });

  it("is not who has the token in an address or a cookie", async () => {
    const query = await inside(`look?token=${token}&access_token=${token}&private_token=${token}`);
    expect(query.status).toBe(401);
    const cookie = await inside("look", { headers: { cookie: `token=${token}` } });
    expect(cookie.status).toBe(401);
  });

  it("is nobody without a control token", async () => {
    const without = await startS3Scene();
    try {
      for (const path of ["/-/forgefront/", "/-/forgefront/look"]) {
        const answer = await without.ask("edge", { path, headers: { authorization: "Bearer anything" } });
        expect(answer.status).toBe(404);
        expect(answer.headers["www-authenticate"]).toBeUndefined();
      }
    } finally {
      await without.close();
    }
  });
});

describe("a password that a browser remembers", () => {
  const withPassword = () => ({ authorization: basic("anybody", token) });

  it("does not open the metrics", async () => {
    const response = await inside("metrics", { headers: withPassword() });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe('Bearer realm="forgefront"');
    expect((await inside("metrics", { headers: bearer() })).status).toBe(200);
  });

  it("purges nothing", async () => {
    const file = await newFileIn(scene, SMALL_BYTES);
    await getFrom(scene, GITLAB_WEB, file);
    const { total } = scene.forge("gitlab").counts();
    const body = JSON.stringify({ group: "demo" });
    const response = await inside("purge", { method: "POST", headers: withPassword(), body });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe('Bearer realm="forgefront"');
    const { caches } = await getFrom(scene, GITLAB_WEB, file);
    expect(caches["grant"]).toContain("hit");
    expect(scene.forge("gitlab").counts().total).toBe(total);
    expect((await inside("purge", { method: "POST", headers: bearer(), body })).status).toBe(200);
  });

  it("proves no event", async () => {
    const response = await inside("hooks", { method: "POST", headers: withPassword(), body: "{}" });
    expect(response.status).toBe(401);
  });
});

/** The value of a series of the metrics, summed over its other labels. */
async function metric(name: string, labels: Readonly<Record<string, string>>): Promise<number> {
  const text = await (await inside("metrics", { headers: bearer() })).text();
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) && wanted.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

async function read(file: NewFile, times: number, isolate = ""): Promise<void> {
  const headers = { ...CREDENTIALS.gitlab, "x-test-isolate": isolate };
  for (let count = 0; count < times; count++) {
    const { status, body } = await getFrom(scene, GITLAB_WEB, file, { headers });
    expect([status, body.length]).toEqual([200, file.bytes.length]);
  }
}

describe("the numbers", () => {
  it("are those of ten requests, of which nine were hits", async () => {
    const file = await newFileIn(scene, SMALL_BYTES);
    await read(file, 10);
    await scene.settle();
    const asked = scene.forge("gitlab").counts().total;
    const { lanes, caches, bytes, questions, pace, isolates, held } = await look();
    expect(lanes.raw).toEqual({ requests: 10, refused: 0, failed: 0, asked });
    expect(lanes.pass.requests).toBe(0);
    for (const cache of ["grant", "revision", "body"] as const)
      expect(caches[cache]).toMatchObject({ memory: 9, miss: 1, colo: 0, kv: 0 });
    expect(bytes).toEqual({ cache: 9 * SMALL_BYTES, origin: SMALL_BYTES });
    expect(questions).toEqual({ saved: 10 - asked, of: 10 });
    expect(pace.reduce((sum, slot) => sum + slot.requests, 0)).toBe(10);
    expect(pace.reduce((sum, slot) => sum + slot.asked, 0)).toBe(asked);
    expect(isolates).toBe(1);
    expect(held.body.entries).toBe(1);
    expect(held.body.bytes).toBeGreaterThan(SMALL_BYTES); // its key weighs as well
    expect(held.body.bytes).toBeLessThan(SMALL_BYTES + 1000);
  });

  it("are those of the metrics", async () => {
    const file = await newFileIn(scene, SMALL_BYTES);
    await read(file, 5);
    await getFrom(scene, GITLAB_API, file, { headers: { "PRIVATE-TOKEN": "glpat-wrong" } });
    await ask(`${scene.harness.gitlab}/users/sign_in`);
    await scene.settle();
    const { lanes, caches, bytes } = await look();
    for (const lane of ["raw", "pass"] as const) {
      expect(lanes[lane].requests).toBeGreaterThan(0);
      expect(await metric("forgefront_requests_total", { lane })).toBe(lanes[lane].requests);
      expect(await metric("forgefront_origin_requests_total", { lane })).toBe(lanes[lane].asked);
    }
    expect(lanes.raw.refused).toBe(1);
    for (const cache of ["grant", "revision", "body"] as const)
      for (const [outcome, count] of Object.entries(caches[cache]))
        expect(await metric("forgefront_cache_lookups_total", { cache, outcome })).toBe(count);
    for (const source of ["cache", "origin"] as const)
      expect(await metric("forgefront_body_bytes_total", { source })).toBe(bytes[source]);
  });

  it("are on the page as well", async () => {
    const file = await newFileIn(scene, SMALL_BYTES);
    await read(file, 10);
    const page = await (await inside("", { headers: bearer() })).text();
    expect(page).toMatch(/<th scope="row">Grants: who<td><b>90\.0 %<\/b>/);
    expect(page).toMatch(/<th scope="row">Raw files<td>10</);
  });
});

describe("the isolates of a colo", () => {
  /** Each hears that somebody looks at a request after five seconds. */
  const tell = async (...names: string[]) => {
    await scene.advance(5000);
    for (const name of names) await inside("health", { headers: { "x-test-isolate": name } });
  };

  it("are summed once they have told", async () => {
    const file = await newFileIn(scene, SMALL_BYTES);
    expect((await look("one")).isolates).toBe(1);
    await read(file, 3, "one");
    await read(file, 4, "two");
    await tell("two");
    const shown = await lookUntil(({ isolates }) => isolates === 2, "one");
    expect(shown.isolates).toBe(2);
    expect(shown.lanes.raw.requests).toBe(7);
    const { memory, colo, miss } = shown.caches.body;
    expect({ memory, colo, miss }).toEqual({ memory: 5, colo: 1, miss: 1 });
    expect(shown.bytes.origin).toBe(SMALL_BYTES);
    expect(shown.bytes.cache).toBe(6 * SMALL_BYTES);
  });

  it("are the same whoever is asked", async () => {
    const file = await newFileIn(scene, SMALL_BYTES);
    await look("one");
    await read(file, 2, "one");
    await read(file, 3, "two");
    await tell("one", "two");
    const of = async (name: string) => {
      const { isolates, lanes } = await lookUntil((shown) => shown.isolates === 2, name);
      return { isolates, requests: lanes.raw.requests };
    };
    expect(await of("two")).toEqual({ isolates: 2, requests: 5 });
    expect(await of("one")).toEqual({ isolates: 2, requests: 5 });
  });

  it("tell nothing while nobody looks", async () => {
    const file = await newFileIn(scene, SMALL_BYTES);
    await look("one");
    await scene.advance(61_000);
    await read(file, 2, "two");
    await tell("two");
    await scene.settle();
    expect((await look("one")).isolates).toBe(1);
  });

  it("are seen one by one where the colo's cache fails", async () => {
    const file = await newFileIn(scene, SMALL_BYTES);
    await scene.harness.world({ cache: "failing" });
    await read(file, 3);
    const { isolates, lanes, troubles } = await look();
    expect({ isolates, requests: lanes.raw.requests }).toEqual({ isolates: 1, requests: 3 });
    expect(troubles.map(({ problem }) => problem)).toContain("colo failed");
  });
});

describe("troubles", () => {
  /** What went wrong, without when. */
  const troubles = async () =>
    (await look()).troubles.map(({ problem, host, lane, path, times }) => ({
      problem,
      host,
      lane,
      path,
      times,
    }));
  const host = () => new URL(scene.harness.gitlab).host;

  it("are answers of the origin with 5xx, with a path and without a query", async () => {
    const file = await newFileIn(scene, SMALL_BYTES);
    scene.forge("gitlab").intercept = (_, response) => {
      response.writeHead(503).end("broken");
      return true;
    };
    const { status } = await getFrom(scene, GITLAB_API, file);
    expect(status).toBeGreaterThanOrEqual(500);
    const path = `/api/v4/projects/2/repository/files/${file.name}`;
    expect(await troubles()).toContainEqual({
      problem: "origin 503 to HEAD",
      host: host(),
      lane: "raw",
      path,
      times: 1,
    });
    const { lanes, slowest } = await look();
    expect(lanes.raw.failed).toBe(1);
    expect(slowest.map(({ path: asked }) => asked)).toContain(path);
  });

  it("are origins that do not answer in time, or hang up", async () => {
    const file = await newFileIn(scene, SMALL_BYTES);
    const { gitlab } = scene.harness.demo;
    gitlab.intercept = () => true;
    expect((await getFrom(scene, GITLAB_API, file)).status).toBe(504);
    gitlab.intercept = (_, response) => {
      response.socket?.destroy();
      return true;
    };
    expect((await getFrom(scene, GITLAB_API, { ...file, name: "other.bin" })).status).toBe(502);
    const problems = (await troubles()).map(({ problem, lane, host: at }) => ({ problem, lane, at }));
    for (const problem of ["origin timeout to HEAD", "origin unreachable to HEAD"])
      expect(problems).toContainEqual({ problem, lane: "raw", at: host() });
    // Told once, by who asked the origin.
    expect(problems).toHaveLength(2);
  });

  it.each([SMALL_BYTES, BIG_BYTES])("are bodies of %i bytes that break off", async (length) => {
    const file = await newFileIn(scene, length);
    breakBodies(scene.forge("gitlab"), (response, { status, headers, body }) => {
      response.writeHead(status, headers);
      response.write(half(body), () => response.socket?.destroy());
    });
    const answer = await getFrom(scene, GITLAB_WEB, file);
    expect(answer.status === 502 || !answer.whole).toBe(true);
    await scene.settle();
    const shown = await lookUntil(({ troubles: all }) => all.length > 0);
    expect(shown.troubles.map(({ problem, path }) => ({ problem, path }))).toEqual([
      { problem: "origin_truncated", path: `demo/nested/secret: ${file.ref}/${file.name}` },
    ]);
  });

  it("are none where a client is refused, or goes away", async () => {
    const file = await newFileIn(scene, BIG_BYTES);
    await getFrom(scene, GITLAB_WEB, file, { headers: { "PRIVATE-TOKEN": "glpat-wrong" } });
    await getFrom(scene, GITLAB_WEB, { ...file, name: "none.bin" });
    const gone = new AbortController();
    await getFrom(scene, GITLAB_WEB, file, { signal: gone.signal, onPiece: () => gone.abort() });
    await scene.settle();
    expect(await troubles()).toEqual([]);
  });

  it("with what is passed through are told without a path", async () => {
    const path = "/users/password/edit-of-somebody";
    scene.forge("gitlab").intercept = (_, response) => {
      response.writeHead(503).end("broken");
      return true;
    };
    expect((await ask(`${scene.harness.gitlab}${path}?reset_password_token=abc`)).status).toBe(503);
    expect(await troubles()).toEqual([
      { problem: "origin 503 to GET", host: host(), lane: "pass", path: undefined, times: 1 },
    ]);
    const { slowest, lanes } = await look();
    expect(slowest).toHaveLength(1);
    expect(lanes.pass).toEqual({ requests: 1, refused: 0, failed: 1, asked: 1 });
    for (const route of ["", "look"]) {
      const text = await (await inside(route, { headers: bearer() })).text();
      expect(text).not.toContain("edit-of-somebody");
      expect(text).not.toContain("reset_password_token");
    }
  });
});

/** What secrets come with, which is none. */
const NAMES = new Set(["private_token", "access_token", "job_token", "_gitlab_session"]);

describe("credentials", () => {
  /** Everything that is secret, in every form that is sent, and what it is made of. */
  const SECRETS = [
    ...[...PRINCIPALS.gitlab, ...PRINCIPALS.gitea].flatMap(({ headers = {}, query = "" }) =>
      [...Object.values(headers), query].flatMap((text) => [text].concat(text.split(/[ =&;]+/))),
    ),
    ...Object.values(DEMO_KEYS).map(({ secret }) => secret),
    "a secret of the tests",
    "webhook-secret-of-the-tests",
    "a-wrong-webhook-secret",
    "the forge alone signs with this",
    "in-the-query-of-a-page",
    "X-Amz-Signature",
    "X-Amz-Credential",
    "Signature=",
  ].filter((text) => text.length > 8 && !NAMES.has(text));

  /** Traffic with each of them; signatures are returned. */
  const carryAll = async (file: NewFile): Promise<readonly string[]> => {
    const { gitlab, gitea, s3, webhookSecret } = scene.harness;
    for (const forge of ["gitlab", "gitea"] as const)
      for (const { headers = {}, query } of PRINCIPALS[forge]) {
        const path =
          forge === "gitlab"
            ? `/demo/nested/secret/-/raw/${file.ref}/${file.name}`
            : `/demo/secret/raw/branch/${file.ref}/${file.name}`;
        const url = (forge === "gitlab" ? gitlab : gitea) + path;
        await ask(query === undefined ? url : `${url}?${query}`, { headers });
      }
    for (const path of ["/demo/hello/-/jobs/1002/artifacts/download", "/api/v4/projects/2/pipelines"])
      await ask(gitlab + path, { headers: CREDENTIALS.gitlab });
    await ask(`${gitlab}/users/sign_in?feed_token=in-the-query-of-a-page`);
    const { host, port } = new URL(s3);
    const signatures: string[] = [];
    for (const key of Object.values(DEMO_KEYS))
      for (const by of ["header", "query"] as const)
        for (const path of ["/demo/hello.txt", "/demo/none.txt", "/demo/builds/site.zip!/index.html"]) {
          const sent = prepare({ path, as: key, by }, host, Date.now() + skew);
          const text = `${sent.target} ${sent.headers["authorization"] ?? ""}`;
          signatures.push(...(/Signature=(\w+)/.exec(text)?.slice(1) ?? []));
          await send(sent, { port: Number(port) });
        }
    for (const secret of [webhookSecret, "a-wrong-webhook-secret"])
      await inside("hooks", {
        method: "POST",
        headers: { "X-Gitlab-Token": secret, "X-Gitlab-Event": "Push Hook" },
        body: "{}",
      });
    return signatures;
  };
  let skew = 0;

  it("are in nothing that is shown, of good traffic and of bad", async () => {
    skew = (await look()).at - Date.now();
    const file = await newFileIn(scene, SMALL_BYTES);
    const signatures = [...(await carryAll(file))];
    expect(signatures).toHaveLength(18);
    for (const forge of ["gitlab", "gitea"] as const)
      scene.forge(forge).intercept = (_, response) => {
        response.writeHead(503).end("broken");
        return true;
      };
    scene.harness.store.intercept = (_, response) => {
      response.socket?.destroy();
      return true;
    };
    await scene.advance(61_000);
    skew += 61_000;
    signatures.push(...(await carryAll(file)));
    scene.harness.store.intercept = undefined;
    const shown = await look();
    // It was really seen: every lane, and what failed of it.
    for (const lane of ["raw", "object", "artifact", "pipelines", "pass"] as const)
      expect([lane, shown.lanes[lane].requests > 0]).toEqual([lane, true]);
    expect(shown.troubles.length).toBeGreaterThan(3);
    const texts = ["", "look", "metrics"].map(async (route) => {
      const response = await inside(route, { headers: bearer() });
      expect(response.status).toBe(200);
      return await response.text();
    });
    const digests = [token, ...SECRETS].map((text) => createHash("sha256").update(text).digest("hex"));
    for (const text of await Promise.all(texts)) {
      const leaked = [token, ...SECRETS, ...signatures, ...digests].filter((secret) => text.includes(secret));
      expect(leaked).toEqual([]);
    }
  }, 60_000);
});
