import { createHmac } from "node:crypto";
import { request } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { gitLabPipeline, gitLabPush } from "../../scripts/demo/pipelines/gitlab-webhooks.ts";
import type { Delivery } from "../../scripts/demo/pipelines/webhooks.ts";
import { quietPort } from "../../scripts/servers/quiet-port.ts";
import { API, READER, startPipelinesScene, type Headers, type PipelinesScene } from "./pipelines-scene.ts";
import { ask } from "./scene.ts";
import { startEdge } from "./start-edge.ts";
import { TEST_WORKER } from "../worker/bundled.ts";

const HOOK_BYTES = 8 * 1024;
const HOOKS = "/-/forgefront/hooks";
const DELIVERIES = 320;
/** By path and by number: of four projects; and of the site. */
const CHANGED_KEYS = 9;
const BETWEEN_KV_WRITES_MS = 1100;

let scene: PipelinesScene;
let secret: string;
beforeAll(async () => {
  scene = await startPipelinesScene({ vars: { HOOK_BYTES } });
  secret = scene.harness.webhookSecret;
});
beforeEach(async () => await scene.again());
afterAll(async () => await scene.harness.close());

const PROJECT = { id: 2, path: "demo/nested/secret", isPublic: false, defaultBranch: "main" };
const SENDER = () => ({ externalUrl: scene.harness.demo.gitlab.url, secret });

type Site = "gitlab" | "gitea" | "s3";
type Posted = { readonly status: number; readonly type: string; readonly changes: number | undefined };

async function post(site: Site, headers: Headers, body: string | Buffer, method = "POST"): Promise<Posted> {
  const response = await fetch(scene.harness[site] + HOOKS, {
    method,
    headers,
    ...(method !== "GET" && { body: body as string }),
  });
  const text = await response.text();
  const told = text.startsWith("{") ? (JSON.parse(text) as { type?: string; changes?: number }) : {};
  expect(text).not.toContain(secret);
  return {
    status: response.status,
    type: (told.type ?? "").split(":").at(-1) ?? "",
    changes: told.changes,
  };
}

const sign = (body: string | Buffer, key = secret) => createHmac("sha256", key).update(body).digest("hex");

/** Posts what proves itself. */
async function proven(site: Site, body: string | Buffer, headers: Headers = {}): Promise<Posted> {
  const proof: Record<Site, Headers> = {
    gitlab: { "x-gitlab-token": secret, "x-gitlab-event": "Push Hook" },
    gitea: { "x-gitea-signature": sign(body), "x-gitea-event": "push" },
    s3: { authorization: `Bearer ${secret}` },
  };
  return await post(site, { "content-type": "application/json", ...proof[site], ...headers }, body);
}

const SITES = ["gitlab", "gitea", "s3"] as const;

describe.each(SITES)("the door for events of %s", (site) => {
  it("opens to the secret alone", async () => {
    const body = "{}";
    const wrong: Record<Site, readonly Headers[]> = {
      gitlab: [
        {},
        { "x-gitlab-token": "" },
        { "x-gitlab-token": `${secret}x` },
        { "x-gitlab-token": secret.slice(0, -1) },
        { "x-gitlab-token": secret.toUpperCase() },
        { authorization: `Bearer ${secret}` },
        { "x-gitea-signature": sign(body) },
      ],
      gitea: [
        {},
        { "x-gitea-signature": "" },
        { "x-gitea-signature": sign("{ }") },
        { "x-gitea-signature": sign(body, "other") },
        { "x-gitea-signature": sign(body).slice(1) },
        { "x-gitea-signature": `sha256=${sign(body)}` },
        { "x-gitea-signature": sign(body), "x-forgejo-signature": sign("{ }") },
        { "x-hub-signature-256": `sha256=${sign(body)}` },
        { "x-gitlab-token": secret },
      ],
      s3: [
        {},
        { authorization: "" },
        { authorization: "Bearer" },
        { authorization: `Bearer ${secret}x` },
        { authorization: `Basic ${Buffer.from(secret).toString("base64")}` },
        { authorization: `Basic ${Buffer.from(`${secret}:x`).toString("base64")}` },
        { "x-gitlab-token": secret },
      ],
    };
    for (const headers of wrong[site]) {
      const event = { "x-gitlab-event": "Push Hook", "x-gitea-event": "push" };
      const { status } = await post(site, { ...event, ...headers }, body);
      expect([headers, status]).toEqual([headers, 401]);
    }
    expect((await proven(site, "{}")).status).not.toBe(401);
  });

  it("takes bodies up to its limit, JSON objects alone, by POST alone", async () => {
    const padded = (length: number) => Buffer.from(`{"a":"${"x".repeat(length - 8)}"}`);
    expect((await proven(site, padded(HOOK_BYTES + 1))).status).toBe(413);
    expect((await proven(site, padded(HOOK_BYTES))).status).not.toBe(413);
    for (const body of ["", "x", "[]", "null", "1", '"x"', "{", Buffer.from([0x7b, 0xff, 0x7d])])
      expect([body, (await proven(site, body)).status]).toEqual([body, 400]);
    for (const method of ["GET", "PUT", "DELETE", "PATCH"])
      expect([method, (await post(site, {}, "", method)).status]).toEqual([method, 405]);
  });

  it("passes over what it does not know", async () => {
    const unknown = {
      event_name: "never_heard_of",
      object_kind: "x",
      repository: { full_name: "demo/secret" },
    };
    const headers = { "x-gitlab-event": "Emoji Hook", "x-gitea-event": "star" };
    const body = site === "s3" ? { Event: "s3:TestEvent" } : unknown;
    const text = JSON.stringify(body);
    const list = `${API}/2/pipelines`;
    await scene.get(list, READER);
    const questions = await scene.questions(async () => {
      expect(await proven(site, text, headers)).toMatchObject({ status: 200, changes: 0 });
      expect((await scene.get(list, READER)).status).toBe(200);
    });
    expect(questions).toBe(0);
  });
});

