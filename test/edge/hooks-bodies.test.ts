import { createHmac } from "node:crypto";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startPipelinesScene, type PipelinesScene } from "./pipelines-scene.ts";
import { ask } from "./scene.ts";

const HOOKS = "/-/forgefront/hooks";
const MIB = 1024 * 1024;
/** The longest body that is taken where nothing else is said. */
const LONGEST = 4 * MIB;
/** What bodies of deliveries that have proven nothing yet may take in all. */
const MOST = 8 * MIB;

/** Within which a body on this machine has arrived; a few times that is less than one may take. */
const ARRIVAL_MS = 1500;

let scene: PipelinesScene;
beforeAll(async () => {
  scene = await startPipelinesScene();
});
const strangers: Socket[] = [];
beforeEach(async () => await scene.again());
afterEach(() => {
  for (const stranger of strangers.splice(0)) stranger.destroy();
});
afterAll(async () => await scene.harness.close());

/** Sends all of a delivery but its end, with a signature that nobody can judge before that. */
async function beginStrange(length: number, sent: number): Promise<Socket> {
  const { hostname, port, host } = new URL(scene.harness.gitea);
  const socket = connect(Number(port), hostname);
  strangers.push(socket);
  socket.on("error", () => undefined);
  const head = [
    `POST ${HOOKS} HTTP/1.1`,
    `Host: ${host}`,
    `X-Gitea-Signature: ${"0".repeat(64)}`,
    "X-Gitea-Event: push",
    `Content-Length: ${length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  await new Promise<void>((resolve) => socket.write(Buffer.alloc(sent, 0x20), () => resolve()));
  return socket;
}

async function deliverGitea(body: string) {
  const signature = createHmac("sha256", scene.harness.webhookSecret).update(body).digest("hex");
  const headers = { "x-gitea-signature": signature, "x-gitea-event": "star" };
  return await fetch(scene.harness.gitea + HOOKS, { method: "POST", headers, body });
}

async function deliverGitLab(body: string) {
  const headers = { "x-gitlab-token": scene.harness.webhookSecret, "x-gitlab-event": "Emoji Hook" };
  return await fetch(scene.harness.gitlab + HOOKS, { method: "POST", headers, body });
}

async function look(route: string): Promise<string> {
  const headers = { authorization: `Bearer ${scene.harness.controlToken}` };
  return (await ask(`${scene.harness.gitlab}/-/forgefront/${route}`, { headers })).body.toString();
}

async function counted(outcome: string): Promise<number> {
  const line = new RegExp(`^forgefront_events_total\\{outcome="${outcome}"\\} (\\d+)$`, "m");
  return Number(line.exec(await look("metrics"))?.[1] ?? 0);
}

/** Waits for what comes soon, and no longer. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let time = 0; time < 100 && !(await isSo()); time++) await sleep(50);
  expect(await isSo()).toBe(true);
}

describe("bodies of deliveries", () => {
  const body = `{"a":"${"x".repeat(MIB)}"}`;

  it("that strangers do not end are held up to a bound, and others are told to come again", async () => {
    expect((await deliverGitea(body)).status).toBe(200);
    for (let begun = 0; begun < MOST; begun += LONGEST) {
      await beginStrange(LONGEST, LONGEST - 1);
      await sleep(ARRIVAL_MS); // one that is still being read when there is no more room would give its own back
    }
    const busy = async () => {
      const { status, headers } = await deliverGitea(body);
      if (status !== 503) return false;
      expect(headers.get("retry-after")).toBe("1");
      return true;
    };
    await until(busy);
    expect(await counted("busy")).toBeGreaterThan(0);
    expect((await deliverGitLab(body)).status).toBe(200); // whoever has proven itself before its body is no stranger
    expect((await deliverGitea(`{"a":1}`)).status).toBe(503);
    for (const stranger of strangers) stranger.destroy();
    await until(async () => (await deliverGitea(body)).status === 200);
  });

  it("that break off are no events, and no failures of ours", async () => {
    const malformed = await counted("malformed");
    for (const sent of [0, 1, MIB]) (await beginStrange(2 * MIB, sent)).destroy();
    await until(async () => (await counted("malformed")) >= malformed + 3);
    expect(await look("look")).not.toContain('"internal"');
  });
});
