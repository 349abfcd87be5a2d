import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { startHarness, type Harness } from "./harness.ts";
import { askExactly } from "./artifact-scene.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ bigFileBytes: 1024, vars: { ORIGIN_TIMEOUT_S: 1, ORIGIN_STALL_S: 1 } });
});
let clockOffsetMs = 0;
afterEach(async () => {
  harness.demo.gitlab.intercept = undefined;
  clockOffsetMs += 40_000; // a "no" is believed for 10 s
  await harness.world({ clockOffsetMs });
});
afterAll(async () => await harness.close());

const COOKIE = { cookie: "_gitlab_session=session-reader" };
const ASKED = [
  ["git", "/demo/hello/-/raw/main/README.md", {}],
  ["the very request", "/demo/hello/-/raw/main/README.md", COOKIE],
  ["an archive", "/api/v4/projects/1/jobs/1001/artifacts/coverage/index.html", {}],
  ["a list", "/api/v4/projects/1/pipelines", {}],
] as const;

const BROKEN = {
  "stands still": () => undefined,
  "breaks off": (response: ServerResponse) => void setTimeout(() => response.destroy(), 20),
};

const CASES = ASKED.flatMap(([what, path, headers]) =>
  Object.entries(BROKEN).map(([how, end]) => ({ what, path, headers, how, end })),
);

it.each(CASES)("a refusal of $what whose body $how is a refusal without one", async (given) => {
  const { path, headers, end } = given;
  const closed: Promise<unknown>[] = [];
  harness.demo.gitlab.intercept = (request, response) => {
    closed.push(once(request.socket, "close"));
    response.writeHead(403, { "content-type": "text/plain", "content-length": 9 });
    response.write("half");
    end(response);
    return true;
  };
  const answer = await askExactly(harness.gitlab, path, { headers });
  expect([answer.status, answer.body.toString()]).toEqual([403, ""]);
  expect(closed.length).toBeGreaterThan(0);
  await Promise.all(closed); // none is left to the origin
});
