import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deliver, NO_OBJECT } from "../../scripts/demo/pipelines/webhooks.ts";
import { gitLabPush } from "../../scripts/demo/pipelines/gitlab-webhooks.ts";
import { startHarness, type Harness } from "./harness.ts";

const TOKEN = "glpat-reader";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({
    bigFileBytes: 1024,
    vars: { PRELOAD_FILES: 2, PRELOAD_TOKENS: {} },
  });
});
afterAll(async () => await harness.close());

const PUBLIC = { id: 1, path: "demo/hello", isPublic: true, defaultBranch: "main" };
const PRIVATE = { id: 2, path: "demo/nested/secret", isPublic: false, defaultBranch: "main" };

/** Moves a branch, and lets the forge tell of it. */
async function push(project: typeof PUBLIC, branch: string, files: Record<string, string>): Promise<void> {
  const { gitlab } = harness.demo;
  const before = (await gitlab.objectId(project.path, `refs/heads/${branch}`)) ?? NO_OBJECT;
  const after = await gitlab.commit(project.path, branch, files);
  const ref = `refs/heads/${branch}`;
  const sender = { externalUrl: gitlab.url, secret: harness.webhookSecret };
  const url = `${harness.gitlab}/-/forgefront/hooks`;
  expect(await deliver(url, gitLabPush(sender, project, { ref, before, after }))).toBe(200);
}

async function read(path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${harness.gitlab}${path}`, { headers });
  expect(response.status).toBe(200);
  return await response.text();
}

/** Enough for a file to be answered from memory, which is when it is counted. */
async function readOften(path: string, times: number, headers: Record<string, string> = {}): Promise<void> {
  for (let time = 0; time < times; time++) {
    await read(path, headers);
    await harness.world({ clockOffsetMs: time * 1000 }); // within one second it counts once
  }
}

async function preloaded(outcome: string): Promise<number> {
  const headers = { Authorization: `Bearer ${harness.controlToken}` };
  const text = await (await fetch(`${harness.gitlab}/-/forgefront/metrics`, { headers })).text();
  const line = new RegExp(`forgefront_preloaded_files_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text);
  return Number(line?.[1] ?? 0);
}

async function untilPreloaded(count: number): Promise<void> {
  for (let look = 0; look < 100 && (await preloaded("fetched")) < count; look++)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

const raws = () => harness.demo.gitlab.counts()["web:raw"];

describe("preloading", () => {
  it("does fetch the files of a branch that are wanted most, and no more than it may", async () => {
    const files = { "often.txt": "often 1", "less.txt": "less 1", "once.txt": "once 1" };
    await push(PUBLIC, "wanted", files);
    const at = (name: string) => `/demo/hello/-/raw/wanted/${name}`;
    await readOften(at("often.txt"), 6);
    await readOften(at("less.txt"), 4);
    await readOften(at("once.txt"), 2);
    await push(PUBLIC, "wanted", { "often.txt": "often 2", "less.txt": "less 2", "once.txt": "once 2" });
    await untilPreloaded(2);
    const before = raws();
    expect(await read(at("often.txt"))).toBe("often 2");
    expect(await read(at("less.txt"))).toBe("less 2");
    expect(raws()).toBe(before);
    expect(await read(at("once.txt"))).toBe("once 2");
    expect(raws()).toBe(before + 1);
  });

  it("does leave a private project alone where it has no token for it", async () => {
    const headers = { "Private-Token": TOKEN };
    const path = "/demo/nested/secret/-/raw/main/kept.txt";
    await push(PRIVATE, "main", { "kept.txt": "kept 1" });
    await readOften(path, 5, headers);
    const before = raws();
    await push(PRIVATE, "main", { "kept.txt": "kept 2" });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(raws()).toBe(before);
    expect(await read(path, headers)).toBe("kept 2");
  });
});
