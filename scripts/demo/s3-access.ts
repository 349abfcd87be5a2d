/**
 * An access key and what its owner may do. A grant names a bucket (`demo`), the start of its keys (`demo/photos/`) or everything
 * (`*`); who may read may list too, unless `list` says otherwise.
 */
export interface S3Key {
  readonly id: string;
  readonly secret: string;
  /** What must come as `x-amz-security-token`, for temporary credentials. */
  readonly sessionToken?: string;
  readonly read?: readonly string[];
  readonly list?: readonly string[];
  readonly write?: readonly string[];
}

/** What anybody may do in a bucket: nothing, read and list, or only read the objects whose keys they know. */
export type BucketVisibility = "private" | "public" | "public-objects";

export type Permission = "read" | "list" | "write";

/** Undefined for anybody. */
export type KeyId = string | undefined;

/** Who the store knows and what they may do; it can be changed at any time. */
export interface S3Access {
  /** A key that is known and not revoked. */
  find(id: string): S3Key | undefined;
  may(who: KeyId, permission: Permission, bucket: string, key?: string): boolean;
  addKey(key: S3Key): void;
  setAccess(id: string, grants: Pick<S3Key, Permission>): void;
  setVisibility(bucket: string, visibility: BucketVisibility): void;
  revoke(id: string): void;
  restore(id: string): void;
}

export function createS3Access(initial: readonly S3Key[]): S3Access {
  const keys = new Map(initial.map((key) => [key.id, key]));
  const revoked = new Set<string>();
  const visibilities = new Map<string, BucketVisibility>();
  const find = (id: string) => (revoked.has(id) ? undefined : keys.get(id));

  function may(who: KeyId, permission: Permission, bucket: string, key = ""): boolean {
    if (isOpen(visibilities.get(bucket) ?? "private", permission)) return true;
    const found = who === undefined ? undefined : find(who);
    if (found === undefined) return false;
    const grants = found[permission] ?? (permission === "list" ? found.read : undefined) ?? [];
    return grants.some((grant) => covers(grant, bucket, key));
  }

  return {
    find,
    may,
    addKey: (key) => void keys.set(key.id, key),
    setAccess: (id, { read = [], list = read, write = [] }) => {
      const key = keys.get(id);
      if (key === undefined) throw new Error(`Cannot find the access key ${id}`);
      keys.set(id, { ...key, read, list, write });
    },
    setVisibility: (bucket, visibility) => void visibilities.set(bucket, visibility),
    revoke: (id) => void revoked.add(id),
    restore: (id) => void revoked.delete(id),
  };
}

function isOpen(visibility: BucketVisibility, permission: Permission): boolean {
  if (visibility === "public") return permission !== "write";
  return visibility === "public-objects" && permission === "read";
}

function covers(grant: string, bucket: string, key: string): boolean {
  return grant === "*" || grant === bucket || (grant.includes("/") && `${bucket}/${key}`.startsWith(grant));
}
