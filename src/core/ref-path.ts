import { isObjectId } from "./object-id.ts";
import type { SiteKind } from "./site.ts";
import type { RefKind } from "./target.ts";

/** One ref as the origin listed it: the full name, and the commit it stands for (a tag's peeled one). */
export type Ref = { readonly name: string; readonly oid: string };

export type Split = { readonly oid: string; readonly path: string };

/**
 * Splits "ref/path" against the refs that exist, by the forge's own rule; `undefined` where no ref fits.
 *
 * GitLab (`ExtractsRef`): the first segment if it is a ref and no other ref begins with it + "/", else the longest ref.
 * A tag wins over a branch of the same name, as in gitrevisions(7).
 * Gitea (`getRefNameFromPath`): the shortest branch (HEAD is one), else the shortest tag, else a full commit id,
 * else the default branch with all of it as path.
 */
export function splitRefPath(
  kind: SiteKind,
  text: string,
  refs: RefKind,
  known: readonly Ref[],
): Split | undefined {
  return kind === "gitlab" ? splitGitlab(text, refs, known) : splitGitea(text, refs, known);
}

/**
 * The commit a ref stands for when it is named apart from the path: for GitLab a tag before a branch (gitrevisions(7)),
 * for Gitea a branch before a tag; a full name is itself.
 */
export function resolveRef(kind: SiteKind, ref: string, known: readonly Ref[]): string | undefined {
  const byName = (name: string) => known.find((each) => each.name === name)?.oid;
  if (ref === "HEAD" || ref.startsWith("refs/")) return byName(ref);
  const tag = byName(`refs/tags/${ref}`);
  const branch = byName(`refs/heads/${ref}`);
  return kind === "gitlab" ? (tag ?? branch) : (branch ?? tag);
}

/** The first segment of a joined name: what every ref it can begin with begins with. */
function firstSegment(text: string): string {
  const slash = text.indexOf("/");
  return slash === -1 ? text : text.slice(0, slash);
}

/** The name is found among all refs; `ref_type` then says which of two with that name is meant. */
function splitGitlab(text: string, refs: RefKind, known: readonly Ref[]): Split | undefined {
  const first = firstSegment(text);
  const tags = shortNames(known, "refs/tags/");
  const heads = shortNames(known, "refs/heads/");
  const all = [...tags, ...heads];
  const isSimple =
    all.some((ref) => ref.name === first) && !all.some((ref) => ref.name.startsWith(`${first}/`));
  const name = isSimple ? first : pick(text, all, (length, best) => length > best)?.name;
  if (name === undefined || !text.startsWith(`${name}/`)) return undefined;
  const meant = refs === "heads" ? heads : refs === "tags" ? tags : all; // in `all`, tags come first and win
  const ref = meant.find((each) => each.name === name);
  return ref && { oid: ref.oid, path: text.slice(name.length + 1) };
}

function splitGitea(text: string, refs: RefKind, known: readonly Ref[]): Split | undefined {
  const head = known.find((ref) => ref.name === "HEAD");
  const defaultBranch = head === undefined ? [] : [head];
  const heads = refs === "tags" ? [] : [...defaultBranch, ...shortNames(known, "refs/heads/")];
  const tags = refs === "heads" ? [] : shortNames(known, "refs/tags/");
  const shortest = (length: number, best: number) => best === 0 || length < best;
  const ref = pick(text, heads, shortest) ?? pick(text, tags, shortest);
  if (ref !== undefined) return { oid: ref.oid, path: text.slice(ref.name.length + 1) };
  if (refs !== "any" || [...heads, ...tags].some((each) => each.name === text)) return undefined;
  const first = firstSegment(text);
  if (isObjectId(first))
    return first === text ? undefined : { oid: first, path: text.slice(first.length + 1) };
  return head && { oid: head.oid, path: text };
}

function shortNames(known: readonly Ref[], prefix: string): Ref[] {
  return known
    .filter((ref) => ref.name.startsWith(prefix))
    .map((ref) => ({ name: ref.name.slice(prefix.length), oid: ref.oid }));
}

function pick(
  text: string,
  candidates: readonly Ref[],
  better: (length: number, best: number) => boolean,
): Ref | undefined {
  let best: Ref | undefined;
  for (const ref of candidates) {
    if (text.startsWith(`${ref.name}/`) && better(ref.name.length, best?.name.length ?? 0)) best = ref;
  }
  return best;
}
