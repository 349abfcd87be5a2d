import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withPipelineAskedAgain, withRefAskedAgain } from "../../src/core/events/asked-again.ts";
import { believed } from "../../src/core/events/believed.ts";
import {
  merged,
  NO_CHANGES,
  pipelineChangedAt,
  withPush,
  type Changes,
} from "../../src/core/events/changes.ts";
import { readPurge, type Selection } from "../../src/core/purge.ts";
import type { Revision } from "../../src/core/revision.ts";
import { SITE_KINDS, type SiteKind } from "../../src/core/site.ts";

const read = (kind: SiteKind, body: unknown) => readPurge(kind, JSON.stringify(body));

describe("what is to be purged", () => {
  const rows: [SiteKind, object, Selection][] = [
    ["gitlab", { project: "group/sub/app" }, { kind: "project", project: "group/sub/app" }],
    ["gitlab", { project: 7 }, { kind: "project", project: "7" }],
    ["gitlab", { project: "7" }, { kind: "project", project: "7" }],
    ["gitea", { project: "owner/app" }, { kind: "project", project: "owner/app" }],
    ["gitlab", { project: "g/a", ref: "main" }, { kind: "ref", project: "g/a", ref: "main" }],
    ["gitea", { project: "g/a", ref: "refs/tags/v1" }, { kind: "ref", project: "g/a", ref: "refs/tags/v1" }],
    ["gitea", { project: "g/a", pipelines: true }, { kind: "pipelines", project: "g/a" }],
    ["gitlab", { project: "g/a", pipeline: 12 }, { kind: "pipeline", project: "g/a", pipeline: "12" }],
    ["gitlab", { project: 1, pipeline: "12" }, { kind: "pipeline", project: "1", pipeline: "12" }],
    ["gitlab", { group: "group/sub" }, { kind: "group", group: "group/sub" }],
    ["gitea", { group: "owner" }, { kind: "group", group: "owner" }],
    ["s3", { bucket: "b", key: "/k//x" }, { kind: "object", bucket: "b", key: "/k//x" }],
    ["s3", { bucket: "b", prefix: "p/" }, { kind: "prefix", bucket: "b", prefix: "p/" }],
    ["s3", { bucket: "b" }, { kind: "prefix", bucket: "b", prefix: "" }],
  ];

  it.each(rows)("readPurge() does read for %s %j", (kind, body, selection) => {
    const spelled = body;
    expect(read(kind, body)).toEqual({ kind: "purge", selection, spelled, isDryRun: false });
    expect(read(kind, { ...body, dry_run: true })).toEqual({
      kind: "purge",
      selection,
      spelled,
      isDryRun: true,
    });
    expect(read(kind, { ...body, dry_run: false })).toMatchObject({ isDryRun: false });
  });
});

