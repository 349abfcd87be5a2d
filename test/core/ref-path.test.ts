import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Ref, resolveRef, type Split, splitRefPath } from "../../src/core/ref-path.ts";
import { SITE_KINDS } from "../../src/core/site.ts";
import type { RefKind } from "../../src/core/target.ts";

/** Refs whose object id is their own name, so that a split tells which ref it took. */
function refs(...names: readonly string[]): Ref[] {
  return names.map((name) => ({ name, oid: name }));
}

function heads(...names: readonly string[]): Ref[] {
  return refs(...names.map((name) => `refs/heads/${name}`));
}

function tags(...names: readonly string[]): Ref[] {
  return refs(...names.map((name) => `refs/tags/${name}`));
}

describe("GitLab's rule", () => {
  it.each<[string, readonly Ref[], string, Split | undefined]>([
    ["take the first segment", heads("main"), "main/a/b", { oid: "refs/heads/main", path: "a/b" }],
    ["take a ref with slashes", heads("a/b"), "a/b/c", { oid: "refs/heads/a/b", path: "c" }],
    [
      "take the longest ref",
      [...heads("a/b/c"), ...tags("a", "a/b")],
      "a/b/c/d",
      { oid: "refs/heads/a/b/c", path: "d" },
    ],
    [
      "take a shorter ref than one that does not fit",
      [...heads("a"), ...tags("a/x")],
      "a/b/c",
      { oid: "refs/heads/a", path: "b/c" },
    ],
    ["not take a ref for its beginning", heads("mainline"), "main/a", undefined],
    ["not take a ref that ends inside a segment", heads("a/b"), "a/bc/d", undefined],
    [
      "let a tag win over a branch of its name",
      [...heads("v1"), ...tags("v1")],
      "v1/a",
      { oid: "refs/tags/v1", path: "a" },
    ],
    [
      "let a tag with slashes win over a branch of its name",
      [...heads("v/1"), ...tags("v/1")],
      "v/1/a",
      { oid: "refs/tags/v/1", path: "a" },
    ],
    [
      "let a longer branch win over a tag",
      [...heads("v/1"), ...tags("v")],
      "v/1/a",
      { oid: "refs/heads/v/1", path: "a" },
    ],
    [
      "know no other kinds of refs",
      refs("refs/merge-requests/1/head", "HEAD"),
      "merge-requests/1/head/a",
      undefined,
    ],
    ["not take HEAD for a branch", refs("HEAD"), "HEAD/a", undefined],
    ["find nothing without refs", [], "main/a", undefined],
  ])("splitRefPath() does %s", (_rule, known, text, split) => {
    expect(splitRefPath("gitlab", text, "any", known)).toEqual(split);
    expect(splitRefPath("gitlab", text, "any", known.toReversed())).toEqual(split);
  });

  it.each<[RefKind, string]>([
    ["heads", "refs/heads/v1"],
    ["tags", "refs/tags/v1"],
    ["any", "refs/tags/v1"],
  ])("splitRefPath() does choose among equal names by %j", (kind, oid) => {
    const known = [...heads("v1"), ...tags("v1")];
    expect(splitRefPath("gitlab", "v1/a", kind, known)).toEqual({ oid, path: "a" });
  });
});

describe("Gitea's rule", () => {
  const head: Ref = { name: "HEAD", oid: "HEAD" };
  it.each<[string, RefKind, readonly Ref[], string, Split | undefined]>([
    [
      "take the shortest branch",
      "any",
      [...heads("a"), ...heads("a/b")],
      "a/b/c",
      { oid: "refs/heads/a", path: "b/c" },
    ],
    ["take a branch with slashes", "heads", heads("a/b"), "a/b/c", { oid: "refs/heads/a/b", path: "c" }],
    [
      "take a longer branch before a tag",
      "any",
      [...heads("v/1"), ...tags("v")],
      "v/1/a",
      { oid: "refs/heads/v/1", path: "a" },
    ],
    [
      "take the shortest tag",
      "tags",
      [...tags("v"), ...tags("v/1")],
      "v/1/a",
      { oid: "refs/tags/v", path: "1/a" },
    ],
    [
      "let a branch win over a tag of its name",
      "any",
      [...heads("v1"), ...tags("v1")],
      "v1/a",
      { oid: "refs/heads/v1", path: "a" },
    ],
    ["not look among the tags for a branch", "heads", [head, ...tags("v1")], "v1/a", undefined],
    ["not look among the branches for a tag", "tags", [head, ...heads("v1")], "v1/a", undefined],
    [
      "fall back to the default branch",
      "any",
      [head, ...heads("main")],
      "docs/a",
      { oid: "HEAD", path: "docs/a" },
    ],
    ["fall back for a path of one segment", "any", [head], "README", { oid: "HEAD", path: "README" }],
    ["find nothing in an empty repository", "any", [], "docs/a", undefined],
    [
      "read HEAD as the default branch",
      "any",
      [head, ...heads("main")],
      "HEAD/a",
      { oid: "HEAD", path: "a" },
    ],
    [
      "read HEAD as the default branch among branches",
      "heads",
      [head, ...heads("main")],
      "HEAD/a",
      { oid: "HEAD", path: "a" },
    ],
  ])("splitRefPath() does %s", (_rule, kind, known, text, split) => {
    expect(splitRefPath("gitea", text, kind, known)).toEqual(split);
    expect(splitRefPath("gitea", text, kind, known.toReversed())).toEqual(split);
  });

  it("splitRefPath() does not look for a branch's own name in the default branch", () => {
    const split = splitRefPath("gitea", "v1", "any", [head, ...heads("v1")]);
    expect(split).not.toEqual({ oid: "HEAD", path: "v1" });
  });
});

