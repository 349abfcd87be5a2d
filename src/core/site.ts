/** The forges whose URLs are understood; each has its own grammar in `route-*.ts`. */
export const FORGE_KINDS = ["gitlab", "gitea"] as const;
export type ForgeKind = (typeof FORGE_KINDS)[number];

export const SITE_KINDS = [...FORGE_KINDS, "s3"] as const;
export type SiteKind = (typeof SITE_KINDS)[number];

/** How it is known who asks an object store; nobody in particular may ask in every mode. */
export const STORE_AUTHS = ["edge", "rgw", "probe"] as const;
export type StoreAuth = (typeof STORE_AUTHS)[number];

type Address = {
  /**
   * Lower-case host as clients write it, with the port where it is not the scheme's own.
   * That of a store may begin with `*.`: then it stands for the rest, and for every bucket before it.
   */
  readonly host: string;
  /** Scheme, host and port of the origin, without a trailing slash. */
  readonly origin: string;
};

export type ForgeSite = Address & { readonly kind: ForgeKind };

export type StoreSite = Address & {
  readonly kind: "s3";
  /**
   * `edge`: the Worker verifies signatures and signs anew. `rgw`, `probe`: the origin has the clients' host name, and
   * their own requests are repeated to it, by Ceph's auth API or as a read of one byte.
   */
  readonly auth: StoreAuth;
  /** What signatures must name as their region. */
  readonly region: string;
};

/** A host the Worker answers for, and the origin behind it. */
export type Site = ForgeSite | StoreSite;

const WILDCARD = "*.";

/** A host without the mark that buckets may stand before it. */
export function baseHost({ host }: Pick<Site, "host">): string {
  return host.startsWith(WILDCARD) ? host.slice(WILDCARD.length) : host;
}

/** What a host name says before that of a site which ends it; `undefined` where it is the site's own. */
export function bucketOfHost(site: Pick<Site, "host">, host: string): string | undefined {
  const base = baseHost(site);
  return host === base ? undefined : host.slice(0, -base.length - 1);
}

export type FoundSite = {
  readonly site: Site;
  /** What a host name says before the site's own (S3: "Virtual hosting of buckets"). */
  readonly bucket: string | undefined;
};

/** A bucket as it can stand in a host name: what else stands before a site's would make a URL lead elsewhere. */
const BUCKET_IN_HOST = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/;

/** Which site a host belongs to: the one of that very name, else the one with the longest name that ends it after a bucket's. */
export function siteFinder(sites: readonly Site[]): (host: string) => FoundSite | undefined {
  const wild = sites.filter(({ host }) => host.startsWith(WILDCARD));
  const plain = sites.filter(({ host }) => !host.startsWith(WILDCARD));
  const named = new Map<string, FoundSite>();
  for (const site of [...wild, ...plain]) named.set(baseHost(site), { site, bucket: undefined });
  const byLength = wild.toSorted((one, other) => other.host.length - one.host.length);
  return (host) => {
    const known = named.get(host);
    if (known !== undefined) return known;
    const site = byLength.find((each) => host.endsWith(`.${baseHost(each)}`));
    if (site === undefined) return undefined;
    const bucket = bucketOfHost(site, host);
    return BUCKET_IN_HOST.test(bucket ?? "") ? { site, bucket } : undefined;
  };
}
