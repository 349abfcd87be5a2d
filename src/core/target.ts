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
  /** What of the object is asked for, where it is an archive. */
  readonly inside: Inside | undefined;
  /** The object that has the whole path as its key, if there is one: then that is meant, and nothing inside of this one. */
  readonly literal: ObjectTarget | undefined;
};

/** A job, by its number, or as the latest successful one of its name on a branch or tag. */
export type JobName =
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "latest"; readonly ref: string; readonly job: string };

/** What a URL asks of a job's artifacts. */
export type ArtifactTarget = {
  readonly lane: "artifact";
  readonly channel: Channel;
  readonly project: string;
  readonly job: JobName;
  /** Which of the job's artifacts, where it is a report and not the archive. */
  readonly fileType: string | undefined;
  /** What of the archive; absent for the archive as it is. */
  readonly inside: Inside | undefined;
};

/** What can be asked of a zip archive beside its own bytes. Paths are by `/`, without one at either end. */
export type Inside =
  | {
      readonly kind: "entry";
      readonly path: string;
      readonly disposition: "inline" | "attachment";
      /** Whether the client takes gzip: what is deflated can then be sent as it is. */
      readonly gzip: boolean;
    }
  | {
      readonly kind: "tree";
      readonly path: string;
      readonly isRecursive: boolean;
      readonly page: number;
      readonly perPage: number;
    }
  | { readonly kind: "browse"; readonly path: string; readonly page: number }
  /** A subtree, or all, made into another archive. */
  | { readonly kind: "tar" | "zip"; readonly path: string };

/** Targets whose archive can be looked into. */
export type ArchiveTarget = ObjectTarget | ArtifactTarget;

/** Which list of a project's CI, or which part of it. GitLab has them all; Gitea and Forgejo `list` (workflow runs) and `tasks`. */
export type PipelinesResource =
  | { readonly kind: "list" | "tasks" }
  /** The latest pipeline of a ref, or of the default branch. */
  | { readonly kind: "latest" }
  | { readonly kind: "pipeline"; readonly id: string }
  | { readonly kind: "jobs"; readonly pipeline: string };

/** What a URL asks of a project's pipelines. */
export type PipelinesTarget = {
  readonly lane: "pipelines";
  /** `group/subgroup/project`, or the number of a project. */
  readonly project: string;
  readonly resource: PipelinesResource;
  /**
   * The parameters in one canonical spelling (`a=b&c=d`, percent-encoded): sorted by name, those that say no more than
   * the default left out, credentials never among them.
   */
  readonly query: string;
  /** How clients reach the site: the addresses in a list begin with it. */
  readonly scheme: "http:" | "https:";
};

export type Target = RawTarget | ArchiveTarget | PipelinesTarget;

export type Route =
  | { readonly kind: "target"; readonly target: Target }
  /** No dialect claims it. */
  | { readonly kind: "pass" }
  /** A path that could be read in two ways; it is neither looked up nor sent on. */
  | { readonly kind: "refused"; readonly problem: "bad_path" | "path_too_long" | "parameter_malformed" };

export const PASS: Route = { kind: "pass" };
