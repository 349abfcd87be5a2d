import { describe, expect, it } from "vitest";
import { readSites } from "../../src/core/config-sites.ts";

const STORE = { host: "s3.example", kind: "s3", origin: "http://origin.example:7480", auth: "edge" };

function read(...sites: unknown[]) {
  const faults: string[] = [];
  return { sites: readSites(sites, faults), faults };
}

describe("an object store without faults", () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["no region", {}, { region: "us-east-1" }],
    ["a region", { region: "eu-central-1" }, { region: "eu-central-1" }],
    ["buckets before its host", { host: "*.s3.example" }, { host: "*.s3.example", region: "us-east-1" }],
    ["a port", { host: "*.localhost:8080" }, { host: "*.localhost:8080", region: "us-east-1" }],
    [
      "a slash behind its origin",
      { origin: "https://origin.example/" },
      { origin: "https://origin.example", region: "us-east-1" },
    ],
    [
      "Ceph's auth API and its host in common",
      { auth: "rgw", origin: "http://s3.example" },
      { auth: "rgw", origin: "http://s3.example", region: "us-east-1" },
    ],
    [
      "probes, buckets and its host in common",
      { auth: "probe", host: "*.s3.example:8080", origin: "http://s3.example:8080" },
      { auth: "probe", host: "*.s3.example:8080", origin: "http://s3.example:8080", region: "us-east-1" },
    ],
    [
      "a port that is its scheme's own",
      { auth: "probe", host: "s3.example:443", origin: "https://s3.example" },
      { auth: "probe", host: "s3.example:443", origin: "https://s3.example", region: "us-east-1" },
    ],
  ])("readSites() does take one with %s", (_case, changes, wanted) => {
    expect(read({ ...STORE, ...changes })).toEqual({ sites: [{ ...STORE, ...wanted }], faults: [] });
  });

  it("readSites() does tell a host from the one with buckets before it", () => {
    const { sites, faults } = read(STORE, { ...STORE, host: "*.s3.example" });
    expect([sites.length, faults]).toEqual([2, []]);
  });
});

describe("an object store with faults", () => {
  it.each([[undefined], [null], [""], ["EDGE"], ["none"], ["toString"], [1]])(
    "readSites() does report the auth %j",
    (auth) => {
      expect(read({ ...STORE, auth })).toEqual({
        sites: [],
        faults: [expect.stringMatching(/^SITES\[0\]\.auth must be one of edge, rgw, probe, not /)],
      });
    },
  );

  it.each([
    [""],
    ["US-EAST-1"],
    ["us east"],
    ["us/east"],
    ["us,east"],
    ["a".repeat(65)],
    [1],
    [null],
    [["us-east-1"]],
  ])("readSites() does report the region %j", (region) => {
    expect(read({ ...STORE, region }).faults).toEqual([expect.stringMatching(/^SITES\[0\]\.region must be/)]);
  });

  it.each([
    ["*"],
    ["*."],
    ["*.*.example"],
    ["a.*.example"],
    ["*a.example"],
    ["*.S3.example"],
    ["**.example"],
    [""],
  ])("readSites() does report the host %j", (host) => {
    expect(read({ ...STORE, host }).faults).toEqual([expect.stringMatching(/^SITES\[0\]\.host must be/)]);
  });

  it.each([
    ["rgw", "s3.example", "http://origin.example"],
    ["probe", "s3.example", "http://origin.example"],
    ["probe", "s3.example", "http://s3.example:7480"],
    ["rgw", "*.s3.example", "http://bucket.s3.example"],
    ["rgw", "s3.example:443", "http://s3.example"],
  ])("readSites() does report %s for %s with the origin %s, for which nobody signs", (auth, host, origin) => {
    expect(read({ ...STORE, auth, host, origin }).faults).toEqual([
      expect.stringMatching(/^SITES\[0\]\.origin must have the host s3\.example/),
    ]);
  });

  it("readSites() does report what it does not know", () => {
    expect(read({ ...STORE, regoin: "a" }).faults).toEqual(['SITES[0] has an unknown setting "regoin"']);
  });

  it.each([["gitlab"], ["gitea"]])("readSites() does report what a %s has no use for", (kind) => {
    const { faults } = read({ host: "*.h", kind, origin: "http://o", auth: "edge", region: "a" });
    expect(faults).toEqual([
      'SITES[0] has an unknown setting "auth"',
      'SITES[0] has an unknown setting "region"',
      expect.stringMatching(/^SITES\[0\]\.host must be/),
    ]);
  });

  it("readSites() does report a host that is named twice", () => {
    expect(read(STORE, STORE).faults).toEqual(["SITES names the host s3.example twice"]);
  });
});

describe("a password where none belongs", () => {
  it.each([
    [{ origin: "https://me:hunter2@origin.example" }],
    [{ origin: "https://me:hun/ter2@origin.example" }],
    [{ origin: "https://me:h@hunter2@origin.example" }],
    [{ origin: "https:\\\\me:hunter2@origin.example" }],
    [{ origin: "https:me:hunter2@origin.example" }],
    [{ origin: "me:hunter2@origin.example" }],
    [{ host: "me:hunter2@s3.example" }],
    [{ auth: "probe", origin: "https://me:hunter2@s3.example" }],
  ])("readSites() does report %j without it", (changes) => {
    const { faults } = read({ ...STORE, ...changes });
    expect(faults).toHaveLength(1);
    expect(faults[0]).not.toMatch(/ter2|hunter/);
  });
});