/** Every way to cut a text at a slash, shortest ref first, as the rules are told in prose. */
function cuts(text: string): { readonly ref: string; readonly path: string }[] {
  const segments = text.split("/");
  return segments.slice(1).map((_, i) => ({
    ref: segments.slice(0, i + 1).join("/"),
    path: segments.slice(i + 1).join("/"),
  }));
}

type Known = { readonly heads: readonly string[]; readonly tags: readonly string[] };

function gitlabOracle(text: string, kind: RefKind, known: Known): Split | undefined {
  const names = [...known.tags, ...known.heads];
  const fitting = cuts(text).filter(({ ref }) => names.includes(ref));
  const first = fitting.find(({ ref }) => !ref.includes("/"));
  const alone = first !== undefined && !names.some((name) => name.startsWith(`${first.ref}/`));
  const cut = alone ? first : fitting.at(-1);
  if (cut === undefined) return undefined;
  const isTag = kind !== "heads" && known.tags.includes(cut.ref);
  const isHead = kind !== "tags" && known.heads.includes(cut.ref);
  if (!isTag && !isHead) return undefined;
  return { oid: `refs/${isTag ? "tags" : "heads"}/${cut.ref}`, path: cut.path };
}

function giteaOracle(text: string, kind: RefKind, known: Known): Split {
  const branch = cuts(text).find(({ ref }) => kind !== "tags" && known.heads.includes(ref));
  if (branch !== undefined) return { oid: `refs/heads/${branch.ref}`, path: branch.path };
  const tag = cuts(text).find(({ ref }) => kind !== "heads" && known.tags.includes(ref));
  if (tag !== undefined) return { oid: `refs/tags/${tag.ref}`, path: tag.path };
  return { oid: "HEAD", path: text };
}

function listed(known: Known): Ref[] {
  return [{ name: "HEAD", oid: "HEAD" }, ...heads(...known.heads), ...tags(...known.tags)];
}

describe("any set of refs", () => {
  const segment = fc.constantFrom("a", "b", "ab", "é", "refs", "heads");
  const name = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
  const names = fc.uniqueArray(name, { maxLength: 6 });
  const text = fc.array(segment, { minLength: 2, maxLength: 6 }).map((segments) => segments.join("/"));
  const kind = fc.constantFrom<RefKind>("heads", "tags", "any");

  it("splitRefPath() does follow GitLab's rule", () => {
    fc.assert(
      fc.property(text, kind, fc.record({ heads: names, tags: names }), (joined, refKind, known) => {
        expect(splitRefPath("gitlab", joined, refKind, listed(known))).toEqual(
          gitlabOracle(joined, refKind, known),
        );
      }),
      { numRuns: 3_000 },
    );
  });

  it("splitRefPath() does follow Gitea's rule", () => {
    fc.assert(
      fc.property(text, kind, fc.record({ heads: names, tags: names }), (joined, refKind, known) => {
        fc.pre(![...known.heads, ...known.tags].includes(joined));
        const expected = giteaOracle(joined, refKind, known);
        const split = splitRefPath("gitea", joined, refKind, listed(known));
        expect(split).toEqual(refKind !== "any" && expected.oid === "HEAD" ? undefined : expected);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("a ref named apart", () => {
  const known = [
    ...refs("HEAD"),
    ...heads("main", "v1", "a/b", "tags/v1"),
    ...tags("v1", "v2"),
    ...refs("refs/keep/1"),
  ];

  it.each([
    ["HEAD", "HEAD"],
    ["main", "refs/heads/main"],
    ["v2", "refs/tags/v2"],
    ["a/b", "refs/heads/a/b"],
    ["refs/heads/v1", "refs/heads/v1"],
    ["refs/tags/v1", "refs/tags/v1"],
    ["refs/keep/1", "refs/keep/1"],
    ["", undefined],
    ["a", undefined],
    ["main/", undefined],
    ["Main", undefined],
    ["refs/heads", undefined],
    ["refs/heads/none", undefined],
  ])("resolveRef() does take %j for %j", (ref, oid) => {
    for (const kind of SITE_KINDS) {
      expect(resolveRef(kind, ref, known)).toBe(oid);
      expect(resolveRef(kind, ref, known.toReversed())).toBe(oid);
    }
  });

  it.each([
    ["gitlab", "refs/tags/v1"],
    ["gitea", "refs/heads/v1"],
  ] as const)("resolveRef() does choose among equal names as %s does", (kind, oid) => {
    expect(resolveRef(kind, "v1", known)).toBe(oid);
    expect(resolveRef(kind, "v1", known.toReversed())).toBe(oid);
  });
});
