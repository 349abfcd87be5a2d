import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DEMO_KEYS } from "../../scripts/demo/s3-samples.ts";
import { loopMark } from "../../src/core/loop.ts";
import type { Look } from "../../src/core/look/colo-look.ts";
import { LANE_NAMES, type LaneName } from "../../src/core/telemetry.ts";
import { prepare, send, type Asking } from "./s3-client.ts";
import { ask, startScene, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ bigFileBytes: 1024, vars: { ORIGIN_TIMEOUT_S: 1 } });
});
beforeEach(async () => {
  scene.harness.store.intercept = undefined;
  await scene.fresh();
});
afterAll(async () => await scene.harness.close());

async function inside(route: string): Promise<Response> {
  const headers = { authorization: `Bearer ${scene.harness.controlToken}` };
  const response = await fetch(`${scene.harness.gitlab}/-/forgefront/${route}`, { headers });
  expect(response.status).toBe(200);
  return response;
}

/** The requests that were counted, as `lane status`, each as often as it was. */
async function counted(): Promise<string[]> {
  const text = await (await inside("metrics")).text();
  return [...text.matchAll(/^forgefront_requests_total\{lane="(\w+)",status="(\d+)"\} (\d+)$/gm)].flatMap(
    ([, lane, status, times]) => Array.from({ length: Number(times) }, () => `${lane} ${status}`),
  );
}

async function expectFailed(failed: Partial<Record<LaneName, number>>): Promise<void> {
  const { lanes } = (await (await inside("look")).json()) as Look;
  for (const lane of LANE_NAMES) expect([lane, lanes[lane].failed]).toEqual([lane, failed[lane] ?? 0]);
  const page = await (await inside("")).text();
  const sum = Object.values(failed).reduce((all, each) => all + each, 0);
  expect(page).toContain(`<dt>Answers with 5xx</dt><dd>${sum}</dd>`);
}

/** Origins that hang up on whoever asks. */
function hangUp(): void {
  const { gitlab, gitea } = scene.harness.demo;
  for (const origin of [gitlab, gitea, scene.harness.store])
    origin.intercept = (_: unknown, response: { socket: { destroy(): void } | null }) => {
      response.socket?.destroy();
      return true;
    };
}

describe("a request that fails", () => {
  it("is counted where it is passed through and its origin is down", async () => {
    hangUp();
    const { gitlab, gitea } = scene.harness;
    for (const [url, method] of [
      [`${gitlab}/dashboard`, "GET"],
      [`${gitea}/explore/repos`, "GET"],
      [`${gitlab}/api/v4/projects`, "POST"],
    ] as const)
      expect((await ask(url, { method })).status).toBe(502);
    expect(await counted()).toEqual(["pass 502", "pass 502", "pass 502"]);
    await expectFailed({ pass: 3 });
  });

  it("is counted in its own lane where it would have been answered here", async () => {
    hangUp();
    expect((await ask(`${scene.harness.gitlab}/demo/hello/-/raw/main/README.md`)).status).toBe(502);
    expect(await counted()).toEqual(["raw 502"]);
    await expectFailed({ raw: 1 });
  });

  it.each([
    ["a path with two meanings", "GET", "/demo/hello/-/raw/main/a%00b", "raw 400"],
    ["such a path of what is passed through", "GET", "/dashboard/%2e%2e/admin", "pass 400"],
    ["a page", "GET", "/users/sign_in", "pass 200"],
    ["a path that nothing is at", "GET", "/no/such/page", "pass 404"],
    ["a file", "GET", "/demo/hello/-/raw/main/README.md", "raw 200"],
    ["a file by HEAD", "HEAD", "/demo/hello/-/raw/main/README.md", "raw 200"],
    ["a file that is not there", "GET", "/demo/hello/-/raw/main/none", "raw 404"],
  ])("is counted once, as any other: %s", async (_case, method, path, wanted) => {
    const { host, port } = new URL(scene.harness.gitlab);
    const sent = { method, target: path, headers: { host } }; // `URL` would take dot segments away
    const { status } = await send(sent, { port: Number(port) });
    expect(status).toBe(Number(wanted.split(" ")[1]));
    expect(await counted()).toEqual([wanted]);
  });

  it("is counted where it has been here before", async () => {
    const { gitlab, s3 } = scene.harness;
    for (const url of [`${gitlab}/dashboard`, `${s3}/demo/hello.txt`]) {
      const site = { host: new URL(url).host } as Parameters<typeof loopMark>[0];
      expect((await ask(url, { headers: { "CDN-Loop": loopMark(site) } })).status).toBe(508);
    }
    expect(await counted()).toEqual(["raw 508", "object 508"]);
    await expectFailed({ raw: 1, object: 1 });
  });

  it("is not counted where it is for a control route, or for no site", async () => {
    for (const route of ["health", "none"])
      await ask(`${scene.harness.gitlab}/-/forgefront/${route}`, { method: "GET" });
    await ask(`${scene.harness.gitlab}/dashboard`, { headers: { host: "other.example" } });
    expect(await counted()).toEqual([]);
  });
});

describe("a request to a store that fails", () => {
  const asS3 = async (asking: Asking): Promise<number> => {
    const { host, port } = new URL(scene.harness.s3);
    const { at } = (await (await inside("look")).json()) as { readonly at: number };
    return (await send(prepare(asking, host, at), { port: Number(port) })).status;
  };
  const { writer } = DEMO_KEYS;

  it("is counted where it is passed through and its origin is down", async () => {
    hangUp();
    for (const asking of [
      { path: "/demo", query: "list-type=2", as: writer },
      { path: "/demo/new", method: "PUT", body: "new", as: writer },
    ])
      expect(await asS3(asking)).toBe(502);
    expect(await counted()).toEqual(["pass 502", "pass 502"]);
    await expectFailed({ pass: 2 });
  });

  it.each<[string, Asking, string]>([
    ["who signs with another secret", { path: "/demo/hello.txt" }, "object 403"],
    ["who signs a write so", { path: "/demo/hello.txt", method: "PUT", body: "new" }, "pass 403"],
    ["who signs a list so", { path: "/demo", query: "list-type=2" }, "pass 403"],
  ])("is counted once where it is refused: %s", async (_case, asking, wanted) => {
    expect(await asS3({ ...asking, as: { ...writer, secret: "another" } })).toBe(403);
    expect(await counted()).toEqual([wanted]);
  });
});
