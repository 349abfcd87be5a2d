import type { Answer, Asking, Dialect, Opened, Opening } from "../core/dialect.ts";
import { contentHeaders, strongEtag, type Entry } from "../core/entry.ts";
import { Failure } from "../core/problem.ts";
import { retryAfterSeconds } from "../core/refusal.ts";
import type { Pin } from "../core/pin.ts";
import type { Principal } from "../core/principal.ts";
import type { MemoryStore } from "../core/store.ts";
import type { RawTarget } from "../core/target.ts";
import { listRefs } from "./git.ts";
import { discard, readRefusal, type AskOrigin, type OriginRequest } from "./http.ts";

/** What a forge knows of a file beside its bytes. */
export type Told = { readonly blob: string | undefined; readonly size: number | undefined };

/** What is one forge's own; the rest of its dialect is common to all. */
export type Forge = {
  /** The repository for smart HTTP. */
  gitUrl(target: RawTarget): string;
  /** Where the origin serves the file: pinned, or by the name as it was asked. */
  rawUrl(target: RawTarget, pin: Pin | undefined): string;
  /** Where it sends those it wants to sign in. */
  readonly signInPath: string;
  /** How a request is repeated to learn whether it would be answered, without its body where that can be had. */
  readonly replay: "conditional GET" | "HEAD";
  /** Whether single byte ranges are served. */
  readonly ranges: boolean;
  /** The blob and size, where the headers of a raw answer tell them. */
  told(header: (name: string) => string | null): Told;
  /** Where the door that was knocked at says "no" in its own words, for what smart HTTP refused. */
  refusalUrl?(target: RawTarget): string | undefined;
  /** Asks for what is known of a file beside its bytes, for what a raw answer does not tell. */
  askFile?(target: RawTarget, pin: Pin, principal: Principal): Promise<Headers | undefined>;
  /** What is answered to those who may read the code as a whole, and to nobody else. */
  codeUrl?(target: RawTarget): string;
  /** Answers questions put `via: "api"`. */
  askApi?(asking: Asking): Promise<Answer>;
};

export type ForgeParts = {
  readonly forge: Forge;
  readonly ask: AskOrigin;
  readonly now: () => number;
  readonly advertisements: MemoryStore<Uint8Array>;
};

/** Makes the dialect of a forge. */
export function forgeDialect(parts: ForgeParts): Dialect {
  return {
    async ask(asking) {
      if (asking.question.via === "git") return await askGit(parts, asking, asking.question.prefix);
      if (asking.question.via === "api" && parts.forge.askApi !== undefined)
        return await parts.forge.askApi(asking);
      return await replay(parts, asking);
    },
    open: (opening) => open(parts, opening),
  };
}

/** A request that carries the principal and nothing else of the asker. */
export function asPrincipal(
  principal: Principal,
  url: string,
  request: Partial<OriginRequest> & { readonly deadline: OriginRequest["deadline"] },
): OriginRequest {
  const credentials = principal.query.map((pair) => pair.map(encodeURIComponent).join("="));
  const query = credentials.length === 0 ? "" : (url.includes("?") ? "&" : "?") + credentials.join("&");
  const headers = [...principal.headers, ...(request.headers ?? [])];
  return { method: "GET", ...request, url: url + query, headers };
}

/** Reads an answer as a verdict; `undefined` where it is a yes, whose body the caller has yet to read or let go. */
export async function readVerdict(
  response: Response,
  signInPath: string,
  now: number,
  about: "scope" | "name",
): Promise<Exclude<Answer, { kind: "admitted" }> | undefined> {
  const { status } = response;
  if (status === 200 || status === 206 || status === 304) return undefined;
  if (status >= 500) {
    await discard(response);
    throw new Failure("origin_error", `Origin answered ${status}`);
  }
  if (status === 429) {
    const seconds = retryAfterSeconds(response.headers.get("retry-after"), now);
    return { kind: "busy", refusal: await readRefusal(response), seconds };
  }
  const signIn = status >= 300 && status < 400 && isPath(response.headers.get("location"), signInPath);
  if (signIn || status === 401 || status === 403) {
    return { kind: "refused", refusal: await readRefusal(response), about: "scope" };
  }
  if (status === 404) return { kind: "refused", refusal: await readRefusal(response), about };
  await discard(response);
  return { kind: "unclear" };
}

function isPath(location: string | null, path: string): boolean {
  const base = "http://origin.invalid/";
  return location !== null && URL.canParse(location, base) && new URL(location, base).pathname === path;
}

