import { describe, expect, it } from "vitest";
import { createApp, type AppParts } from "../../src/app.ts";
import { readConfig } from "../../src/core/config.ts";
import { Failure } from "../../src/core/problem.ts";
import { telemetry } from "../../workers/telemetry.ts";
import { NOW } from "./records.ts";

const configured = readConfig({
  KEY_SECRET: "a secret of the tests, long enough",
  SITES: [
    { host: "git.test", kind: "gitlab", origin: "https://origin.test" },
    { host: "s3.test", kind: "s3", origin: "http://s3.test", auth: "rgw" },
  ],
});
if (configured.kind === "faults") throw new Error(configured.faults.join("\n"));
const { config } = configured;

/** The Worker's door, behind which everything fails in the same way; and what it tells. */
function failing(error: unknown) {
  const faults: unknown[] = [];
  const { port, scrape, look } = telemetry({ sizes: () => [], dataset: undefined, isolate: () => "one" });
  const fail = async () => {
    throw error;
  };
  const parts = {
    journey: {
      isolate: { ports: { config, now: () => NOW, telemetry: port, passThrough: fail } },
      askers: { digest: fail, known: { get: () => undefined } },
      targets: { get: () => undefined, set: () => undefined },
    },
    scrape: () => scrape(NOW),
    isControlToken: async () => false,
    onFault: (fault: unknown) => void faults.push(fault),
  } as unknown as AppParts;
  const app = createApp(parts);
  const ask = async (url: string): Promise<number> => {
    const headers = url.startsWith("https://git.test/") ? { "private-token": "somebody" } : {};
    return (await app(new Request(url, { headers }), () => undefined)).status;
  };
  return { ask, faults, scrape, look };
}

const ROWS = [
  ["https://git.test/g/p/-/raw/main/a", "raw"],
  ["https://git.test/dashboard", "pass"],
  ["https://s3.test/bucket?list-type=2", "pass"],
] as const;

describe.each(ROWS)("a request for %s that fails", (url, lane) => {
  it.each([
    [new TypeError("A bug"), 500],
    [new Failure("origin_unreachable"), 502],
    [new Failure("origin_timeout"), 504],
  ])("is counted once where it fails with %s", async (error, status) => {
    const { ask, faults, scrape, look } = failing(error);
    expect(await ask(url)).toBe(status);
    expect(faults).toEqual(error instanceof Failure ? [] : [error]);
    const { lanes } = look(NOW);
    for (const [name, { requests, failed }] of Object.entries(lanes))
      expect([name, requests, failed]).toEqual(name === lane ? [name, 1, 1] : [name, 0, 0]);
    expect((await scrape(NOW)).text).toContain(
      `forgefront_requests_total{lane="${lane}",status="${status}"} 1\n`,
    );
  });
});

describe("a request that is for no content", () => {
  it.each([
    ["https://git.test/-/forgefront/health", 200],
    ["https://git.test/-/forgefront/none", 404],
    ["https://other.test/", 421],
  ])("is not counted: %s", async (url, status) => {
    const { ask, look } = failing(new TypeError("A bug"));
    expect(await ask(url)).toBe(status);
    expect(Object.values(look(NOW).lanes).map(({ requests }) => requests)).toEqual([0, 0, 0, 0, 0]);
  });
});