/** Sends a request bit by bit; the status, and how much of its body had been sent by then. */
function postSlowly(
  headers: Headers,
  pieces: number,
  pieceBytes: number,
): Promise<{ status: number; sent: number }> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    let isOver = false;
    const outgoing = request(scene.harness.gitlab + HOOKS, { method: "POST", headers }, (response) => {
      isOver = true;
      response.resume();
      resolve({ status: response.statusCode ?? 0, sent });
      outgoing.destroy();
    });
    outgoing.on("error", (error) => (isOver ? undefined : reject(error)));
    const next = (left: number) => {
      if (isOver) return;
      if (left === 0) {
        outgoing.end();
        return;
      }
      outgoing.write(Buffer.alloc(pieceBytes, 0x20), () => {
        sent += pieceBytes;
        setTimeout(next, 5, left - 1);
      });
    };
    next(pieces);
  });
}

describe("a delivery that is sent bit by bit", () => {
  const event = { "x-gitlab-event": "Push Hook" };

  it("is refused before its body where the secret is wrong", async () => {
    const { status, sent } = await postSlowly({ ...event, "x-gitlab-token": "wrong" }, 400, 1024);
    expect(status).toBe(401);
    expect(sent).toBeLessThan(200 * 1024);
  });

  it("is too large once it is, in chunks; and at once where it says so", async () => {
    const own = { ...event, "x-gitlab-token": secret };
    const chunked = await postSlowly(own, 400, 1024);
    expect(chunked.status).toBe(413);
    expect(chunked.sent).toBeLessThan(200 * 1024);
    const declared = await postSlowly({ ...own, "content-length": String(400 * 1024) }, 400, 1024);
    expect(declared.status).toBe(413);
    expect(declared.sent).toBeLessThan(200 * 1024);
  });
});

it("hundreds of deliveries of several projects at once are all answered, and the edge serves on", async () => {
  const row = await scene.harness.demo.gitlab.addPipeline("demo/nested/secret", { status: "running" });
  const list = `${API}/2/pipelines`;
  await scene.get(list, READER);
  await scene.settle();
  const { kvPuts } = await scene.harness.kvCalls();
  const started = performance.now();
  const oid = (index: number) => index.toString(16).padStart(40, "a");
  const deliveries: readonly Delivery[] = Array.from({ length: DELIVERIES }, (_, index) => {
    const project =
      index % 4 === 0 ? PROJECT : { ...PROJECT, id: 50 + (index % 4), path: `many/p${index % 4}` };
    const pushed = { ref: `refs/heads/b${index % 90}`, before: oid(index), after: oid(index + 1) };
    return index % 2 === 0
      ? gitLabPush(SENDER(), project, pushed)
      : gitLabPipeline(SENDER(), project, { ...row, id: 1000 + index });
  });
  const url = scene.harness.gitlab + HOOKS;
  const statuses = new Map<number, number>();
  const meanwhile: number[] = [];
  const queue = [...deliveries];
  const sender = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const { headers, body } = next;
      const response = await fetch(url, { method: "POST", headers, body });
      await response.body?.cancel();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  };
  const reader = async () => {
    for (; queue.length > 0;) meanwhile.push((await scene.get(list, READER)).status);
  };
  await Promise.all([...Array.from({ length: 16 }, sender), reader()]);
  expect([...statuses]).toEqual([[200, DELIVERIES]]);
  expect(meanwhile.length).toBeGreaterThan(3);
  expect(meanwhile.every((status) => status === 200)).toBe(true);
  const { kvPuts: after } = await scene.harness.kvCalls();
  const rounds = (performance.now() - started) / BETWEEN_KV_WRITES_MS + 2;
  expect(after - kvPuts).toBeLessThanOrEqual(CHANGED_KEYS * rounds);
  // What is told afterwards is taken as ever
  const { pipelines } = scene.harness.demo.gitlab;
  const changed = gitLabPipeline(SENDER(), PROJECT, pipelines.setStatus(row.id, "failed"));
  await (await fetch(url, { method: "POST", headers: changed.headers, body: changed.body })).body?.cancel();
  expect((await scene.get(list, READER)).body.toString()).toContain('"failed"');
  pipelines.remove(row.id);
});

it("there is no door without a secret", async () => {
  const port = await quietPort();
  const host = `127.0.0.1:${port}`;
  const origin = scene.harness.demo.gitlab.url;
  const sites = [
    { host, kind: "gitlab", origin },
    { host: `localhost:${port}`, kind: "gitea", origin },
    { host: `s3.localhost:${port}`, kind: "s3", origin, auth: "edge" },
  ];
  const vars = { KEY_SECRET: "a secret of the tests", S3_KEYS: { key: "its secret" }, SITES: sites };
  const bare = await startEdge({ ...TEST_WORKER, ports: [port], vars });
  try {
    for (const site of sites)
      for (const method of ["POST", "GET", "PUT"])
        for (const token of ["", secret]) {
          const headers = { "x-gitlab-token": token, authorization: `Bearer ${token}`, host: site.host };
          const { status } = await ask(`http://${host}${HOOKS}`, { method, headers });
          expect([site.kind, method, status]).toEqual([site.kind, method, 404]);
        }
  } finally {
    await bare.close();
  }
});
