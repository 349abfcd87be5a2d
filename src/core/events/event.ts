/**
 * Every name the forge gives a project, in the forge's own spelling: its path, and its number where it has one.
 *
 * An `access` event may be about a group, of which no project is told. A name that ends in "/" is every project whose
 * path begins with it (`group/subgroup/`). One that begins with "/", too, is every project below any group of that name
 * (`/subgroup/`): where "/" and the path have it in them. No number is told for either.
 */
export type ProjectNames = readonly string[];

/** A branch or tag that was moved, made or deleted. */
export type PushEvent = {
  readonly kind: "push";
  readonly project: ProjectNames;
  /** `refs/heads/…` or `refs/tags/…`. */
  readonly ref: string;
  /** Commit ids; `undefined` where the ref did not exist (before), or does not any more (after). */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /**
   * False where the ids may be those of annotated tags, which are not the commits that they stand for, or where it is not
   * told what the ref was before.
   */
  readonly isOfCommits: boolean;
  /** The short name of the branch that HEAD is, where the event says it. */
  readonly defaultBranch: string | undefined;
};

/** What an event of a forge or store says has changed. */
export type ChangeEvent =
  | PushEvent
  /** A pipeline (or workflow run), or a job of it, is not what it was; `pipeline` is its number, where it is told. */
  | { readonly kind: "pipeline"; readonly project: ProjectNames; readonly pipeline: string | undefined }
  /** Who may read, or what a name stands for, is not what it was: made private, moved, renamed, deleted, members changed. */
  | { readonly kind: "access"; readonly project: ProjectNames }
  /** An object was written or deleted. */
  | { readonly kind: "object"; readonly bucket: string; readonly key: string };

export type EventAnswer =
  | { readonly kind: "events"; readonly events: readonly ChangeEvent[] }
  /** A well-formed delivery that changes nothing that is kept here. */
  | { readonly kind: "ignored" }
  | { readonly kind: "malformed"; readonly detail: string };
