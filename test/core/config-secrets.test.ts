import { describe, expect, it } from "vitest";
import { readPreloadTokens, readSecret, readStoreKeys } from "../../src/core/config-secrets.ts";

const SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

function read(value: unknown) {
  const faults: string[] = [];
  return { keys: readStoreKeys(value, faults), faults };
}

describe("the keys of stores", () => {
  it("readStoreKeys() does take an object and its JSON", () => {
    const keys = { AKIAIOSFODNN7EXAMPLE: SECRET, "user:sub-1.@+=": "s" };
    const wanted = { keys: new Map(Object.entries(keys)), faults: [] };
    expect(read(keys)).toEqual(wanted);
    expect(read(JSON.stringify(keys))).toEqual(wanted);
  });

  it.each([[undefined], ["{}"], [{}]])("readStoreKeys() does find none in %j", (value) => {
    expect(read(value)).toEqual({ keys: new Map(), faults: [] });
  });

  it("readStoreKeys() does take a key that is named like a method", () => {
    const { keys, faults } = read('{"constructor":"s","__proto__":"t"}');
    expect([keys.get("constructor"), keys.get("__proto__"), keys.get("toString"), faults]).toEqual([
      "s",
      "t",
      undefined,
      [],
    ]);
  });

  it.each([
    [""],
    ["AKIA"],
    [SECRET],
    ["null"],
    [null],
    [`["${SECRET}"]`],
    [[SECRET]],
    [1],
    [true],
    [`{"A":"${SECRET}"`],
  ])("readStoreKeys() does report %j, and not what it holds", (value) => {
    expect(read(value)).toEqual({
      keys: new Map(),
      faults: ["S3_KEYS must be a JSON object of secrets by access key id"],
    });
  });

  it.each([[""], ["a b"], ["a,b"], ["a/b"], ["a\n"], ["schlüssel"], ["a".repeat(129)]])(
    "readStoreKeys() does report the access key id %j",
    (id) => {
      expect(read({ A: "s", [id]: SECRET }).faults).toEqual([
        expect.stringMatching(/^S3_KEYS.*\b2\b.*access key id/),
      ]);
    },
  );

  it.each([[""], [null], [1], [[SECRET]], [{ secret: SECRET }]])(
    "readStoreKeys() does report the secret %j, and not what it is",
    (secret) => {
      const { faults } = read({ A: secret });
      expect(faults).toEqual([expect.stringMatching(/^S3_KEYS.*\b1\b.*text/)]);
      expect(faults.join("")).not.toContain(SECRET);
    },
  );

  it("readStoreKeys() does show no secret, not even one in the wrong place", () => {
    for (const value of [
      { [SECRET]: "AKIA" },
      { [SECRET]: "" },
      { "": SECRET },
      { "a b": SECRET, [SECRET]: 1 },
    ]) {
      const { faults } = read(value);
      expect(faults.length).toBeGreaterThan(0);
      expect(faults.join("\n")).not.toContain(SECRET);
    }
  });
});

describe("a secret", () => {
  it.each<[unknown, string | undefined, number]>([
    [undefined, undefined, 0],
    ["0123456789abcdef", "0123456789abcdef", 0],
    ["0123456789abcde", undefined, 1],
    ["", undefined, 1],
    [null, undefined, 1],
    [["0123456789abcdef"], undefined, 1],
  ])("readSecret() does read %j", (value, secret, count) => {
    const faults: string[] = [];
    expect(readSecret({ NAME: value }, "NAME", faults)).toBe(secret);
    expect(faults).toEqual(Array(count).fill("NAME must be a text of at least 16 characters"));
  });
});

describe("the tokens to preload with", () => {
  const SITES = [
    { host: "git.example.com", kind: "gitlab", origin: "https://o.example" },
    { host: "s3.example.com", kind: "s3", origin: "https://r.example", auth: "edge", region: "us-east-1" },
  ] as const;
  const tokens = (value: unknown) => {
    const faults: string[] = [];
    return { tokens: readPreloadTokens(value, SITES, faults), faults };
  };

  it("readPreloadTokens() does take an object and its JSON, and nothing for nothing", () => {
    const wanted = { tokens: new Map([["git.example.com", "glpat-1"]]), faults: [] };
    expect(tokens({ "git.example.com": "glpat-1" })).toEqual(wanted);
    expect(tokens('{"git.example.com":"glpat-1"}')).toEqual(wanted);
    expect(tokens(undefined)).toEqual({ tokens: new Map(), faults: [] });
  });

  it.each([
    ["no JSON", "glpat-secret"],
    ["a list", ["glpat-secret"]],
    ["a host of no site", { "other.example.com": "glpat-secret" }],
    ["a host of a store", { "s3.example.com": "glpat-secret" }],
    ["an empty token", { "git.example.com": "" }],
    ["a token with a line end", { "git.example.com": "glpat-secret\n" }],
    ["a token that is no text", { "git.example.com": 1 }],
  ])("readPreloadTokens() does report %s, and no token", (_case, value) => {
    const { faults } = tokens(value);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^PRELOAD_TOKENS/);
    expect(faults[0]).not.toContain("secret");
  });
});
