/** What a secret was issued as; the same text sent as another form is not accepted. */
export type CredentialForm = "token" | "job" | "deploy" | "static" | "session" | "password";

/** A credential as a request carried it. */
export interface Claim {
  readonly form: CredentialForm;
  readonly secret: string;
  /** The user name beside it, where the form has one. */
  readonly user?: string;
}

/** A credential as the forge issued it. */
export interface Account {
  readonly form: CredentialForm;
  readonly secret: string;
  readonly user: string;
  readonly expired?: boolean;
}

export type Identity =
  | { readonly kind: "anonymous" }
  | { readonly kind: "user"; readonly name: string }
  | { readonly kind: "rejected"; readonly reason: "unknown" | "expired" };

export type Visibility = "public" | "private";

/** Who a forge knows, what they are members of, and what anybody may read; the setters are for tests. */
export interface Access {
  identify(claims: readonly Claim[]): Identity;
  isPublic(project: string): boolean;
  isMember(identity: Identity, project: string): boolean;
  /** Whether a member has the role of a developer, or more, and not only that of a guest or a reporter. */
  isDeveloper(identity: Identity, project: string): boolean;
  setVisibility(project: string, visibility: Visibility): void;
  setMember(user: string, project: string, member: boolean): void;
  revoke(secret: string): void;
  restore(secret: string): void;
}

export interface AccessTable {
  readonly accounts: readonly Account[];
  readonly members: Readonly<Record<string, readonly string[]>>;
  readonly publicProjects: readonly string[];
  /** Users who are developers wherever they are members; nobody, where it is left out. */
  readonly developers?: readonly string[];
}

export function createAccess(table: AccessTable): Access {
  const open = new Set(table.publicProjects);
  const revoked = new Set<string>();
  const members = new Map(Object.entries(table.members).map(([user, projects]) => [user, new Set(projects)]));

  function identify(claims: readonly Claim[]): Identity {
    // A session that has ended is no error: the forge asks to sign in, as it asks anybody.
    if (claims.every((claim) => claim.form === "session" && find(claim) === undefined))
      return { kind: "anonymous" };
    const account = claims.map(find).find((found) => found !== undefined);
    if (account === undefined) return { kind: "rejected", reason: "unknown" };
    if (account.expired) return { kind: "rejected", reason: "expired" };
    return { kind: "user", name: account.user };
  }

  function find(claim: Claim): Account | undefined {
    if (revoked.has(claim.secret)) return undefined;
    return table.accounts.find((account) => matches(account, claim));
  }

  function setMember(user: string, project: string, member: boolean) {
    const projects = members.get(user) ?? new Set();
    members.set(user, projects);
    if (member) projects.add(project);
    else projects.delete(project);
  }

  const isMember = (identity: Identity, project: string) =>
    identity.kind === "user" && (members.get(identity.name)?.has(project) ?? false);

  return {
    identify,
    isPublic: (project) => open.has(project),
    isMember,
    isDeveloper: (identity, project) =>
      isMember(identity, project) &&
      identity.kind === "user" &&
      (table.developers?.includes(identity.name) ?? false),
    setVisibility: (project, visibility) =>
      void (visibility === "public" ? open.add(project) : open.delete(project)),
    setMember,
    revoke: (secret) => void revoked.add(secret),
    restore: (secret) => void revoked.delete(secret),
  };
}

function matches(account: Account, claim: Claim): boolean {
  if (account.form !== claim.form || account.secret !== claim.secret) return false;
  const named = claim.form === "password" || claim.form === "deploy";
  return !named || claim.user === undefined || claim.user === account.user;
}
