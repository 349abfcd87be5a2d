import { readObjectPath } from "../core/object-path.ts";
import { Failure } from "../core/problem.ts";
import { isRewrittenByUrl } from "../core/request-path.ts";
import type { SignedBy } from "../core/signature.ts";
import type { StoreSite } from "../core/site.ts";
import type { Arrival } from "./arrival.ts";
import { uncached, type Answer } from "./counted.ts";
import type { JourneyParts } from "./journey.ts";
import { failureResponse } from "./problem-response.ts";
import { readStoreAsker } from "./store-asker.ts";
import type { Isolate } from "./visit.ts";
import { beat, isWatched } from "./watch.ts";
import { noteWritten } from "./written.ts";

/** Sends on what is not answered here. */
export async function forward(
  { isolate }: JourneyParts,
  arrival: Arrival,
  request: Request,
): Promise<Answer> {
  const { site } = arrival;
  if (site.kind !== "s3" && isRewrittenByUrl(arrival.path)) throw new Failure("bad_path");
  const response =
    site.kind === "s3"
      ? await forwardToStore(isolate, { ...arrival, site }, request)
      : await isolate.ports.passThrough({ site, request, bucket: undefined, signedBy: undefined });
  return uncached(site, "pass", response);
}

type StoreArrival = Arrival & { readonly site: StoreSite };

const READS = new Set(["GET", "HEAD", "OPTIONS"]);

/** A write that may have happened ends what was known of the object, before its answer is given. */
async function forwardToStore(isolate: Isolate, arrival: StoreArrival, request: Request): Promise<Response> {
  const { ports } = isolate;
  const { site, bucket, method } = arrival;
  const who = readStoreAsker(ports, site, arrival);
  if (who.kind === "refused") return failureResponse(arrival, { problem: who.problem });
  const signedBy: SignedBy | undefined = who.kind === "key" ? who : undefined;
  if (READS.has(method)) return await ports.passThrough({ site, request, bucket, signedBy });
  const note = () => noteWrite(isolate, arrival);
  const noteFailed = async () => {
    if (signedBy !== undefined || namesObject(arrival)) await note(); // it may have happened all the same
  };
  let response: Response;
  try {
    response = await ports.passThrough({ site, request, bucket, signedBy });
  } catch (error) {
    await noteFailed();
    throw error;
  }
  if (response.status >= 400 && response.status < 500) return response;
  await (response.status >= 500 ? noteFailed() : note());
  return untilDone(response, note, arrival.defer);
}

/** A write that fails and was signed by nobody we know ends what is known of one object at most: a stranger does not make a bucket cold. */
function namesObject({ path, bucket }: Arrival): boolean {
  const name = readObjectPath(path, bucket);
  return name !== undefined && name.key !== "";
}

/**
 * An answer without a length may have begun before the write was done (S3: CompleteMultipartUpload, CopyObject, DeleteObjects):
 * the write is noted once more before its end is passed on.
 */
function untilDone(response: Response, note: () => Promise<void>, defer: Arrival["defer"]): Response {
  const { body, headers } = response;
  if (body === null || headers.has("content-length")) return response;
  const { readable, writable } = new IdentityTransformStream();
  const send = async () => {
    try {
      await body.pipeTo(writable, { preventClose: true, preventAbort: true });
    } finally {
      await note();
    }
    await writable.close();
  };
  const sent = send()
    .catch((error: unknown) => writable.abort(error))
    .catch(() => undefined); // the client went away: there is nobody to tell
  defer(sent);
  const { status, statusText } = response;
  return new Response(readable, { status, statusText, headers, encodeBody: "manual" });
}

/** Several keys may be named in the body of a request to a bucket (S3: DeleteObjects, POST Object). */
async function noteWrite(isolate: Isolate, { site, path, bucket, defer }: StoreArrival): Promise<void> {
  const name = readObjectPath(path, bucket);
  if (name === undefined || name.bucket === "") return;
  await noteWritten(isolate.ports, site, name, defer);
  if (isWatched(isolate.ports)) await beat(isolate, site, defer);
}
