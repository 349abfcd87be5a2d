import fc from "fast-check";
import { bytesOf, insist, textOf, type FuzzTarget } from "../../../scripts/fuzz/target.ts";
import { splitRefPath, type Ref, type Split } from "../../../src/core/ref-path.ts";
import type { ForgeKind } from "../../../src/core/site.ts";
import type { RefKind } from "../../../src/core/target.ts";

/**
 * Input: the forge, which refs are meant, the joined text, then the refs that there are, a line each. Held against each forge's
 * own rule, written as the forge does it: segment by segment.
 */
export function refPathTarget(split: typeof splitRefPath = splitRefPath): FuzzTarget {
  return {
    name: "ref-path",
    holds: "text",
    mostBytes: 300,
    fresh,
    words: [
      "gitlab",
      "gitea",
      "heads",
      "tags",
      "any",
      "refs/heads/",
      "refs/tags/",
      "HEAD",
      "/",
      "//",
      "a/b",
      "\nrefs/heads/a",
      "\nrefs/tags/a",
      "\nHEAD",
      OID,
    ],
    check: (input) => check(split, textOf(input)),
  };
}

const OID = "0123456789abcdef0123456789abcdef01234567";
const name = fc
  .array(fc.constantFrom("a", "b", "c", "HEAD", OID), { minLength: 1, maxLength: 3 })
  .map((all) => all.join("/"));
const fresh = fc
  .tuple(
    fc.constantFrom("gitlab", "gitea"),
    fc.constantFrom("heads", "tags", "any"),
    fc.array(name, { minLength: 1, maxLength: 2 }).map((all) => all.join("/")),
    fc.array(
      fc.oneof(
        {
          weight: 5,
          arbitrary: fc.tuple(fc.constantFrom("refs/heads/", "refs/tags/"), name).map((all) => all.join("")),
        },
        fc.constantFrom("HEAD", "refs/notes/a"),
      ),
      { maxLength: 5 },
    ),
  )
  .map(([kind, refs, text, known]) => bytesOf([kind, refs, text, ...known].join("\n")));

function check(split: typeof splitRefPath, text: string): string {
  const [forge = "", which = "", joined = "", ...names] = text.split("\n");
  const kind: ForgeKind = forge === "gitea" ? "gitea" : "gitlab";
  const refs: RefKind = which === "heads" || which === "tags" ? which : "any";
  const known: Ref[] = [...new Set(names)]
    .filter(isRef)
    .map((each, index) => ({ name: each, oid: index.toString(16).padStart(40, "0") }));
  const answer = split(kind, joined, refs, known);
  const expected = kind === "gitlab" ? asGitlab(joined, refs, known) : asGitea(joined, refs, known);
  insist(JSON.stringify(answer) === JSON.stringify(expected), "splits as the forge does", () => ({
    answer,
    expected,
  }));
  return `${kind} ${refs} ${answer === undefined ? "nothing" : "split"}`;
}

/** git-check-ref-format: no empty segments. */
function isRef(each: string): boolean {
  return each === "HEAD" || /^refs\/(?:[^/]+\/)+[^/]+$/.test(each);
}

/** Every way to cut a text at a slash: what is before it and what is after, the shortest first. */
function cuts(text: string): readonly (readonly [ref: string, path: string])[] {
  const segments = text.split("/");
  return segments
    .slice(1)
    .map(
      (_, index) => [segments.slice(0, index + 1).join("/"), segments.slice(index + 1).join("/")] as const,
    );
}

function named(known: readonly Ref[], prefix: string, short: string): Ref | undefined {
  return known.find((each) => each.name === `${prefix}${short}`);
}

/** GitLab's `ExtractsRef`: the first segment, if it is one ref and the beginning of no other; else the longest that there is. */
function asGitlab(text: string, refs: RefKind, known: readonly Ref[]): Split | undefined {
  const both = known.filter(({ name: each }) => /^refs\/(?:heads|tags)\//.test(each));
  const shorts = both.map(({ name: each }) => each.replace(/^refs\/(?:heads|tags)\//, ""));
  const [first = ""] = text.split("/");
  const begins = shorts.some((each) => each.startsWith(`${first}/`));
  const all = cuts(text).filter(([ref]) => shorts.includes(ref));
  const chosen = shorts.includes(first) && !begins ? all[0] : all.at(-1);
  if (chosen === undefined) return undefined;
  const [ref, path] = chosen;
  const tag = refs === "heads" ? undefined : named(known, "refs/tags/", ref);
  const branch = refs === "tags" ? undefined : named(known, "refs/heads/", ref);
  const meant = tag ?? branch;
  return meant && { oid: meant.oid, path };
}

/** Gitea's `getRefNameFromPath`: segment after segment, branches first (HEAD is one), then tags, then a commit, then the default branch. */
function asGitea(text: string, refs: RefKind, known: readonly Ref[]): Split | undefined {
  const head = named(known, "", "HEAD");
  const branch = (short: string) =>
    (short === "HEAD" ? head : undefined) ?? named(known, "refs/heads/", short);
  const tag = (short: string) => named(known, "refs/tags/", short);
  const finders = { heads: [branch], tags: [tag], any: [branch, tag] }[refs];
  for (const find of finders) {
    for (const [ref, path] of cuts(text)) {
      const found = find(ref);
      if (found !== undefined) return { oid: found.oid, path };
    }
  }
  if (refs !== "any" || branch(text) !== undefined || tag(text) !== undefined) return undefined;
  const [first = ""] = text.split("/");
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(first))
    return first === text ? undefined : { oid: first, path: text.slice(first.length + 1) };
  return head && { oid: head.oid, path: text };
}
