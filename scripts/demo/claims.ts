import type { IncomingMessage } from "node:http";
import type { Claim, CredentialForm } from "./access.ts";

/** The user name and password of `Authorization: Basic` (RFC 7617), undefined where there is none. */
export function basicCredentials(
  request: IncomingMessage,
): { readonly user: string; readonly password: string } | undefined {
  const [, encoded] = /^basic +(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
  if (encoded === undefined) return undefined;
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, "base64").toString()) ?? [];
  return user === undefined || password === undefined ? undefined : { user, password };
}

/** The claim a header makes. */
export function headerClaim(request: IncomingMessage, name: string, form: CredentialForm): Claim[] {
  const secret = request.headers[name];
  return typeof secret === "string" ? [{ form, secret }] : [];
}

/** The claim of `Authorization` with one of the schemes given. */
export function authorizationClaim(
  request: IncomingMessage,
  schemes: readonly string[],
  form: CredentialForm,
): Claim[] {
  const [, scheme, secret] = /^(\S+) +(\S+)$/.exec(request.headers.authorization ?? "") ?? [];
  if (scheme === undefined || secret === undefined || !schemes.includes(scheme.toLowerCase())) return [];
  return [{ form, secret }];
}

/** The claim a query parameter makes. */
export function queryClaim(query: URLSearchParams, name: string, form: CredentialForm): Claim[] {
  const secret = query.get(name);
  return secret === null ? [] : [{ form, secret }];
}

/** The claim of a session cookie. */
export function cookieClaim(request: IncomingMessage, name: string): Claim[] {
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
  const pair = pairs.find((candidate) => candidate.startsWith(`${name}=`));
  return pair === undefined ? [] : [{ form: "session", secret: pair.slice(name.length + 1) }];
}
