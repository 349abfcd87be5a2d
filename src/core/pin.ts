import type { Entry } from "./entry.ts";
import { resolveRef, splitRefPath } from "./ref-path.ts";
import type { Revision } from "./revision.ts";
import type { SiteKind } from "./site.ts";
import type { RawName, Target } from "./target.ts";

/** A name pinned to bytes that cannot change, or the name itself where nothing could be learned of it. */
export type Pin =
  | { readonly kind: "commit"; readonly oid: string; readonly path: string }
  | { readonly kind: "blob"; readonly oid: string }
  /** The name as it was asked, at the validator it had. */
  | { readonly kind: "named"; readonly etag: string }
  /** An object as it was when its store was asked, known in full but for its bytes. */
  | { readonly kind: "object"; readonly entry: Entry }
  | { readonly kind: "unknown" };

export type ObjectPin = Extract<Pin, { readonly kind: "object" }>;

export const UNKNOWN: Pin = { kind: "unknown" };

/** Whether a target can never stand for anything else: a full commit id or a blob's own. */
export function isImmutable(target: Target): boolean {
  return target.lane === "raw" && (target.name.kind === "commit" || target.name.kind === "blob");
}

/** What a name is pinned to where it says it all. */
export function pinOf(name: RawName): Pin | undefined {
  if (name.kind === "commit") return { kind: "commit", oid: name.oid, path: name.path };
  return name.kind === "blob" ? { kind: "blob", oid: name.oid } : undefined;
}

/** What a name is pinned to by a revision; `undefined` where the revision shows that it names nothing. */
export function pinBy(kind: SiteKind, name: RawName, revision: Revision): Pin | undefined {
  if (revision.kind === "validator") return { kind: "named", etag: revision.etag };
  if (revision.kind === "crowded") return UNKNOWN;
  if (name.kind === "joined" && revision.kind === "refs") {
    const split = splitRefPath(kind, name.text, name.refs, revision.refs);
    return split && { kind: "commit", ...split };
  }
  if (name.kind !== "ref") return undefined;
  const oid = oidBy(kind, name.ref, revision);
  return oid === undefined ? undefined : { kind: "commit", oid, path: name.path };
}

function oidBy(kind: SiteKind, ref: string, revision: Revision): string | undefined {
  if (revision.kind === "commit") return revision.oid;
  return revision.kind === "refs" ? resolveRef(kind, ref, revision.refs) : undefined;
}
