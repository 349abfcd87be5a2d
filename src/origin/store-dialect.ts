import type { Answer, Asking, Dialect, Opened, Opening, OriginBody, Wanted } from "../core/dialect.ts";
import type { Entry } from "../core/entry.ts";
import { isOfTheWhole } from "../core/object-headers.ts";
import { Failure } from "../core/problem.ts";
import type { ObjectTarget } from "../core/target.ts";
import { discard, type AskOrigin } from "./http.ts";
import { rangeHeader, storeRequest, type StoreAddress } from "./store-request.ts";
import { readStoreVerdict } from "./store-verdict.ts";
import { readStoredObject, type CachingLimits, type StoredObject } from "./stored-object.ts";

export type StoreParts = StoreAddress & { readonly ask: AskOrigin; readonly limits: CachingLimits };

type ObjectAsking = Asking & { readonly target: ObjectTarget };
type ObjectOpening = Opening & { readonly target: ObjectTarget };

/** S3, as Ceph, MinIO and AWS speak it. */
export function storeDialect(parts: StoreParts): Dialect {
  return {
    ask: (asking: ObjectAsking) => askStore(parts, asking),
    open: (opening: ObjectOpening) => openStore(parts, opening),
  };
}

/** One byte tells who may read, and all that is known of an object but its bytes. */
const ONE_BYTE: Wanted = { kind: "range", start: 0, end: 1 };

/** Asks for bytes and what they are at once; or, where they are known, only whether that is still so. */
async function askStore(parts: StoreParts, asking: ObjectAsking): Promise<Answer> {
  const { target, principal, known, wanted } = asking;
  if (principal.kind === "signed" && principal.request.method === "HEAD") return await askHead(parts, asking);
  if (wanted === undefined && principal.kind === "signed" && parts.site.auth === "rgw") {
    const answer = await askAuthApi(parts, asking);
    if (answer !== undefined) return answer;
  }
  const range = wanted ?? ONE_BYTE;
  const at = parts.now();
  const response = await parts.ask(
    storeRequest(parts, { target, principal, method: "GET", headers: rangeHeader(range) }),
  );
  // Nothing there, or not so far: only its head tells then what there is
  if (response.status === 416) return await askAfterwards(parts, asking, response);
  const refused = await readStoreVerdict(response, parts.now());
  if (refused !== undefined) return refused;
  const object = readStoredObject(response, at, parts.limits);
  if (object.kind === "object" && wanted !== undefined && bringsWanted(object, range)) {
    const { entry, part } = object;
    const body = response.body === null ? undefined : { entry, stream: response.body, ...extentOf(part) };
    return admitted(object, at, body);
  }
  await discard(response);
  if (object.kind === "object" && !bringsWanted(object, range))
    throw new Failure("origin_error", "Origin sent another part than it was asked for");
  if (object.kind === "object" && known?.identity === object.entry.identity)
    return admitted(keepChecksums(object, known), at, undefined);
  return admitted(object, at, undefined);
}

function extentOf({ start, end }: { readonly start: number; readonly end: number }) {
  return { offset: start, until: end };
}

/** A range is answered with just that, up to the object's end, or with the whole. */
function bringsWanted({ part, entry }: StoredObject & { readonly kind: "object" }, wanted: Wanted): boolean {
  const isWhole = part.start === 0 && part.end === entry.size;
  if (wanted.kind === "whole" || isWhole) return isWhole;
  return part.start === wanted.start && part.end === Math.min(wanted.end, entry.size);
}

/** A part tells no checksum of the whole; what a whole answer told of the same bytes is still true. */
function keepChecksums(
  object: StoredObject & { readonly kind: "object" },
  known: Entry,
): StoredObject & { readonly kind: "object" } {
  const has = new Set(object.entry.headers.map(([name]) => name));
  const checksums = known.headers.filter(([name]) => isOfTheWhole(name) && !has.has(name));
  return { ...object, entry: { ...object.entry, headers: [...object.entry.headers, ...checksums] } };
}

function admitted(object: StoredObject, at: number, body: OriginBody | undefined): Answer {
  if (object.kind === "senseless")
    throw new Failure("origin_error", "Origin sent a part without saying which");
  if (object.kind === "uncacheable") return { kind: "admitted", revision: { at, kind: "uncacheable" } };
  const { entry, freshS } = object;
  const revision = { at, kind: "object", entry, freshS } as const;
  return body === undefined ? { kind: "admitted", revision } : { kind: "admitted", revision, body };
}

async function askAfterwards(parts: StoreParts, asking: ObjectAsking, response: Response): Promise<Answer> {
  await discard(response);
  // A signature for GET does not do for HEAD: the origin's own answer must do
  return asking.principal.kind === "signed" ? { kind: "unclear" } : await askHead(parts, asking);
}

async function askHead(parts: StoreParts, { target, principal }: ObjectAsking): Promise<Answer> {
  const at = parts.now();
  const response = await parts.ask(storeRequest(parts, { target, principal, method: "HEAD", headers: [] }));
  const refused = await readStoreVerdict(response, parts.now());
  if (refused !== undefined) return refused;
  await discard(response);
  return admitted(readStoredObject(response, at, parts.limits), at, undefined);
}

/**
 * Ceph's auth API: the same verdict and header fields as a read, without its bytes (RGW: `x-rgw-auth`). To a range it tells
 * the size, and nothing else of the `Content-Range` makes sense. `undefined` where it tells none.
 */
async function askAuthApi(
  parts: StoreParts,
  { target, principal }: ObjectAsking,
): Promise<Answer | undefined> {
  const at = parts.now();
  const headers = [...rangeHeader(ONE_BYTE), ["x-rgw-auth", "yes"]] as const;
  const response = await parts.ask(storeRequest(parts, { target, principal, method: "GET", headers }));
  const refused = await readStoreVerdict(response, parts.now());
  if (refused !== undefined) return refused;
  await discard(response);
  const size = /\/(\d{1,15})$/.exec(response.headers.get("content-range") ?? "")?.[1];
  if (size === undefined) return undefined;
  const told = new Headers(response.headers);
  told.set("content-length", size);
  return admitted(readStoredObject(new Response(null, { headers: told }), at, parts.limits), at, undefined);
}

/** Reads a range of an object that is known: of that very version, or not at all. */
async function openStore(parts: StoreParts, opening: ObjectOpening): Promise<Opened> {
  const { target, principal, pin, from, until } = opening;
  if (pin.kind !== "object" || until === undefined)
    throw new TypeError("Only what is known of an object can be opened");
  const { entry } = pin;
  const condition: [string, string][] =
    entry.originEtag === undefined ? [] : [["if-match", entry.originEtag]];
  const headers = [...rangeHeader({ kind: "range", start: from, end: until }), ...condition];
  const response = await parts.ask(storeRequest(parts, { target, principal, method: "GET", headers }));
  if (response.status === 412 || response.status === 416) {
    await discard(response);
    throw new Failure("origin_changed");
  }
  const refused = await readStoreVerdict(response, parts.now());
  if (refused?.kind === "refused") return { kind: "refused", refusal: refused.refusal };
  if (refused !== undefined) return refused;
  const object = readStoredObject(response, entry.at, parts.limits);
  const isSame = object.kind === "object" && object.entry.identity === entry.identity;
  if (
    !isSame ||
    response.body === null ||
    !bringsWanted(object, { kind: "range", start: from, end: until })
  ) {
    await discard(response);
    throw new Failure("origin_changed");
  }
  return { kind: "entry", entry, body: response.body, offset: object.part.start, until: object.part.end };
}