async function askGit(
  { forge, ask, now, advertisements }: ForgeParts,
  { target, principal }: Asking,
  prefix: string | undefined,
): Promise<Answer> {
  const at = now();
  if (!principal.carriedByGit) throw new TypeError("Smart HTTP cannot carry this principal");
  const listed = await listRefs(ask, advertisements, {
    url: forge.gitUrl(target),
    authorization: principal.gitAuthorization,
    prefix,
  });
  if (listed.kind === "declined") {
    const verdict = await readVerdict(listed.response, forge.signInPath, now(), "scope");
    const url = verdict?.kind === "refused" ? forge.refusalUrl?.(target) : undefined;
    if (verdict === undefined || url === undefined) return verdict ?? { kind: "unclear" };
    return (await askRefusal({ ask, forge, now }, principal, url)) ?? verdict;
  }
  if (listed.kind === "unclear") return { kind: "unclear" };
  if (prefix === undefined) return { kind: "admitted", revision: undefined };
  return { kind: "admitted", revision: { at, ...listed } };
}

/** A 404 does not say whether it means the name or all of the code; where that can be asked, it is. */
async function aboutScope(
  parts: Pick<ForgeParts, "ask" | "forge" | "now">,
  refused: Exclude<Answer, { kind: "admitted" }>,
  { target, principal }: { readonly target: RawTarget; readonly principal: Principal },
): Promise<Answer> {
  const url = principal.kind === "cookie" ? parts.forge.codeUrl?.(target) : undefined;
  if (refused.kind !== "refused" || refused.about === "scope" || url === undefined) return refused;
  const denied = await askRefusal(parts, principal, url);
  return denied === undefined ? refused : { ...refused, about: "scope" };
}

async function askRefusal(
  { ask, forge, now }: Pick<ForgeParts, "ask" | "forge" | "now">,
  principal: Principal,
  url: string,
): Promise<Answer | undefined> {
  const response = await ask(asPrincipal(principal, url, { deadline: "whole" }));
  const verdict = await readVerdict(response, forge.signInPath, now(), "scope");
  if (verdict === undefined) await discard(response);
  return verdict?.kind === "refused" ? verdict : undefined;
}

async function replay({ forge, ask, now }: ForgeParts, { target, principal, etag }: Asking): Promise<Answer> {
  const at = now();
  const conditional = forge.replay === "conditional GET";
  const request = asPrincipal(principal, forge.rawUrl(target, undefined), {
    method: conditional ? "GET" : "HEAD",
    headers: conditional ? [["If-None-Match", etag ?? "*"]] : [],
    deadline: "whole",
  });
  const response = await ask(request);
  const refused = await readVerdict(response, forge.signInPath, now(), "name");
  if (refused !== undefined) return await aboutScope({ forge, ask, now }, refused, { target, principal });
  await discard(response); // a 200 to a condition that no longer holds brings a body along
  const current = strongEtag(response.headers.get("etag"));
  if (current === undefined || isPage(response)) return { kind: "unclear" }; // a page that says 200 is no "yes"
  return { kind: "admitted", revision: { at, kind: "validator", etag: current } };
}

async function open(parts: ForgeParts, opening: Opening): Promise<Opened> {
  const { forge, ask, now } = parts;
  const { target, pin, principal, method, known, from } = opening;
  const unchanged = await askUnchanged(parts, opening);
  if (unchanged !== undefined) return { kind: "entry", entry: unchanged, body: undefined, offset: 0 };
  const url = forge.rawUrl(target, pin.kind === "commit" || pin.kind === "blob" ? pin : undefined);
  const headers: [string, string][] = [];
  if (known?.originEtag !== undefined) headers.push(["If-None-Match", known.originEtag]);
  if (isRangeAsked(forge, from)) headers.push(["Range", `bytes=${from}-`]);
  const response = await ask(asPrincipal(principal, url, { method, headers, deadline: "start" }));
  const refused = await readVerdict(response, forge.signInPath, now(), "name");
  if (refused !== undefined) {
    if (refused.kind !== "refused" || refused.about === "scope") return refused;
    return { kind: "missing", refusal: refused.refusal };
  }
  if (response.status === 304) {
    if (known === undefined) return { kind: "unclear" };
    return { kind: "entry", entry: renewed(known, response.headers, now()), body: undefined, offset: 0 };
  }
  return await readEntry(parts, opening, response);
}

