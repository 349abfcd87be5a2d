import type { Principal } from "./principal.ts";
import type { SiteKind } from "./site.ts";
import type { RawTarget } from "./target.ts";

/** The one question that tells who and which together, by the way this asker and this door allow. */
export type Question =
  /** Smart HTTP v2 `ls-refs` for the refs that begin with `prefix` (and HEAD); without it, only whether one may. */
  | { readonly via: "git"; readonly prefix: string | undefined }
  /** GitLab's `HEAD /repository/files/:path`; without a ref, only whether one may. */
  | { readonly via: "api"; readonly file: { readonly ref: string; readonly path: string } | undefined }
  /** The request itself, made conditional. */
  | { readonly via: "replay" }
  /** A read of an object or artifact, or of one byte of it. */
  | { readonly via: "object" }
  /** The list itself; on condition that it is not the one that is known, unless all of it is wanted. */
  | { readonly via: "poll"; readonly isInFull: boolean }
  /** Whether one may read a project's pipelines at all. */
  | { readonly via: "may" };

/** How deep a joined name is looked into for a ref that many others begin like. */
const DEEPEST_REF_SEGMENTS = 12;

/** Which question to ask for a target, `depth` segments into a joined name (1 unless that was too crowded). */
export function questionFor(
  kind: SiteKind,
  principal: Principal,
  target: RawTarget,
  depth: number,
): Question {
  const { name } = target;
  if (kind === "gitlab" && target.channel === "api") {
    if (name.kind === "ref") return { via: "api", file: { ref: name.ref, path: name.path } };
    return { via: "api", file: name.kind === "commit" ? { ref: name.oid, path: name.path } : undefined };
  }
  if (!principal.carriedByGit) return { via: "replay" };
  if (name.kind === "ref") return { via: "git", prefix: name.ref };
  if (name.kind !== "joined") return { via: "git", prefix: undefined };
  return { via: "git", prefix: name.text.split("/").slice(0, depth).join("/") };
}

/** Whether a crowded name can be asked for with one more segment. */
export function canNarrow(target: RawTarget, depth: number): boolean {
  return (
    target.name.kind === "joined" &&
    depth < Math.min(target.name.text.split("/").length, DEEPEST_REF_SEGMENTS)
  );
}

/**
 * The name a question resolves, as the key of its revision; `undefined` where it resolves none.
 * The way it was asked is part of it: what an answer was made from is what its key covers.
 */
export function revisionName(question: Question, target: RawTarget): readonly string[] | undefined {
  if (question.via === "git") return question.prefix === undefined ? undefined : ["refs", question.prefix];
  if (question.via === "api") return question.file && ["ref", question.file.ref];
  const { name } = target;
  if (name.kind === "joined")
    return ["as asked", target.channel, target.variant, name.kind, name.refs, name.text];
  if (name.kind === "ref")
    return ["as asked", target.channel, target.variant, name.kind, name.ref, name.path];
  return undefined;
}
