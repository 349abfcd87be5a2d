import type { HeaderFields, ReadHeader } from "./header-fields.ts";
import type { ForgeKind } from "./site.ts";

/** One thing a request carries to say who it is. */
type Credential = {
  readonly kind: "token" | "job" | "deploy" | "static" | "basic" | "cookie" | "other";
  readonly place: "header" | "query";
  readonly name: string;
  readonly value: string;
};

/**
 * Who asks, as far as the request tells: what it sent, ready to be sent on, and nothing else of the request.
 * Two principals with the same `text` are the same asker.
 */
export type Principal = {
  readonly kind: "anonymous" | Credential["kind"] | "several";
  readonly headers: HeaderFields;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Whether smart HTTP can carry it; not so cookies, static object tokens, a deploy token without its user name. */
  readonly carriedByGit: boolean;
  /** The `Authorization` value by which it does; `undefined` for nobody. */
  readonly gitAuthorization: string | undefined;
  /** What is hashed into keys; holds the credential itself and must go nowhere else. */
  readonly text: string;
};

export const ANONYMOUS: Principal = {
  kind: "anonymous",
  headers: [],
  query: [],
  carriedByGit: true,
  gitAuthorization: undefined,
  text: "",
};

type Known = readonly [name: string, kind: Credential["kind"]];

type Places = {
  readonly headers: readonly Known[];
  readonly query: readonly Known[];
  readonly cookies: RegExp;
};

/** Where each forge looks for credentials (GitLab: "REST API authentication"; Gitea: "API usage"). */
const PLACES: Record<ForgeKind, Places> = {
  gitlab: {
    headers: [
      ["private-token", "token"],
      ["job-token", "job"],
      ["deploy-token", "deploy"],
      ["x-gitlab-static-object-token", "static"],
      ["sudo", "other"], // an administrator asks as somebody else
    ],
    query: [
      ["private_token", "token"],
      ["access_token", "token"],
      ["job_token", "job"],
      ["token", "static"],
      ["sudo", "other"],
    ],
    cookies: /^(?:_gitlab_session\w*|remember_user_token)$/,
  },
  gitea: {
    headers: [
      ["sudo", "other"],
      ["x-gitea-otp", "other"],
    ],
    query: [
      ["sudo", "other"],
      ["token", "token"],
      ["access_token", "token"],
    ],
    cookies: /^(?:i_like_gitea|gitea_incredible|session|persistent)$/,
  },
};

/** Header fields that tell askers apart, for `Vary` (RFC 9110 §12.5.5) and for finding the credential. */
export function credentialHeaders(kind: ForgeKind): readonly string[] {
  return CREDENTIAL_HEADERS[kind];
}

const CREDENTIAL_HEADERS: Record<ForgeKind, readonly string[]> = {
  gitlab: ["authorization", "cookie", ...PLACES.gitlab.headers.map(([name]) => name)],
  gitea: ["authorization", "cookie", ...PLACES.gitea.headers.map(([name]) => name)],
};

/** Names of the query parameters in which a forge looks for credentials. */
export function credentialParameters(kind: ForgeKind): readonly string[] {
  return CREDENTIAL_PARAMETERS[kind];
}

const CREDENTIAL_PARAMETERS: Record<ForgeKind, readonly string[]> = {
  gitlab: PLACES.gitlab.query.map(([name]) => name),
  gitea: PLACES.gitea.query.map(([name]) => name),
};

/**
 * Whether a query may hold a credential: whether a name in it has one of theirs in it, or is escaped. Cheap, and on the
 * safe side: readers part parameters by `;` too, and see through brackets (`[token]`, `token[]`).
 */
export function holdsCredential(kind: ForgeKind, search: string): boolean {
  return search !== "" && CREDENTIAL_NAME[kind].test(search);
}

const CREDENTIAL_NAME: Record<ForgeKind, RegExp> = {
  gitlab: nameWithAny(CREDENTIAL_PARAMETERS.gitlab),
  gitea: nameWithAny(CREDENTIAL_PARAMETERS.gitea),
};

function nameWithAny(names: readonly string[]): RegExp {
  return new RegExp(`(?:^|[&;])[^=&;]*(?:%|${names.join("|")})`, "i");
}

/**
 * Every credential of a request, wherever the forge would look for it.
 * Where there are several only the origin knows which one counts, so together they make one principal.
 */
export function readPrincipal(kind: ForgeKind, header: ReadHeader, search: string): Principal {
  const found = [...fromHeaders(kind, header), ...fromQuery(kind, search)];
  const [first, ...more] = found;
  if (first === undefined) return ANONYMOUS;
  const authorization = more.length > 0 ? undefined : gitAuthorization(first);
  return {
    kind: more.length > 0 ? "several" : first.kind,
    headers: pairs(found, "header"),
    query: pairs(found, "query"),
    carriedByGit: authorization !== undefined,
    gitAuthorization: authorization,
    text: JSON.stringify(found.map(({ kind: is, place, name, value }) => [is, place, name, value])),
  };
}

function pairs(found: readonly Credential[], place: Credential["place"]): (readonly [string, string])[] {
  return found.filter((each) => each.place === place).map(({ name, value }) => [name, value]);
}

function fromHeaders(kind: ForgeKind, header: ReadHeader): Credential[] {
  const found: Credential[] = [];
  for (const [name, is] of PLACES[kind].headers) {
    const value = header(name);
    if (value !== null && value !== "") found.push({ kind: is, place: "header", name, value });
  }
  const authorization = header("authorization");
  if (authorization !== null && authorization !== "") found.push(fromAuthorization(kind, authorization));
  const session = sessionCookies(PLACES[kind].cookies, header("cookie"));
  if (session !== "") found.push({ kind: "cookie", place: "header", name: "cookie", value: session });
  return found;
}

/** Only the forge's own session cookies are a credential; all others are dropped, so they can neither help nor split. */
function sessionCookies(names: RegExp, cookie: string | null): string {
  if (cookie === null) return "";
  const pieces = cookie.split(";").map((piece) => piece.trim());
  return pieces.filter((piece) => names.test(piece.slice(0, Math.max(piece.indexOf("="), 0)))).join("; ");
}

function fromAuthorization(site: ForgeKind, value: string): Credential {
  const scheme = value.slice(0, Math.max(value.indexOf(" "), 0)).toLowerCase();
  const isToken = scheme === "bearer" || (site === "gitea" && scheme === "token");
  const kind = isToken ? "token" : scheme === "basic" ? "basic" : "other";
  return { kind, place: "header", name: "authorization", value };
}

function fromQuery(kind: ForgeKind, search: string): Credential[] {
  if (search === "") return [];
  const parameters = new URLSearchParams(search);
  return PLACES[kind].query.flatMap(([name, is]) =>
    parameters
      .getAll(name)
      .filter((value) => value !== "")
      .map((value): Credential => ({ kind: is, place: "query", name, value })),
  );
}

/** Smart HTTP knows only Basic: a token goes as the password (GitLab: "Clone using a token"; Gitea: basic auth). */
function gitAuthorization({ kind, name, value }: Credential): string | undefined {
  if (kind === "basic") return value;
  if (kind === "job") return basic("gitlab-ci-token", value);
  if (kind !== "token") return undefined;
  return basic("oauth2", name === "authorization" ? value.slice(value.indexOf(" ") + 1).trim() : value);
}

function basic(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}
