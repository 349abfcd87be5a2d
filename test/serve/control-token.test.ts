import { describe, expect, it } from "vitest";
import { createApp, type AppParts } from "../../src/app.ts";
import { readConfig } from "../../src/core/config.ts";

const answer = readConfig({
  KEY_SECRET: "a secret of the tests, long enough",
  SITES: [{ host: "git.test", kind: "gitlab", origin: "https://origin.test" }],
});
if (answer.kind === "faults") throw new Error(answer.faults.join("\n"));

/** No more of the Worker than a control route may touch before it knows who asks. */
const parts = {
  journey: { isolate: { ports: { config: answer.config } }, targets: { get: () => undefined } },
  scrape: () => Promise.reject(new Error("Nobody may see the metrics")),
  isControlToken: () => Promise.resolve(true),
  listKv: undefined,
  onFault: () => undefined,
} as unknown as AppParts;

describe("without a control token", () => {
  it.each([
    ["POST", "purge"],
    ["GET", "purge"],
    ["GET", "metrics"],
  ])("%s /-/forgefront/%s is not there", async (method, route) => {
    const body = method === "POST" ? { body: '{"project":"group/app"}' } : {};
    const headers = { authorization: "Bearer anything" };
    const request = new Request(`https://git.test/-/forgefront/${route}`, { method, headers, ...body });
    const response = await createApp(parts)(request, () => undefined);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ type: "urn:forgefront:problem:not_found" });
  });
});
