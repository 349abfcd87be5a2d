import { describe, expect, it } from "vitest";
import { type Config, LIMITS, readConfig } from "../../src/core/config.ts";

const SITE = { host: "git.example.com", kind: "gitlab", origin: "https://origin.example.com" };
const GOOD = { SITES: [SITE], KEY_SECRET: "0123456789abcdef" };

function config(vars: Record<string, unknown>): Config {
  const answer = readConfig(vars);
  if (answer.kind === "faults") throw new Error(answer.faults.join("\n"));
  return answer.config;
}

function faults(vars: Record<string, unknown>): readonly string[] {
  const answer = readConfig(vars);
  return answer.kind === "faults" ? answer.faults : [];
}

describe("a configuration without faults", () => {
  it("readConfig() does fill in every limit that is not set", () => {
    const defaults = Object.fromEntries(
      Object.entries(LIMITS).map(([name, { fallback }]) => [name, fallback]),
    );
    expect(config(GOOD)).toEqual({
      sites: [SITE],
      limits: defaults,
      keySecret: GOOD.KEY_SECRET,
      storeKeys: new Map(),
      controlToken: undefined,
      webhookSecret: undefined,
      preloadTokens: new Map(),
      databaseSite: undefined,
    });
  });

  it("LIMITS does hold defaults that may be set as well", () => {
    const vars = Object.fromEntries(Object.entries(LIMITS).map(([name, { fallback }]) => [name, fallback]));
    expect(config({ ...GOOD, ...vars }).limits).toEqual(vars);
  });

  it.each(Object.entries(LIMITS))(
    "readConfig() does take %s as number and as text, to both ends",
    (name, { min, max }) => {
      const others = name === "GRANT_S" ? { GRANT_REFRESH_S: 1 } : {};
      for (const value of [min, max]) {
        expect(config({ ...GOOD, ...others, [name]: value }).limits).toHaveProperty(name, value);
        expect(config({ ...GOOD, ...others, [name]: String(value) }).limits).toHaveProperty(name, value);
      }
    },
  );

  it("readConfig() does take SITES as a list and as JSON", () => {
    const sites = [SITE, { host: "127.0.0.1:8081", kind: "gitea", origin: "http://127.0.0.1:3000" }];
    expect(config({ ...GOOD, SITES: sites }).sites).toEqual(sites);
    expect(config({ ...GOOD, SITES: JSON.stringify(sites) }).sites).toEqual(sites);
  });

  it.each([
    ["git.example.com"],
    ["localhost"],
    ["localhost:8080"],
    ["h:443"],
    ["h:80"],
    ["127.0.0.1"],
    ["[::1]:8080"],
    ["xn--bcher-kva.example"],
  ])("readConfig() does take the host %s", (host) => {
    expect(config({ ...GOOD, SITES: [{ ...SITE, host }] }).sites).toEqual([{ ...SITE, host }]);
  });

  it("readConfig() does write an origin without its last slash", () => {
    expect(config({ ...GOOD, SITES: [{ ...SITE, origin: "http://o.example:3000/" }] }).sites[0]?.origin).toBe(
      "http://o.example:3000",
    );
  });

  it("readConfig() does tell two ports of one host apart", () => {
    const sites = [
      { ...SITE, host: "h:1" },
      { ...SITE, host: "h:2" },
    ];
    expect(config({ ...GOOD, SITES: sites }).sites).toHaveLength(2);
  });

  it("readConfig() does take a control token, and pay no heed to other variables", () => {
    expect(config({ ...GOOD, CONTROL_TOKEN: "fedcba9876543210", OTHER: {}, KV: {} }).controlToken).toBe(
      "fedcba9876543210",
    );
  });
});

describe("the database of a forge", () => {
  const OTHER = { host: "other.example.com", kind: "gitlab", origin: "https://other.example" };
  const PIPELINES_DB = { connectionString: "postgres://" };

  it("readConfig() does take it for the only gitlab, and for the one that is named", () => {
    expect(config({ ...GOOD, PIPELINES_DB }).databaseSite).toEqual(SITE);
    const several = { ...GOOD, SITES: [SITE, OTHER], PIPELINES_DB, PIPELINES_DB_HOST: OTHER.host };
    expect(config(several).databaseSite).toEqual(OTHER);
  });

  it.each([
    ["several gitlabs and no name", { SITES: [SITE, OTHER], PIPELINES_DB }],
    ["no gitlab", { SITES: [{ ...SITE, kind: "gitea" }], PIPELINES_DB }],
    ["the name of no site", { PIPELINES_DB, PIPELINES_DB_HOST: "x.example.com" }],
    ["a name and no database", { PIPELINES_DB_HOST: SITE.host }],
  ])("readConfig() does report %s by name", (_case, vars) => {
    expect(faults({ ...GOOD, ...vars })).toEqual([expect.stringContaining("PIPELINES_DB")]);
  });
});

