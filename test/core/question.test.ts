import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANONYMOUS, type Principal } from "../../src/core/principal.ts";
import { canNarrow, type Question, questionFor, revisionName } from "../../src/core/question.ts";
import type { SiteKind } from "../../src/core/site.ts";
import type { Channel, RawName, RawTarget } from "../../src/core/target.ts";

const OID = "a".repeat(40);
const WITH_COOKIE: Principal = { ...ANONYMOUS, kind: "cookie", carriedByGit: false, text: "cookie" };

const JOINED: RawName = { kind: "joined", text: "a/b/c", refs: "any" };
const REF: RawName = { kind: "ref", ref: "main", path: "a/b" };
const COMMIT: RawName = { kind: "commit", oid: OID, path: "a/b" };
const BLOB: RawName = { kind: "blob", oid: OID };

function target(channel: Channel, name: RawName): RawTarget {
  return { lane: "raw", channel, project: "group/project", name, variant: "" };
}

describe("which question to ask", () => {
  it.each<[SiteKind, Principal, Channel, RawName, Question]>([
    ["gitlab", ANONYMOUS, "web", JOINED, { via: "git", prefix: "a" }],
    ["gitlab", ANONYMOUS, "web", REF, { via: "git", prefix: "main" }],
    ["gitlab", ANONYMOUS, "web", COMMIT, { via: "git", prefix: undefined }],
    ["gitlab", WITH_COOKIE, "web", JOINED, { via: "replay" }],
    ["gitlab", WITH_COOKIE, "web", COMMIT, { via: "replay" }],
    ["gitlab", ANONYMOUS, "api", REF, { via: "api", file: { ref: "main", path: "a/b" } }],
    ["gitlab", WITH_COOKIE, "api", REF, { via: "api", file: { ref: "main", path: "a/b" } }],
    ["gitlab", ANONYMOUS, "api", COMMIT, { via: "api", file: { ref: OID, path: "a/b" } }],
    ["gitlab", ANONYMOUS, "api", BLOB, { via: "api", file: undefined }],
    ["gitea", ANONYMOUS, "web", JOINED, { via: "git", prefix: "a" }],
    ["gitea", ANONYMOUS, "web", BLOB, { via: "git", prefix: undefined }],
    ["gitea", ANONYMOUS, "api", REF, { via: "git", prefix: "main" }],
    ["gitea", WITH_COOKIE, "api", REF, { via: "replay" }],
  ])(
    "questionFor() does ask %s for %j at the %s door about %j by %j",
    (kind, principal, channel, name, question) => {
      expect(questionFor(kind, principal, target(channel, name), 1)).toEqual(question);
    },
  );

  it.each([
    [1, "a", true],
    [2, "a/b", true],
    [3, "a/b/c", false],
    [4, "a/b/c", false],
  ])("questionFor() and canNarrow() do go %d segments deep", (depth, prefix, more) => {
    expect(questionFor("gitlab", ANONYMOUS, target("web", JOINED), depth)).toEqual({
      via: "git",
      prefix,
    });
    expect(canNarrow(target("web", JOINED), depth)).toBe(more);
  });

  it("canNarrow() does end, however long the name", () => {
    const long = target("web", { kind: "joined", text: "a/".repeat(1_000), refs: "any" });
    expect(canNarrow(long, 11)).toBe(true);
    expect(canNarrow(long, 12)).toBe(false);
  });

  it.each([[REF], [COMMIT], [BLOB]])("canNarrow() does not narrow %j", (name) => {
    expect(canNarrow(target("web", name), 1)).toBe(false);
  });
});

describe("the name a question resolves", () => {
  const replay: Question = { via: "replay" };
  it.each<[Question, RawName, readonly string[] | undefined]>([
    [{ via: "git", prefix: "a" }, JOINED, ["refs", "a"]],
    [{ via: "git", prefix: undefined }, COMMIT, undefined],
    [{ via: "api", file: { ref: "main", path: "a/b" } }, REF, ["ref", "main"]],
    [{ via: "api", file: { ref: OID, path: "a/b" } }, COMMIT, ["ref", OID]],
    [{ via: "api", file: undefined }, BLOB, undefined],
    [replay, COMMIT, undefined],
    [replay, BLOB, undefined],
  ])("revisionName() does give %j about %j the name %j", (question, name, expected) => {
    expect(revisionName(question, target("web", name))).toEqual(expected);
  });

  const text = fc.constantFrom("a", "a/b", "heads", "tags", "any", "HEAD", "refs", "ref");
  const named = fc.oneof(
    fc.record({
      kind: fc.constant("joined" as const),
      text,
      refs: fc.constantFrom("heads", "tags", "any"),
    }),
    fc.record({ kind: fc.constant("ref" as const), ref: text, path: text }),
  );
  const anyTarget = fc.record({
    lane: fc.constant("raw" as const),
    channel: fc.constantFrom<Channel>("web", "api"),
    project: fc.constant("group/project"),
    name: named,
    variant: fc.constantFrom("", "attachment", "media"),
  }) as fc.Arbitrary<RawTarget>;

  it("revisionName() does tell apart all that is asked as it stands", () => {
    fc.assert(
      fc.property(anyTarget, anyTarget, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        expect(revisionName(replay, one)).not.toEqual(revisionName(replay, other));
      }),
      { numRuns: 20_000 },
    );
  });
});