/** Where a raw answer has no validator to make a condition of, the blob's id tells whether a path is as it was. */
async function askUnchanged(
  { forge, now }: ForgeParts,
  { target, pin, principal, known }: Opening,
): Promise<Entry | undefined> {
  if (known === undefined || known.originEtag !== undefined) return undefined;
  const headers = await forge.askFile?.(target, pin, principal);
  if (headers === undefined) return undefined;
  const { blob } = forge.told((name) => headers.get(name));
  if (blob === undefined || identityOf(target, pin, blob, undefined) !== known.identity) return undefined;
  const told = new Headers([...headers].filter(([name]) => name.startsWith("x-gitlab-"))); // not its own type
  return renewed(known, told, now());
}

/** A known entry with what is said anew of it (RFC 9111 §3.2). */
function renewed(known: Entry, headers: Headers, at: number): Entry {
  const fresh = contentHeaders((name) => headers.get(name));
  const names = new Set(fresh.map(([name]) => name));
  return {
    ...known,
    at,
    lastModified: headers.get("last-modified") ?? known.lastModified,
    headers: [...known.headers.filter(([name]) => !names.has(name)), ...fresh],
  };
}

/** Whether an answer is a web page: no forge serves raw content as one, but what stands before a forge may ask to sign in with one. */
function isPage({ headers }: Response): boolean {
  return (headers.get("content-type") ?? "").toLowerCase().startsWith("text/html");
}

function isRangeAsked(forge: Forge, from: number): boolean {
  return from > 0 && forge.ranges;
}

async function readEntry(
  { forge, now }: ForgeParts,
  { target, pin, principal, method, from }: Opening,
  response: Response,
): Promise<Opened> {
  const header = (name: string) => response.headers.get(name);
  const part = partOf(response);
  if (response.status === 206 && (part === undefined || !isRangeAsked(forge, from))) {
    await discard(response);
    throw new Failure("origin_error", "Origin sent a part that was not asked for");
  }
  const told = forge.told(header);
  const coded = !["identity", null, ""].includes(header("content-encoding"));
  const length = part?.size ?? wholeNumber(header("content-length")) ?? told.size;
  const more = length === undefined && !coded ? await forge.askFile?.(target, pin, principal) : undefined;
  const toldMore = more && forge.told((name) => more.get(name));
  const size = length ?? toldMore?.size;
  const originEtag = strongEtag(header("etag"));
  const blob =
    pin.kind === "blob" ? pin.oid : (told.blob ?? (originEtag === undefined ? toldMore?.blob : undefined));
  const identity = identityOf(target, pin, blob, originEtag);
  if (coded || isPage(response) || size === undefined || identity === undefined) {
    await discard(response);
    return { kind: "unclear" };
  }
  const entry: Entry = {
    at: now(),
    identity,
    size,
    etag: originEtag ?? `"${blob ?? encodeURIComponent(identity)}"`,
    originEtag,
    lastModified: header("last-modified") ?? undefined,
    headers: contentHeaders(header),
  };
  const body = method === "HEAD" ? undefined : (response.body ?? undefined);
  return { kind: "entry", entry, body, offset: part?.start ?? 0 };
}

/**
 * The name under which bytes are kept. A blob id is the bytes' own name. A strong validator is that of one path
 * (RFC 9110 §8.8.1): branches share it, other paths do not. What has neither is known by its commit and path.
 * Content that the forge puts in a file's place (`media`: large file storage) is not the blob's.
 */
function identityOf(
  { name, channel, variant }: RawTarget,
  pin: Pin,
  blob: string | undefined,
  etag: string | undefined,
): string | undefined {
  if (blob !== undefined && variant !== "media") return `blob:${blob}`;
  if (etag !== undefined) return ["etag", channel, variant, pathOf(name, pin), etag].join(":");
  return pin.kind === "commit" ? ["commit", channel, variant, pin.oid, pin.path].join(":") : undefined;
}

function pathOf(name: RawTarget["name"], pin: Pin): string {
  if (pin.kind === "commit") return pin.path;
  return name.kind === "joined" ? `?${name.text}` : name.kind === "blob" ? name.oid : name.path;
}

function partOf(response: Response): { readonly start: number; readonly size: number } | undefined {
  if (response.status !== 206) return undefined;
  const match = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15})$/.exec(response.headers.get("content-range") ?? "");
  return match === null ? undefined : { start: Number(match[1]), size: Number(match[2]) };
}

export function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