describe("the secret of webhooks", () => {
  it.each([
    ["a-secret-of-the-hooks"],
    ["ein Geheimnis mit Umlauten: äöü"],
    ["whsec_MDEyMzQ1Njc4OWFiY2RlZg=="],
  ])("readConfig() does take %j", (secret) =>
    expect(config({ ...GOOD, WEBHOOK_SECRET: secret }).webhookSecret).toBe(secret),
  );

  it.each([["short"], [""], [16], ["whsec_not!base64!at!all"], ["whsec_MDEyMzQ1Njc4OWFiY2RlZ"]])(
    "readConfig() does report %j by name, and not what it is",
    (secret) => {
      const [fault, ...more] = faults({ ...GOOD, WEBHOOK_SECRET: secret });
      expect(more).toEqual([]);
      expect(fault).toMatch(/^WEBHOOK_SECRET /);
      if (typeof secret === "string" && secret !== "") expect(fault).not.toContain(secret);
    },
  );
});

describe("a limit that makes no sense", () => {
  it.each([
    [""],
    [" 20"],
    ["20 "],
    ["2e1"],
    ["0x14"],
    ["+20"],
    ["-1"],
    ["20.0"],
    ["٢٠"],
    [20.5],
    [-1],
    [Number.NaN],
    [Infinity],
    [1e9],
    ["1000000000"],
    ["9".repeat(20)],
    [null],
    [true],
    [[20]],
    [{}],
  ])("readConfig() does report %j by name, and not fall back", (value) => {
    expect(faults({ ...GOOD, REF_S: value })).toEqual([
      expect.stringMatching(/^REF_S must be a whole number from 1 to 3600, not /),
    ]);
  });

  it.each(Object.entries(LIMITS))(
    "readConfig() does report %s just outside its bounds",
    (name, { min, max }) => {
      for (const value of [min - 1, max + 1]) {
        expect(faults({ ...GOOD, [name]: value })).toEqual([expect.stringContaining(name)]);
      }
    },
  );

  it("readConfig() does report a refresh that comes after the end", () => {
    expect(faults({ ...GOOD, GRANT_S: 10, GRANT_REFRESH_S: 11 })).toEqual([
      "GRANT_REFRESH_S must not exceed GRANT_S",
    ]);
    expect(faults({ ...GOOD, GRANT_S: 10, GRANT_REFRESH_S: "10" })).toEqual([]);
    expect(faults({ ...GOOD, GRANT_S: 0, GRANT_REFRESH_S: 20 })).toEqual([]);
  });
});

describe("sites that make no sense", () => {
  it.each([[undefined], [null], [""], ["[]"], [[]], ["{}"], ["not json"], [SITE], [1]])(
    "readConfig() does report SITES = %j",
    (SITES) => {
      expect(faults({ ...GOOD, SITES })).toEqual([expect.stringMatching(/^SITES must be a list/)]);
    },
  );

  it.each([["a"], [null], [1]])("readConfig() does report an entry %j", (entry) => {
    expect(faults({ ...GOOD, SITES: [SITE, entry] })).toEqual([expect.stringMatching(/^SITES\[1\] must be/)]);
  });

  it.each([
    [undefined],
    [""],
    [1],
    ["Git.example.com"],
    ["https://git.example.com"],
    ["git.example.com/"],
    ["a b"],
    ["a/b"],
    ["me@a"],
    ["a?b"],
    ["a#b"],
    ["*.example.com"],
    ["bücher.example"],
    ["a:99999"],
    ["a:"],
    ["a:0080"],
    ["127.1"],
  ])("readConfig() does report the host %j", (host) => {
    const found = faults({ ...GOOD, SITES: [{ ...SITE, host }] });
    expect(found).toEqual([expect.stringMatching(/^SITES\[0\]\.host must be/)]);
  });

  it.each([[undefined], [""], ["github"], ["GitLab"], ["toString"], [0]])(
    "readConfig() does report the kind %j",
    (kind) => {
      expect(faults({ ...GOOD, SITES: [{ ...SITE, kind }] })).toEqual([
        expect.stringMatching(/^SITES\[0\]\.kind must be one of gitlab, gitea/),
      ]);
    },
  );

  it.each([
    [undefined],
    [""],
    [1],
    ["o.example"],
    ["//o.example"],
    ["ftp://o.example"],
    ["https://"],
    ["https://o.example/path"],
    ["https://o.example//"],
    ["https://o.example?"],
    ["https://o.example#"],
    ["https://O.example"],
    ["https://o.example:443"],
    ["https:\\\\o.example"],
    ["javascript:0"],
    ["data:,a"],
  ])("readConfig() does report the origin %j", (origin) => {
    const found = faults({ ...GOOD, SITES: [{ ...SITE, origin }] });
    expect(found).toEqual([expect.stringMatching(/^SITES\[0\]\.origin must be/)]);
  });

  it("readConfig() does report a setting it does not know", () => {
    expect(faults({ ...GOOD, SITES: [{ ...SITE, orgin: "x" }] })).toEqual([
      'SITES[0] has an unknown setting "orgin"',
    ]);
  });

  it("readConfig() does report a host that is named twice", () => {
    expect(faults({ ...GOOD, SITES: [SITE, { ...SITE, kind: "gitea" }] })).toEqual([
      "SITES names the host git.example.com twice",
    ]);
  });
});

