/** The forges whose URLs are understood; each has its own grammar in `route-*.ts`. */
export const SITE_KINDS = ["gitlab", "gitea"] as const;
export type SiteKind = (typeof SITE_KINDS)[number];

/** A host the Worker answers for, and the origin behind it. */
export type Site = {
  /** Lower-case host as clients write it, with the port where it is not the scheme's own. */
  readonly host: string;
  readonly kind: SiteKind;
  /** Scheme, host and port of the origin, without a trailing slash. */
  readonly origin: string;
};
