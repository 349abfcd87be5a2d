import { formDecode } from "./form-decode.ts";
import type { ReadHeader } from "./header-fields.ts";
import { canonicalPath } from "./object-path.ts";

/** A request as it was signed, in parts: what a canonical request is made of. */
export type Signable = {
  readonly method: string;
  /** Encoded in the one way. */
  readonly path: string;
  /** Decoded; a list where a name stands more than once. */
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the payload in hex, or what is said in its place. */
  readonly payload: string;
};

export type SignedParts = {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly search: string;
  readonly header: ReadHeader;
};

export const UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD";
/** SHA-256 of nothing: the payload of a read. */
export const NO_PAYLOAD = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/** Methods whose requests have no payload; curl before 8 signs that without saying so. */
const WITHOUT_PAYLOAD = new Set(["GET", "HEAD", "DELETE", "OPTIONS"]);

/** What a request's signature must have been made over; `undefined` where it does not say what its payload is. */
export function signableOf(
  { method, host, path, search, header }: SignedParts,
  { place, signedHeaders }: { readonly place: "header" | "query"; readonly signedHeaders: readonly string[] },
): Signable | undefined {
  const headers: Record<string, string> = {};
  for (const name of signedHeaders) headers[name] = name === "host" ? host : (header(name) ?? "");
  const query = readSignedQuery(search);
  const told = header("x-amz-content-sha256");
  const inQuery = query["X-Amz-Content-Sha256"];
  const inPlace = typeof inQuery === "string" ? inQuery : UNSIGNED_PAYLOAD;
  const isTold = place === "header" || signedHeaders.includes("x-amz-content-sha256");
  const payload = isTold ? (told ?? (WITHOUT_PAYLOAD.has(method) ? NO_PAYLOAD : undefined)) : inPlace;
  return payload === undefined ? undefined : { method, path: canonicalPath(path), query, headers, payload };
}

/** The parameters of a query, each decoded once ("+" is a space, as S3 reads it). */
export function readSignedQuery(search: string): Record<string, string | string[]> {
  const query = Object.create(null) as Record<string, string | string[]>; // a name may be `__proto__`
  if (search.length < 2) return query;
  for (const parameter of search.slice(1).split("&")) {
    const equals = parameter.indexOf("=");
    const name = decode(equals === -1 ? parameter : parameter.slice(0, equals));
    const value = equals === -1 ? "" : decode(parameter.slice(equals + 1));
    const before = query[name];
    if (name === "" && value === "") continue;
    query[name] =
      before === undefined ? value : typeof before === "string" ? [before, value] : [...before, value];
  }
  return query;
}

function decode(text: string): string {
  return formDecode(text) ?? text.replaceAll("+", " ");
}
