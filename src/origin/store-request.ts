import type { Wanted } from "../core/dialect.ts";
import type { HeaderFields } from "../core/header-fields.ts";
import { readObjectPath, sendablePath } from "../core/object-path.ts";
import { Failure } from "../core/problem.ts";
import { isRewrittenByUrl } from "../core/request-path.ts";
import { NO_PAYLOAD, readSignedQuery, type Signable } from "../core/signable.ts";
import { formatAmzDate } from "../core/signature.ts";
import type { Signer } from "../core/signer.ts";
import { bucketOfHost, type StoreSite } from "../core/site.ts";
import type { AnyPrincipal, SignedRequest } from "../core/store-principal.ts";
import type { ObjectTarget } from "../core/target.ts";
import { uriEncode, uriEncodePath } from "../core/uri-encode.ts";
import type { OriginRequest } from "./http.ts";

/** What requests to a store are made with. */
export type StoreAddress = {
  readonly site: StoreSite;
  readonly signer: Signer;
  /** Secrets by access key id. */
  readonly keys: ReadonlyMap<string, string>;
  readonly now: () => number;
};

/** A read of an object, or of a part of it, by somebody. */
export type StoreRead = {
  readonly target: ObjectTarget;
  readonly principal: AnyPrincipal;
  readonly method: "GET" | "HEAD";
  readonly headers: HeaderFields;
};

/** The request that asks a store as the principal: signed anew by a key, repeated as it was signed, or by nobody. */
export function storeRequest(address: StoreAddress, read: StoreRead): OriginRequest {
  const { target, principal, method } = read;
  const cors: HeaderFields = target.corsOrigin === undefined ? [] : [["origin", target.corsOrigin]];
  const headers = [...cors, ...read.headers];
  if (principal.kind === "signed") {
    if (!namesTarget(address.site, principal.request, target))
      throw new TypeError("A signature is good for no other object than its own");
    return repeated(address, principal.request, headers);
  }
  const path = `/${uriEncodePath(target.bucket)}/${uriEncodePath(target.key)}`;
  const search = searchOf(target);
  const url = storeUrl(address.site.origin, path, search);
  if (principal.kind !== "access key")
    return { method, url, headers, deadline: "start", coding: "as stored" };
  const isWhole = !headers.some(([name]) => name === "range");
  const signed = signedHeaders(address, principal.accessKey, {
    method,
    path,
    query: readSignedQuery(search),
    headers: isWhole ? { "x-amz-checksum-mode": "ENABLED" } : {},
    payload: NO_PAYLOAD,
  });
  return { method, url, headers: [...headers, ...signed], deadline: "start", coding: "as stored" };
}

/**
 * The header fields that sign a request for the origin as the holder of a key: those given, the payload's hash, the date
 * and the signature. The host is signed and not among them, as `fetch` sets it.
 */
export function signedHeaders(
  { site, signer, keys, now }: StoreAddress,
  accessKey: string,
  plain: Signable,
): HeaderFields {
  const date = formatAmzDate(now());
  const scope = { day: date.slice(0, 8), region: site.region, service: "s3" };
  const own = { ...plain.headers, "x-amz-content-sha256": plain.payload, "x-amz-date": date };
  const headers: Record<string, string> = { ...own, host: new URL(site.origin).host };
  const hex = signer.sign({ ...plain, headers }, { secret: keys.get(accessKey) ?? "", date, scope });
  const names = Object.keys(headers).toSorted().join(";");
  const credential = `${accessKey}/${scope.day}/${scope.region}/${scope.service}/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${hex}`;
  return [...Object.entries(own), ["authorization", authorization]];
}

/** Whether a signed request is for this very object: its answer is kept as what is known of it. */
function namesTarget(site: StoreSite, { host, path }: SignedRequest, target: ObjectTarget): boolean {
  const name = readObjectPath(path, bucketOfHost(site, host));
  return name !== undefined && name.bucket === target.bucket && name.key === target.key;
}

function repeated({ site }: StoreAddress, request: SignedRequest, headers: HeaderFields): OriginRequest {
  const { protocol } = new URL(site.origin);
  const url = storeUrl(`${protocol}//${request.host}`, request.path, request.search);
  const all = [...request.headers, ...headers];
  return { method: request.method, url, headers: all, deadline: "start", coding: "as stored" };
}

/** The URL of a path, which no URL parser reads as another one; fails (`bad_path`) where there is none. */
export function storeUrl(base: string, path: string, search: string): string {
  const sent = sendablePath(path);
  if (isRewrittenByUrl(sent)) throw new Failure("bad_path");
  return base + sent + search;
}

/** What a target says beside its path; the overrides are spelled as they can be sent. */
function searchOf({ versionId, overrides }: ObjectTarget): string {
  const version = versionId === undefined ? "" : `versionId=${uriEncode(versionId)}`;
  const parameters = [overrides, version].filter((parameter) => parameter !== "");
  return parameters.length === 0 ? "" : `?${parameters.join("&")}`;
}

/** `Range` for what is wanted; none for the whole (RFC 9110 §14.2). */
export function rangeHeader(wanted: Wanted): [string, string][] {
  return wanted.kind === "whole" ? [] : [["range", `bytes=${wanted.start}-${wanted.end - 1}`]];
}
