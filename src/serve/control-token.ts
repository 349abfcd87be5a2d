import { problemResponse } from "./problem-response.ts";

export type ControlToken = {
  /** Whether there is one: without it, what it opens does not exist. */
  readonly isSet: boolean;
  /** Whether a token is the control token, in constant time. */
  readonly isRight: (token: string) => Promise<boolean>;
  /** How long it is: what is longer or shorter need not be compared. */
  readonly length: number;
};

/** A control route is not asked for by its method alone: what a browser remembers may only ever open what changes nothing. */
export type Opens = "programs" | "programs and browsers";

const REALM = 'realm="forgefront"';

/**
 * The answer to a request that does not come from the holder of the control token; `undefined` for one that does. Programs send
 * it as a bearer token (RFC 6750), browsers as the password of anybody (RFC 7617), which they ask for themselves.
 */
export async function refuseControl(
  { isSet, isRight }: ControlToken,
  { headers }: Request,
  opens: Opens,
): Promise<Response | undefined> {
  if (!isSet) return problemResponse("not_found");
  const token = tokenOf(headers.get("authorization") ?? "", opens);
  if (token !== undefined && (await isRight(token))) return undefined;
  const challenge = opens === "programs" ? `Bearer ${REALM}` : `Basic ${REALM}, Bearer ${REALM}`;
  return problemResponse("unauthorized", { "WWW-Authenticate": challenge });
}

function tokenOf(authorization: string, opens: Opens): string | undefined {
  const [scheme = "", value = "", ...more] = authorization.split(" ");
  if (more.length > 0) return undefined;
  const isBasic = scheme.toLowerCase() === "basic" && opens === "programs and browsers";
  if (isBasic) return passwordOf(value);
  return scheme.toLowerCase() === "bearer" ? value : undefined;
}

function passwordOf(credentials: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(credentials)) return undefined;
  const unpadded = credentials.replace(/=+$/, "");
  if (unpadded.length % 4 === 1) return undefined;
  const text = atob(unpadded);
  const colon = text.indexOf(":");
  return colon === -1 ? undefined : text.slice(colon + 1);
}

/**
 * A request as it may go on where the control token opens nothing: without it, as no origin may learn it, whatever the path; and as
 * it came where it has another credential.
 */
export function withoutControlToken(token: ControlToken, request: Request): Request | Promise<Request> {
  const authorization = token.isSet ? request.headers.get("authorization") : null;
  if (authorization === null) return request;
  const held = heldBy(authorization).filter(({ length }) => length === token.length);
  return held.length === 0 ? request : strip(token, request, held);
}

async function strip({ isRight }: ControlToken, request: Request, held: readonly string[]): Promise<Request> {
  const found = await Promise.all(held.map(async (text) => await isRight(text)));
  if (!found.includes(true)) return request;
  const headers = new Headers(request.headers);
  headers.delete("authorization");
  return new Request(request, { headers });
}

/** What can be a token in an `Authorization` of any scheme: all that stands behind it, or the password in that. */
function heldBy(authorization: string): string[] {
  const [, value] = /^\S+\s+(\S+)$/.exec(authorization.trim()) ?? [];
  if (value === undefined) return [];
  const password = passwordOf(value);
  return password === undefined ? [value] : [value, password];
}
