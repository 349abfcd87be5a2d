import type { Answer, Wanted } from "../core/dialect.ts";
import type { Entry } from "../core/entry.ts";
import { isOfTheWhole } from "../core/object-headers.ts";
import { Failure } from "../core/problem.ts";
import { discard } from "./http.ts";
import type { ObjectAsking, StoreParts } from "./store-parts.ts";
import { rangeHeader, storeRequest } from "./store-request.ts";
import { readStoreVerdict } from "./store-verdict.ts";
import { bringsWanted, readStoredObject, type StoredObject } from "./stored-object.ts";

/** One byte tells who may read, and all that is known of an object but its bytes. */
const ONE_BYTE: Wanted = { kind: "range", start: 0, end: 1 };

/** Asks for bytes and what they are at once; or, where they are known, only whether that is still so. */
export async function askStore(parts: StoreParts, asking: ObjectAsking): Promise<Answer> {
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
    return admitted(object, { at, known, stream: response.body });
  }
  await discard(response);
  if (object.kind === "object" && !bringsWanted(object, range))
    throw new Failure("origin_error", "Origin sent another part than it was asked for");
  return admitted(object, { at, known });
}

type Told = {
  readonly at: number;
  readonly known: Entry | undefined;
  /** What came along of it. */
  readonly stream?: ReadableStream<Uint8Array> | null;
};

function admitted(object: StoredObject, { at, known, stream }: Told): Answer {
  if (object.kind === "senseless")
    throw new Failure("origin_error", "Origin sent a part without saying which");
  if (object.kind === "uncacheable") return { kind: "admitted", revision: { at, kind: "uncacheable" } };
  const { freshS, part } = object;
  const entry = withChecksums(object.entry, known);
  const revision = { at, kind: "object", entry, freshS } as const;
  if (stream === undefined || stream === null) return { kind: "admitted", revision };
  return { kind: "admitted", revision, body: { entry, stream, offset: part.start, until: part.end } };
}

/** A part tells no checksum of the whole; what was told of the same bytes before is still true. */
function withChecksums(entry: Entry, known: Entry | undefined): Entry {
  if (known?.identity !== entry.identity) return entry;
  const has = new Set(entry.headers.map(([name]) => name));
  const checksums = known.headers.filter(([name]) => isOfTheWhole(name) && !has.has(name));
  return { ...entry, headers: [...entry.headers, ...checksums] };
}

async function askAfterwards(parts: StoreParts, asking: ObjectAsking, response: Response): Promise<Answer> {
  await discard(response);
  // A signature for GET does not do for HEAD: the origin's own answer must do
  return asking.principal.kind === "signed" ? { kind: "unclear" } : await askHead(parts, asking);
}

async function askHead(parts: StoreParts, { target, principal, known }: ObjectAsking): Promise<Answer> {
  const at = parts.now();
  const response = await parts.ask(storeRequest(parts, { target, principal, method: "HEAD", headers: [] }));
  const refused = await readStoreVerdict(response, parts.now());
  if (refused !== undefined) return refused;
  await discard(response);
  return admitted(readStoredObject(response, at, parts.limits), { at, known });
}

/**
 * Ceph's auth API: the same verdict and header fields as a read, without its bytes (RGW: `x-rgw-auth`). To a range it tells
 * the size, and nothing else of the `Content-Range` makes sense. `undefined` where it tells none.
 */
async function askAuthApi(
  parts: StoreParts,
  { target, principal, known }: ObjectAsking,
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
  return admitted(readStoredObject(new Response(null, { headers: told }), at, parts.limits), { at, known });
}
