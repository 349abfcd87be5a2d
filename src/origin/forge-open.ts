import type { Opened } from "../core/dialect.ts";
import { contentHeaders, strongEtag, type Entry } from "../core/entry.ts";
import type { Pin } from "../core/pin.ts";
import { Failure } from "../core/problem.ts";
import type { RawTarget } from "../core/target.ts";
import { wholeNumber } from "../core/whole-number.ts";
import { asPrincipal, type Forge, type ForgeOpening, type ForgeParts } from "./forge.ts";
import { discard } from "./http.ts";
import { partExtent } from "./part-extent.ts";
import { isCoded, isPage, readVerdict } from "./verdict.ts";

/** Asks for a file's bytes and what they are (`Dialect.open`). */
export async function openForge(parts: ForgeParts, opening: ForgeOpening): Promise<Opened> {
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
  { target, pin, principal, known }: ForgeOpening,
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

function isRangeAsked(forge: Forge, from: number): boolean {
  return from > 0 && forge.ranges;
}

async function readEntry(
  { forge, now }: ForgeParts,
  opening: ForgeOpening,
  response: Response,
): Promise<Opened> {
  const { target, pin, method, from } = opening;
  const header = (name: string) => response.headers.get(name);
  const extent = response.status === 206 ? partExtent(header) : undefined;
  if (response.status === 206 && (extent === undefined || !isRangeAsked(forge, from))) {
    await discard(response);
    throw new Failure("origin_error", "Origin sent a part that was not asked for");
  }
  if (isCoded(response) || isPage(response)) {
    await discard(response);
    return { kind: "unclear" };
  }
  const told = forge.told(header);
  const length = extent?.size ?? wholeNumber(header("content-length")) ?? told.size;
  const more = length === undefined ? await askMore(forge, opening, response) : undefined;
  const toldMore = more && forge.told((name) => more.get(name));
  const size = length ?? toldMore?.size;
  const originEtag = strongEtag(header("etag"));
  const blob =
    pin.kind === "blob" ? pin.oid : (told.blob ?? (originEtag === undefined ? toldMore?.blob : undefined));
  const identity = identityOf(target, pin, blob, originEtag);
  const isEmptyByOthers = length === undefined && size === 0; // an empty file says so itself: this one has bytes
  if (size === undefined || identity === undefined || isEmptyByOthers) {
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
  return { kind: "entry", entry, body, offset: extent?.part.start ?? 0 };
}

/** What else the forge knows of a file whose bytes wait to be read; they are let go where it does not answer. */
async function askMore(
  forge: Forge,
  { target, pin, principal }: ForgeOpening,
  response: Response,
): Promise<Headers | undefined> {
  try {
    return await forge.askFile?.(target, pin, principal);
  } catch (error) {
    await discard(response);
    throw error;
  }
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