describe("what cannot be purged", () => {
  const rows: [SiteKind, unknown, RegExp][] = [
    ["gitlab", [], /body/],
    ["gitlab", null, /body/],
    ["gitlab", "group/app", /body/],
    ["gitlab", {}, /^project or group must/],
    ["s3", {}, /^bucket must/],
    ["gitlab", { dry_run: true }, /^project or group/],
    ["gitlab", { project: "g/a", dry_run: "yes" }, /^dry_run/],
    ["gitlab", { project: "g/a", dry_run: null }, /^dry_run/],
    ["gitlab", { project: "g/a", refs: "main" }, /^"refs" is no field/],
    ["gitlab", { project: "g/a", __proto__x: 1 }, /is no field/],
    ["gitlab", { project: "g/a", constructor: 1 }, /^"constructor" is no field/],
    ["gitlab", { project: "g/a", bucket: "b" }, /^bucket does not fit/],
    ["s3", { project: "g/a" }, /^project does not fit/],
    ["s3", { bucket: "b", ref: "main" }, /^ref does not fit/],
    ["gitea", { project: "g/a", pipeline: 1 }, /^pipeline does not fit/],
    ["gitea", { project: 5 }, /^project must/],
    ["gitea", { project: "a/b/c" }, /^project must/],
    ["gitlab", { project: "app" }, /^project must/],
    ["gitlab", { project: "" }, /^project must/],
    ["gitlab", { project: "/g/a" }, /^project must/],
    ["gitlab", { project: "g/a/" }, /^project must/],
    ["gitlab", { project: 0 }, /^project must/],
    ["gitlab", { project: 1.5 }, /^project must/],
    ["gitlab", { project: -1 }, /^project must/],
    ["gitlab", { project: true }, /^project must/],
    ["gitlab", { project: ["g/a"] }, /^project must/],
    ["gitlab", { project: "g/\ud800" }, /^project must/],
    ["gitlab", { project: "g/a", ref: "" }, /^ref must/],
    ["gitlab", { project: "g/a", ref: 5 }, /^ref must/],
    ["gitlab", { project: "g/a", ref: "\udc00" }, /^ref must/],
    ["gitlab", { project: "g/a", pipelines: false }, /^pipelines must/],
    ["gitlab", { project: "g/a", pipelines: 1 }, /^pipelines must/],
    ["gitlab", { project: "g/a", pipeline: "latest" }, /^pipeline must/],
    ["gitlab", { project: "g/a", pipeline: true }, /^pipeline must/],
    ["gitlab", { group: "" }, /^group must/],
    ["gitlab", { group: "/g" }, /^group must/],
    ["gitlab", { group: "g/" }, /^group must/],
    ["gitlab", { group: 5 }, /^group must/],
    ["gitlab", { group: "g", project: "g/a" }, /^project and group cannot/],
    ["gitlab", { group: "g", ref: "main" }, /^ref cannot go with group/],
    ["gitlab", { group: "g", pipelines: true }, /^pipelines cannot go with group/],
    ["gitlab", { ref: "main" }, /^project or group/],
    ["gitlab", { project: "g/a", ref: "main", pipelines: true }, /^ref and pipelines cannot/],
    ["gitlab", { project: "g/a", pipelines: true, pipeline: 5 }, /^pipelines and pipeline cannot/],
    ["s3", { bucket: "" }, /^bucket must/],
    ["s3", { bucket: 5 }, /^bucket must/],
    ["s3", { key: "k" }, /^bucket must/],
    ["s3", { bucket: "b", key: "" }, /^key must/],
    ["s3", { bucket: "b", key: "\ud800" }, /^key must/],
    ["s3", { bucket: "b", prefix: "" }, /^prefix must/],
    ["s3", { bucket: "b", prefix: null }, /^prefix must/],
    ["s3", { bucket: "b", key: "k", prefix: "p" }, /^key and prefix cannot/],
  ];

  it.each(rows)("readPurge() does refuse for %s %j and name the field", (kind, body, detail) => {
    expect(read(kind, body)).toEqual({ kind: "malformed", detail: expect.stringMatching(detail) });
  });

  it.each(["", "{", "{}}", "undefined", "{'project':'g/a'}"])("readPurge() does refuse %j", (text) => {
    expect(readPurge("gitlab", text)).toMatchObject({ kind: "malformed" });
  });

  it("readPurge() does show no more of an unknown name than a little", () => {
    const answer = read("gitlab", { project: "g/a", ["x".repeat(10_000)]: 1 });
    expect(JSON.stringify(answer).length).toBeLessThan(150);
  });

  it("readPurge() does answer whatever it is given", () => {
    fc.assert(
      fc.property(fc.constantFrom(...SITE_KINDS), fc.jsonValue(), (kind, body) => {
        expect(["purge", "malformed"]).toContain(read(kind, body).kind);
      }),
      { numRuns: 40 },
    );
    const fields = ["project", "group", "ref", "pipelines", "pipeline", "bucket", "key", "prefix", "dry_run"];
    const value = fc.oneof(fc.constantFrom("a/b", "a", 1, true, "", null), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(
        fc.constantFrom(...SITE_KINDS),
        fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 3 }),
        (kind, body) => {
          const answer = read(kind, body);
          const named = answer.kind === "malformed" && fields.some((name) => answer.detail.includes(name));
          expect(answer.kind === "purge" || named).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** A record of each kind that a ref may be known by. */
function commitAt(at: number): Revision {
  return { at, kind: "commit", oid: "a".repeat(40) };
}

function refsAt(at: number, ...names: string[]): Revision {
  return { at, kind: "refs", refs: names.map((name) => ({ name, oid: "a".repeat(40) })) };
}

/** An account that says which branch HEAD is. */
const WITH_DEFAULT: Changes = withPush(
  NO_CHANGES,
  {
    kind: "push",
    project: [],
    ref: "refs/heads/else",
    before: "b".repeat(40),
    after: "c".repeat(40),
    isOfCommits: true,
    defaultBranch: "main",
  },
  5,
);

describe("a ref that is asked for again", () => {
  const names: [string, string][] = [
    ["feature", "feature"],
    ["feature", "refs/heads/feature"],
    ["feature", "refs/tags/feature"],
    ["refs/heads/feature", "feature"],
    ["refs/heads/feature", "refs/heads/feature"],
    ["refs/merge-requests/1/head", "refs/merge-requests/1/head"],
    ["main", "main"],
    ["main", "HEAD"],
    ["refs/heads/main", "HEAD"],
    ["HEAD", "HEAD"],
    ["HEAD", "main"],
  ];

  it.each(names)(
    "withRefAskedAgain() does end for %s what is known of %s, until it is learned",
    (ref, name) => {
      for (const before of [WITH_DEFAULT, NO_CHANGES]) {
        const once = withRefAskedAgain(before, ref, 20);
        const twice = withRefAskedAgain(once, ref, 30);
        expect(believed(commitAt(20), once, name)).toBeUndefined();
        expect(believed(commitAt(21), once, name)).toEqual(commitAt(21));
        expect(believed(commitAt(30), twice, name)).toBeUndefined();
        expect(believed(commitAt(31), twice, name)).toEqual(commitAt(31));
        expect(believed(commitAt(20), merged(before, once), name)).toBeUndefined();
      }
    },
  );

  it("withRefAskedAgain() does end what refs are known by a beginning, and of names as they were asked", () => {
    const changes = withRefAskedAgain(WITH_DEFAULT, "feature", 20);
    expect(believed(refsAt(10, "refs/heads/feature", "HEAD"), changes, "feature")).toBeUndefined();
    expect(believed(refsAt(10, "HEAD"), changes, "fea")).toBeUndefined();
    expect(believed({ at: 10, kind: "validator", etag: "e" }, changes, undefined)).toBeUndefined();
  });

  it("withRefAskedAgain() does leave other refs alone where it is known which HEAD is", () => {
    const changes = withRefAskedAgain(WITH_DEFAULT, "feature", 20);
    for (const name of ["main", "HEAD", "other"])
      expect(believed(commitAt(10), changes, name)).toEqual(commitAt(10));
    const { accessAt, filesAt, listsAt, pipelinesAt, refsAt: allAt } = changes;
    expect([accessAt, filesAt, listsAt, pipelinesAt, allAt]).toEqual([0, 0, 0, 0, 0]);
  });

  it("withPipelineAskedAgain() does end one pipeline and no list", () => {
    const changes = withPipelineAskedAgain(NO_CHANGES, "7", 20);
    expect(pipelineChangedAt(changes, "7")).toBe(20);
    expect(pipelineChangedAt(changes, "8")).toBe(0);
    expect(changes).toMatchObject({ at: 20, listsAt: 0, accessAt: 0, refsAt: 0 });
  });
});
