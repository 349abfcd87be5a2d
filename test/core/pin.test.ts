import { describe, expect, it } from "vitest";
import { isImmutable, type Pin, pinBy, pinOf } from "../../src/core/pin.ts";
import type { Revision } from "../../src/core/revision.ts";
import type { RawName, Target } from "../../src/core/target.ts";

const OID = "a".repeat(40);
const JOINED: RawName = { kind: "joined", text: "main/file", refs: "any" };
const REF: RawName = { kind: "ref", ref: "main", path: "file" };
const PINNED: Pin = { kind: "commit", oid: OID, path: "file" };

describe("a name by itself", () => {
  it.each<[RawName, Pin | undefined]>([
    [
      { kind: "commit", oid: OID, path: "dir/file" },
      { kind: "commit", oid: OID, path: "dir/file" },
    ],
    [
      { kind: "blob", oid: OID },
      { kind: "blob", oid: OID },
    ],
    [REF, undefined],
    [{ kind: "ref", ref: OID, path: "file" }, undefined],
    [{ kind: "joined", text: `${OID}/file`, refs: "any" }, undefined],
  ])("pinOf() does pin only what says it all: %j", (name, pin) => {
    expect(pinOf(name)).toEqual(pin);
  });
});

describe("a name and its revision", () => {
  const at = 1;
  const main: Revision = { at, kind: "refs", refs: [{ name: "refs/heads/main", oid: OID }] };
  const none: Revision = { at, kind: "refs", refs: [] };
  const both: Revision = {
    at,
    kind: "refs",
    refs: [
      { name: "refs/heads/main", oid: OID },
      { name: "refs/tags/main", oid: "b".repeat(40) },
    ],
  };

  it.each<[RawName, Revision, Pin | undefined]>([
    [JOINED, main, PINNED],
    [REF, main, PINNED],
    [JOINED, none, undefined],
    [REF, none, undefined],
    [{ ...JOINED, text: "main/file", refs: "heads" }, both, PINNED],
    [{ ...JOINED, text: "other/file" }, main, undefined],
    [REF, { at, kind: "commit", oid: OID }, PINNED],
    [JOINED, { at, kind: "validator", etag: '"e"' }, { kind: "named", etag: '"e"' }],
    [REF, { at, kind: "validator", etag: '"e"' }, { kind: "named", etag: '"e"' }],
    [JOINED, { at, kind: "crowded" }, { kind: "unknown" }],
    [JOINED, { at, kind: "commit", oid: OID }, undefined],
    [{ kind: "blob", oid: OID }, main, undefined],
  ])("pinBy() does read %j by %j", (name, revision, pin) => {
    expect(pinBy("gitlab", name, revision)).toEqual(pin);
  });

  it("pinBy() does follow the forge's own order of equal names", () => {
    expect(pinBy("gitlab", REF, both)).toEqual({ ...PINNED, oid: "b".repeat(40) });
    expect(pinBy("gitea", REF, both)).toEqual(PINNED);
  });
});

describe("what can never stand for anything else", () => {
  const raw = (name: RawName): Target => ({ lane: "raw", channel: "web", project: "g/p", name, variant: "" });
  const object: Target = {
    lane: "object",
    bucket: "b",
    key: OID,
    versionId: undefined,
    overrides: "",
    corsOrigin: undefined,
    inside: undefined,
    literal: undefined,
  };

  it.each<[string, Target, boolean]>([
    ["a commit", raw({ kind: "commit", oid: OID, path: "a" }), true],
    ["a blob", raw({ kind: "blob", oid: OID }), true],
    ["a ref", raw(REF), false],
    ["a ref that reads like a commit", raw({ ...REF, ref: OID }), false],
    ["a ref and a path in one", raw(JOINED), false],
    ["an object", object, false],
    ["a version of an object", { ...object, versionId: "1" }, false],
  ])("isImmutable() does judge %s", (_case, target, is) => {
    expect(isImmutable(target)).toBe(is);
  });

  it("pinBy() does learn nothing of a file from what is known of an object", () => {
    for (const kind of ["uncacheable"] as const) {
      expect(pinBy("s3", REF, { at: 1, kind })).toBeUndefined();
      expect(pinBy("s3", JOINED, { at: 1, kind })).toBeUndefined();
    }
  });
});
