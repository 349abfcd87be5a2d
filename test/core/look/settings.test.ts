import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readConfig, type Config } from "../../../src/core/config.ts";
import { NO_COUNTS } from "../../../src/core/look/counts.ts";
import { lookPage } from "../../../src/core/look/page.ts";
import { shownSettings } from "../../../src/core/look/settings.ts";
import { NOW } from "./arbitrary-looks.ts";

const SITES = [
  { host: "git.test", kind: "gitlab", origin: "https://origin.test" },
  { host: "*.s3.test", kind: "s3", origin: "https://rgw.test", auth: "edge", region: "eu-1" },
];
const BOUND = { kv: true, analytics: false, database: true };

function configOf(vars: Readonly<Record<string, unknown>>): Config {
  const answer = readConfig({ SITES, ...vars });
  if (answer.kind === "faults") throw new Error(answer.faults.join("\n"));
  return answer.config;
}

const KEY_SECRET = "a secret of the tests, long enough";

describe("shownSettings()", () => {
  it("does tell of sites, limits and bindings what they are, and of secrets that they are set", () => {
    const config = configOf({
      KEY_SECRET,
      WEBHOOK_SECRET: "a webhook's secret of the tests",
      S3_KEYS: { one: "secret of one", two: "secret of two" },
      PRELOAD_TOKENS: { "git.test": "glpat-preload" },
      REF_S: 5,
    });
    const { sites, limits, secrets, bindings } = shownSettings(config, BOUND);
    expect(sites).toEqual([
      { host: "git.test", kind: "gitlab", origin: "https://origin.test" },
      { host: "*.s3.test and s3.test", kind: "s3", origin: "https://rgw.test", auth: "edge", region: "eu-1" },
    ]);
    expect(limits).toContainEqual({ name: "REF_S", value: 5, fallback: 60 });
    expect(limits).toHaveLength(Object.keys(config.limits).length);
    expect(secrets).toEqual({
      KEY_SECRET: "set",
      CONTROL_TOKEN: "set",
      WEBHOOK_SECRET: "set",
      S3_KEYS: "2 keys",
      PRELOAD_TOKENS: "1 host",
    });
    expect(bindings).toEqual({ FORGEFRONT_KV: true, FORGEFRONT_EVENTS: false, PIPELINES_DB: true });
  });

  it("does say what is not set", () => {
    const { secrets } = shownSettings(configOf({ KEY_SECRET, S3_KEYS: {} }), BOUND);
    expect(secrets).toMatchObject({
      WEBHOOK_SECRET: "not set",
      S3_KEYS: "not set",
      PRELOAD_TOKENS: "not set",
    });
  });

  it("does show nothing of any secret, in the page and as JSON", () => {
    const letters = fc.constantFrom(...Array.from("ABCDEFGHJKLMNPQRSTUVWXYZ"));
    /** No text of the page is like this. */
    const secret = fc.string({ unit: letters, minLength: 20, maxLength: 40 }).map((text) => `Zq${text}`);
    const anySecrets = fc.record({
      KEY_SECRET: secret,
      CONTROL_TOKEN: secret,
      WEBHOOK_SECRET: secret,
      storeKeys: fc.array(fc.tuple(secret, secret), { maxLength: 3 }),
      preload: secret,
    });
    fc.assert(
      fc.property(anySecrets, ({ storeKeys, preload, ...secrets }) => {
        const config = configOf({
          ...secrets,
          S3_KEYS: Object.fromEntries(storeKeys),
          PRELOAD_TOKENS: { "git.test": preload },
        });
        const settings = shownSettings(config, BOUND);
        const texts = [
          JSON.stringify(settings),
          lookPage({ ...NO_COUNTS, isolates: 1, since: NOW }, settings, NOW),
        ];
        for (const each of [...Object.values(secrets), ...storeKeys.flat(), preload])
          for (const text of texts) expect(text).not.toContain(each);
      }),
    );
  });
});
