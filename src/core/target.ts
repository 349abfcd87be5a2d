/** How a URL names the bytes of a file before anything has been asked of the origin. */
export type RawName =
  /** Ref and path in one string, to be split against the repository's real refs. */
  | { readonly kind: "joined"; readonly text: string; readonly refs: RefKind }
  /** A ref named apart from the path; `HEAD` is the default branch. */
  | { readonly kind: "ref"; readonly ref: string; readonly path: string }
  /** A full commit id: nothing needs to be resolved. */
  | { readonly kind: "commit"; readonly oid: string; readonly path: string }
  /** A blob by its own id. */
  | { readonly kind: "blob"; readonly oid: string };

/** Which refs a joined name may begin with. */
export type RefKind = "heads" | "tags" | "any";

/** Which door of the forge was knocked at: each has its own ways to sign in, so each is a scope of its own. */
export type Channel = "web" | "api";

/** What a raw URL asks for; holds all that a cached answer depends on, and no credential. */
export type RawTarget = {
  readonly lane: "raw";
  readonly channel: Channel;
  /** `group/subgroup/project`, or the number of a project. */
  readonly project: string;
  readonly name: RawName;
  /** What else changes the bytes or their headers, in one canonical spelling; empty for the plain form. */
  readonly variant: Variant;
};

export type Variant = "" | "attachment" | "media";

/** What a URL asks of an object store; again all that a cached answer depends on, and no credential. */
export type ObjectTarget = {
  readonly lane: "object";
  readonly bucket: string;
  /** As it reads after one decoding: a key is no path, so `.`, `..` and empty segments are part of it. */
  readonly key: string;
  readonly versionId: string | undefined;
  /** The `response-*` parameters in one canonical spelling: they change header fields, not bytes. */
  readonly overrides: string;
  /** The web origin it is asked for (Fetch: CORS protocol), where there is one: the store's header fields depend on it. */
  readonly corsOrigin: string | undefined;
};

export type Target = RawTarget | ObjectTarget;

export type Route =
  | { readonly kind: "target"; readonly target: Target }
  /** No dialect claims it. */
  | { readonly kind: "pass" }
  /** A path that could be read in two ways; it is neither looked up nor sent on. */
  | { readonly kind: "refused"; readonly problem: "bad_path" | "path_too_long" };

export const PASS: Route = { kind: "pass" };