describe("secrets", () => {
  it.each([
    [undefined, "KEY_SECRET is missing"],
    [null, "KEY_SECRET must be"],
    ["", "KEY_SECRET must be"],
    ["0123456789abcde", "KEY_SECRET must be"],
    [1234567890123456, "KEY_SECRET must be"],
  ])("readConfig() does report the key secret %j", (KEY_SECRET, fault) => {
    expect(faults({ ...GOOD, KEY_SECRET })).toEqual([expect.stringContaining(fault)]);
  });

  it.each([[null], [""], ["short"], [1]])(
    "readConfig() does report the control token %j",
    (CONTROL_TOKEN) => {
      expect(faults({ ...GOOD, CONTROL_TOKEN })).toEqual([expect.stringContaining("CONTROL_TOKEN must be")]);
    },
  );

  it("readConfig() does never show one", () => {
    const SITES = [{ ...SITE, origin: "https://me:hunter2@origin.example.com" }];
    const shown = faults({ SITES, KEY_SECRET: "hunter2", CONTROL_TOKEN: "hunter2" });
    expect(shown).toHaveLength(3);
    expect(shown.join("\n")).not.toContain("hunter2");
  });
});

it("readConfig() does report all faults together, each by name", () => {
  const found = faults({
    SITES: [{ host: "A", kind: "b", origin: "c", more: 1 }, SITE, SITE, 7],
    KEY_SECRET: "short",
    CONTROL_TOKEN: "short",
    REF_S: "soon",
    BLOCK_BYTES: 1,
    GRANT_S: 5,
    GRANT_REFRESH_S: 6,
  });
  for (const name of [
    "SITES[0].host",
    "SITES[0].kind",
    "SITES[0].origin",
    '"more"',
    "SITES[3]",
    "git.example.com twice",
    "KEY_SECRET",
    "CONTROL_TOKEN",
    "REF_S",
    "BLOCK_BYTES",
    "GRANT_REFRESH_S",
  ]) {
    expect(found.filter((fault) => fault.includes(name))).toHaveLength(1);
  }
  expect(found).toHaveLength(11);
});

describe("an object store", () => {
  const STORE = { host: "s3.example.com", kind: "s3", origin: "http://rgw.example.com", auth: "edge" };
  const SHARED = { ...STORE, origin: "http://s3.example.com", auth: "rgw" };
  const S3_KEYS = { AKIA: "hunter2" };

  it("readConfig() does take its keys as an object and as JSON", () => {
    const sites = [{ ...STORE, region: "us-east-1" }];
    for (const value of [S3_KEYS, JSON.stringify(S3_KEYS)]) {
      const read = config({ ...GOOD, SITES: [STORE], S3_KEYS: value });
      expect([read.sites, read.storeKeys]).toEqual([sites, new Map([["AKIA", "hunter2"]])]);
    }
  });

  it.each<[string, object, readonly unknown[]]>([
    ["edge without keys", { SITES: [STORE] }, [expect.stringMatching(/^S3_KEYS is missing/)]],
    ["edge with an empty list of keys", { SITES: [STORE], S3_KEYS: {} }, []],
    ["rgw without keys", { SITES: [SHARED] }, []],
    ["a forge with keys", { S3_KEYS }, []],
    [
      "keys that are none",
      { SITES: [STORE], S3_KEYS: "hunter2" },
      [expect.stringMatching(/^S3_KEYS must be/)],
    ],
    ["no keys by null", { SITES: [STORE], S3_KEYS: null }, [expect.stringMatching(/^S3_KEYS must be/)]],
  ])("readConfig() does judge %s", (_case, vars, wanted) => {
    expect(faults({ ...GOOD, ...vars })).toEqual(wanted);
  });

  it("readConfig() does report all faults together, and no secret in any", () => {
    const found = faults({
      ...GOOD,
      SITES: [
        { ...STORE, auth: "none", region: "" },
        { ...STORE, host: "*." },
        { ...STORE, origin: "http://a:hunter2@b" },
      ],
      S3_KEYS: { "a/b": "hunter2", hunter2: 1, "hun/ter2": "" },
      OBJECT_BYTES: "all",
      READ_AHEAD_BLOCKS: 0,
    });
    for (const name of [
      "[0].auth",
      "[0].region",
      "[1].host",
      "[2].origin",
      "OBJECT_BYTES",
      "READ_AHEAD_BLOCKS",
    ]) {
      expect(found.filter((fault) => fault.includes(name))).toHaveLength(1);
    }
    expect(found.filter((fault) => fault.startsWith("S3_KEYS"))).toHaveLength(4);
    expect(found.join("\n")).not.toMatch(/hunter2|ter2/);
  });
});
