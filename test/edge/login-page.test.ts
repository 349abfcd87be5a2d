import { afterAll, beforeAll, expect, it } from "vitest";
import { PRIVATE_MARKER } from "../../scripts/demo/demo.ts";
import { startHarness, type Harness } from "./harness.ts";

const FILE = "/demo/nested/secret/-/raw/main/config/private.txt";
const LOGIN_PAGE = "<!doctype html><title>Who are you?</title>";

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({ bigFileBytes: 1024 });
});
afterAll(() => harness.close());

/** What stands before the forge answers strangers with a page of its own, and says 200. */
function askStrangersToSignIn(isStranger: (headers: Record<string, unknown>) => boolean): void {
  harness.demo.gitlab.intercept = (request, response) => {
    if (!isStranger(request.headers)) return false;
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", etag: '"of-the-page"' });
    response.end(LOGIN_PAGE);
    return true;
  };
}

it("a sign-in page that says 200 does open nothing that is cached", async () => {
  const reader = await fetch(harness.gitlab + FILE, { headers: { "PRIVATE-TOKEN": "glpat-reader" } });
  expect(await reader.text()).toContain(PRIVATE_MARKER);
  askStrangersToSignIn((headers) => headers["cookie"] !== undefined);
  for (let attempt = 0; attempt < 3; attempt++) {
    const stranger = await fetch(harness.gitlab + FILE, { headers: { cookie: "_gitlab_session=stranger" } });
    expect(await stranger.text()).toBe(LOGIN_PAGE);
    expect(stranger.headers.get("cache-status")).toBe("forgefront; fwd=bypass");
  }
});

it("a sign-in page that says 200 does not become the content of a file", async () => {
  const fresh = FILE.replace("private.txt", "private.txt?inline=false");
  askStrangersToSignIn((headers) => headers["private-token"] !== undefined);
  const first = await fetch(harness.gitlab + fresh, { headers: { "PRIVATE-TOKEN": "glpat-reader" } });
  expect(await first.text()).toBe(LOGIN_PAGE);
  harness.demo.gitlab.intercept = undefined;
  const second = await fetch(harness.gitlab + fresh, { headers: { "PRIVATE-TOKEN": "glpat-reader" } });
  expect(await second.text()).toContain(PRIVATE_MARKER);
});
