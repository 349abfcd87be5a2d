import { describe, expect, it } from "vitest";
import { hasCacheApi } from "../../scripts/load/edge-kind.ts";
import { judgePreview } from "../../scripts/load/judge-preview.ts";
import { readPreview, targetsOf } from "../../scripts/load/preview-plan.ts";
import { remarks } from "../../scripts/load/run-on-preview.ts";
import { previewThresholds } from "../../scripts/load/thresholds.ts";

const BASE_URL = "https://abc-forgefront.example.workers.dev";
const FILE = { lane: "raw", url: "/group/app/-/raw/main/README.md" };
const SECRET = { ...FILE, url: "https://git.example.com/group/secret/-/raw/main/x", private: true };
const OBJECT = { lane: "objects", url: "/bucket/key", private: true, sha256: "0".repeat(64) };

const targets = (...list: readonly unknown[]) => JSON.stringify(list);
const faultsOf = (environment: Readonly<Record<string, string>>) => {
  const answer = readPreview({ BASE_URL, ...environment });
  return answer.kind === "faults" ? answer.faults : [];
};

describe("hasCacheApi()", () => {
  it.each([
    ["https://forgefront.example.workers.dev", false],
    ["https://abc123-forgefront.example.workers.dev/x", false],
    ["https://FORGEFRONT.example.WORKERS.dev.", false],
    ["https://git.example.com", true],
    ["https://workers.dev.example.com", true],
    ["https://myworkers.dev", true],
    ["http://127.0.0.1:8787", true],
  ])("says of %s: %s", (url, expected) => {
    expect(hasCacheApi(url)).toBe(expected);
  });
});

describe("readPreview()", () => {
  it("reads who asks for what", () => {
    const answer = readPreview({
      BASE_URL,
      LOAD_TARGETS: targets(FILE, SECRET, OBJECT),
      TOKEN: "yes",
      DENIED_TOKEN: "no",
      S3_KEY: "ID:se:cret",
      S3_REGION: "eu-1",
    });
    expect(answer).toMatchObject({
      kind: "preview",
      preview: {
        base: BASE_URL,
        targets: [
          { lane: "raw", url: `${BASE_URL}${FILE.url}`, isPrivate: false, sha256: undefined },
          { lane: "raw", url: SECRET.url, isPrivate: true },
          { lane: "objects", url: `${BASE_URL}/bucket/key`, isPrivate: true, sha256: OBJECT.sha256 },
        ],
        askers: [
          { who: "TOKEN", headers: { Authorization: "Bearer yes" }, mayRead: true },
          { who: "DENIED_TOKEN", headers: { Authorization: "Bearer no" }, mayRead: false },
          { who: "anybody", headers: {}, mayRead: false },
        ],
        storeAskers: [
          { who: "S3_KEY", key: { id: "ID", secret: "se:cret", region: "eu-1" }, mayRead: true },
          { who: "anybody", key: undefined, mayRead: false },
        ],
      },
    });
    if (answer.kind !== "preview") return;
    expect(targetsOf(answer.preview, "objects")).toHaveLength(1);
    expect(targetsOf(answer.preview, "mixed")).toHaveLength(3);
  });

  it("tells all faults at once", () => {
    const list = [{ lane: "git", url: 1, private: "yes", sha256: "x" }, SECRET, OBJECT];
    expect(faultsOf({ BASE_URL: "ftp://example.com", LOAD_TARGETS: targets(...list), S3_KEY: "x" })).toEqual([
      "BASE_URL is no http or https URL",
      "LOAD_TARGETS[0].lane is none of raw, objects, artifacts, pipelines",
      "LOAD_TARGETS[0].url is no URL or path",
      "LOAD_TARGETS[0].private is neither true nor false",
      "LOAD_TARGETS[0].sha256 is no SHA-256 in hex",
      "LOAD_TARGETS[2].url is no URL or path",
      "S3_KEY is not of the form id:secret",
      "LOAD_TARGETS names what is private, and TOKEN is not set",
    ]);
    expect(faultsOf({})).toEqual([expect.stringContaining("LOAD_TARGETS is no JSON list")]);
    expect(faultsOf({ LOAD_TARGETS: "[]" })).toHaveLength(1);
    expect(faultsOf({ LOAD_TARGETS: targets(OBJECT), TOKEN: "yes" })).toEqual([
      "LOAD_TARGETS names what is private, and S3_KEY is not set",
    ]);
  });
});

describe("remarks()", () => {
  const target = { lane: "raw", url: BASE_URL, isPrivate: true, sha256: undefined } as const;

  it("says what is not judged, and hits of bodies are not where nothing keeps them", () => {
    expect(remarks({ base: BASE_URL, targets: [target] })).toEqual([
      expect.stringContaining("nothing is pushed"),
      expect.stringContaining("the Cache API does nothing"),
    ]);
    const open = { base: "https://git.example.com", targets: [{ ...target, isPrivate: false }] };
    expect(remarks(open)).toEqual([
      expect.stringContaining("nothing is pushed"),
      expect.stringContaining("nothing private"),
    ]);
    expect(previewThresholds({ p95Ms: 1, hasBodies: false })).not.toHaveProperty("body_hit");
    expect(previewThresholds({ p95Ms: 1, hasBodies: true })).toHaveProperty("body_hit");
  });
});

describe("judgePreview()", () => {
  const shown = { status: 200, cacheControl: "private", setsCookie: false, body: "" };
  const judge = (mayRead: boolean, change: Partial<typeof shown> = {}, isPrivate = true) =>
    judgePreview({ isPrivate }, { who: "ann", mayRead }, { ...shown, ...change })?.kind;

  it.each([200, 206, 304])("takes a private %d to a stranger for a leak", (status) => {
    expect(judge(false, { status })).toBe("leak");
    expect(judge(false, { status }, false)).toBeUndefined();
    expect(judge(true, { status })).toBeUndefined();
  });

  it("takes a refusal for an error where somebody may read", () => {
    expect(judge(true, { status: 404 })).toBe("error");
    expect(judge(false, { status: 404 })).toBeUndefined();
    expect(judge(false, { status: 502 })).toBe("error");
  });

  it("finds what is private as public, and cookies", () => {
    expect(judge(true, { cacheControl: "public" })).toBe("leak");
    expect(judge(true, { setsCookie: true })).toBe("leak");
  });
});
