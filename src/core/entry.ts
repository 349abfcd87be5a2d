import type { HeaderFields, ReadHeader } from "./header-fields.ts";

/**
 * What is known of a representation, without its bytes: a file at a commit, an object, an artifact, an entry of one, a list. It is
 * the same for every asker.
 */
export type Entry = {
  /** When it was learned, in milliseconds. */
  readonly at: number;
  /** Content identity: equal identity, equal bytes, for ever. */
  readonly identity: string;
  readonly size: number;
  /** As clients are shown it: strong, with its quotes, but for objects whose store has none or a weak one. */
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** The origin's own validator, for asking it again; not always fit for clients. */
  readonly originEtag: string | undefined;
  readonly headers: HeaderFields;
  /** Whether its origin only ever sends all of it. */
  readonly isRangeless?: boolean;
  /** The number of the job that an artifact is of, where that is known. */
  readonly job?: string;
};

/**
 * Header fields that describe the content and nobody who asked for it. All others are dropped:
 * what is not on this list is never stored (Set-Cookie, request ids, rate limits, tracing).
 */
const CONTENT_HEADERS = [
  "content-type",
  "content-disposition",
  "content-language",
  "content-security-policy",
  "cross-origin-resource-policy",
  "referrer-policy",
  "x-content-type-options",
  "x-download-options",
  "x-frame-options",
  "x-permitted-cross-domain-policies",
  "x-robots-tag",
  "x-gitlab-blob-id",
  "x-gitlab-commit-id",
  "x-gitlab-content-sha256",
  "x-gitlab-encoding",
  "x-gitlab-execute-filemode",
  "x-gitlab-file-name",
  "x-gitlab-file-path",
  "x-gitlab-last-commit-id",
  "x-gitlab-ref",
  "x-gitlab-size",
] as const;

/** The header fields that are stored with a file or artifact. Of origins that may read it only `*` is kept: any other is one of the asker. */
export function contentHeaders(header: ReadHeader): [string, string][] {
  const kept = CONTENT_HEADERS.flatMap((name): [string, string][] => {
    const value = header(name);
    return value === null ? [] : [[name, value]];
  });
  if (header("access-control-allow-origin") === "*") kept.push(["access-control-allow-origin", "*"]);
  return kept;
}

/** A strong entity tag, or `undefined` for a weak, malformed or absent one (RFC 9110 §8.8.3). */
export function strongEtag(value: string | null): string | undefined {
  return value !== null && /^"[\x21\x23-\x7e\x80-\xff]*"$/.test(value) ? value : undefined;
}
