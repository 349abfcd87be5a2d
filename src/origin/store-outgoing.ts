import type { Outgoing } from "../core/outgoing.ts";
import { Failure } from "../core/problem.ts";
import { readSignedQuery } from "../core/signable.ts";
import { SIGNATURE_PARAMETERS, type Signature, type SignedBy } from "../core/signature.ts";
import { canonicalPath } from "../core/object-path.ts";
import { uriEncode } from "../core/uri-encode.ts";
import { resignChunks, type SigningChain } from "./chunk-signatures.ts";
import { signingKey } from "./sigv4.ts";
import { signedHeaders, storeUrl, type StoreAddress } from "./store-request.ts";

/** A request to a store that is not answered at the edge. */
export type StorePassing = {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly search: string;
  /** The bucket that stands in the host name. */
  readonly bucket: string | undefined;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | null;
  /** The signature that the edge found right, which is replaced by one for the origin's host and the same payload. */
  readonly signedBy: SignedBy | undefined;
};

/** Addresses a request to the origin: untouched but for the host where it is nobody's, signed anew where it was signed. */
export function storeOutgoing(address: StoreAddress, passing: StorePassing): Outgoing {
  const { site } = address;
  const { path, search, headers, bucket, signedBy } = passing;
  if (site.auth !== "edge") {
    const { protocol } = new URL(site.origin);
    return { url: storeUrl(`${protocol}//${passing.host}`, path, search), headers };
  }
  const named = bucket === undefined ? path : `/${uriEncode(bucket)}${path}`;
  if (signedBy === undefined) return { url: storeUrl(site.origin, named, search), headers };
  const kept = withoutSignature(search);
  const url = storeUrl(site.origin, named, kept);
  return signedAnew(address, { ...passing, ...signedBy, path: named, search: kept }, url);
}

function withoutSignature(search: string): string {
  if (search === "") return "";
  const kept = search
    .slice(1)
    .split("&")
    .filter((parameter) => !SIGNATURE_PARAMETERS.includes(parameter.split("=")[0] ?? ""));
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}

type Signed = StorePassing & SignedBy;

function signedAnew(
  address: StoreAddress,
  { method, path, search, headers, body, signature, payload }: Signed,
  url: string,
): Outgoing {
  const amz: Record<string, string> = {};
  for (const [name, value] of headers) if (name.startsWith("x-amz-")) amz[name] = value;
  delete amz["x-amz-security-token"]; // the key that signs now is no temporary one
  const signable = {
    method,
    path: canonicalPath(path),
    query: readSignedQuery(search),
    headers: amz,
    payload,
  };
  const signed = signedHeaders(address, signature.accessKey, signable);
  headers.delete("x-amz-security-token");
  for (const [name, value] of signed) headers.set(name, value);
  if (body === null || !payload.startsWith("STREAMING-AWS4-HMAC-SHA256-PAYLOAD")) return { url, headers };
  return { url, headers, ...chunksSignedAnew(address, { headers, body, signature, payload }) };
}

type Chunked = SignedBy & {
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array>;
};

/** A body whose every chunk is signed: the chain begins with the request's own signature, and so changes with it. */
function chunksSignedAnew(
  { keys }: StoreAddress,
  { headers, body, signature, payload }: Chunked,
): Required<Pick<Outgoing, "body" | "sent">> {
  const length = Number(headers.get("content-length") ?? Number.NaN);
  if (!Number.isSafeInteger(length)) throw new Failure("chunk_malformed", "No Content-Length");
  const secret = keys.get(signature.accessKey) ?? "";
  const { readable, writable } = new FixedLengthStream(length);
  const resigned = resignChunks({
    from: chain(secret, signature.date, signature.hex, signature),
    to: ownChain(secret, headers, signature),
    hasTrailer: payload.endsWith("-TRAILER"),
  });
  const sent = Promise.all([body.pipeTo(resigned.writable), resigned.readable.pipeTo(writable)]).then(
    () => undefined,
  );
  return { body: readable, sent };
}

function ownChain(secret: string, headers: Headers, { region, service }: Signature): SigningChain {
  const date = headers.get("x-amz-date") ?? "";
  const hex = /Signature=([0-9a-f]{64})$/.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  return chain(secret, date, hex, { day: date.slice(0, 8), region, service });
}

function chain(
  secret: string,
  amzDate: string,
  seedSignature: string,
  { day, region, service }: Pick<Signature, "day" | "region" | "service">,
): SigningChain {
  const scope = `${day}/${region}/${service}/aws4_request`;
  return { signingKey: signingKey(secret, { day, region, service }), amzDate, scope, seedSignature };
}
