import type { ReadHeader } from "./header-fields.ts";
import type { ProblemName } from "./problem.ts";
import { readSignedQuery } from "./signable.ts";

/** A signature as a request carries it (AWS Signature Version 4), in its header or in its query. */
export type Signature = {
  readonly place: "header" | "query";
  readonly accessKey: string;
  /** Of the credential scope: `YYYYMMDD`, then what it is for. */
  readonly day: string;
  readonly region: string;
  readonly service: string;
  /** `YYYYMMDD'T'HHMMSS'Z'` as it was signed, and the same in milliseconds. */
  readonly date: string;
  readonly at: number;
  /** Seconds a presigned URL is good for; `undefined` for a header. */
  readonly expiresS: number | undefined;
  /** Lower case, in the order they were signed. */
  readonly signedHeaders: readonly string[];
  /** 64 hex digits. */
  readonly hex: string;
};

/** A signature that was found right, and what it says of the payload. */
export type SignedBy = { readonly signature: Signature; readonly payload: string };

export type SignatureAnswer =
  | { readonly kind: "signature"; readonly signature: Signature }
  | { readonly kind: "none" }
  /** Another way of signing, which only the origin understands. */
  | { readonly kind: "foreign" }
  | { readonly kind: "problem"; readonly problem: ProblemName };

/** The parameters of a query that carry a signature, and end with it. */
export const SIGNATURE_PARAMETERS: readonly string[] = [
  "X-Amz-Algorithm",
  "X-Amz-Credential",
  "X-Amz-Date",
  "X-Amz-Expires",
  "X-Amz-SignedHeaders",
  "X-Amz-Signature",
  "X-Amz-Security-Token",
  "X-Amz-Content-Sha256",
];

const ALGORITHM = "AWS4-HMAC-SHA256";
const MALFORMED = {
  header: { kind: "problem", problem: "signature_malformed" },
  query: { kind: "problem", problem: "presigned_malformed" },
} as const;
/** The name of a header field (RFC 9110 §5.6.2), in lower case. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const FOREIGN: SignatureAnswer = { kind: "foreign" };

/** Reads who signed a request, and how; both places at once are refused, as S3 does. */
export function readSignature(header: ReadHeader, search: string): SignatureAnswer {
  const authorization = header("authorization");
  const isPresigned = /[?&]X-Amz-(?:Algorithm|Signature)=/.test(search);
  if (authorization === null || authorization === "") {
    if (isPresigned) return fromQuery(search);
    return /[?&](?:AWSAccessKeyId|Signature)=/.test(search) ? FOREIGN : { kind: "none" };
  }
  if (isPresigned) return MALFORMED.header;
  return authorization.startsWith(ALGORITHM) ? fromHeader(authorization, header) : FOREIGN;
}

/** A whole signature of version 4 or 2 as it stands in `Authorization`, whatever it is worth. */
const IN_HEADER = /^AWS4-HMAC-SHA256\s(?=.*Credential=[^,\s])(?=.*Signature=[^,\s])|^AWS [^:\s]+:\S/;
const IN_QUERY = [
  ["AWSAccessKeyId", "Signature", "Expires"],
  ["X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature"],
];

/** Whether a request has all of a signature that a store looks for, right or wrong: to one that has less it is nobody's. */
export function isSigned(header: (name: string) => string | null, search: string): boolean {
  const authorization = header("authorization");
  if (authorization !== null && authorization !== "") return IN_HEADER.test(authorization);
  const query = readSignedQuery(search);
  const isThere = (name: string) => typeof query[name] === "string" && query[name] !== "";
  const algorithm = query["X-Amz-Algorithm"];
  if (algorithm !== undefined && algorithm !== ALGORITHM) return false;
  return IN_QUERY.some((names) => names.every(isThere));
}

const FIELDS =
  /^AWS4-HMAC-SHA256\s+Credential=([^,\s]+)\s*,\s*SignedHeaders=([^,\s]+)\s*,\s*Signature=([^,\s]+)\s*$/;

function fromHeader(authorization: string, header: ReadHeader): SignatureAnswer {
  const [, credential = "", signedHeaders = "", hex = ""] = FIELDS.exec(authorization) ?? [];
  const date = header("x-amz-date") ?? "";
  return build({ place: "header", credential, signedHeaders, hex, date, expiresS: undefined });
}

function fromQuery(search: string): SignatureAnswer {
  const query = readSignedQuery(search);
  const one = (name: string) => (typeof query[name] === "string" ? query[name] : "");
  const expires = one("X-Amz-Expires");
  if (one("X-Amz-Algorithm") !== ALGORITHM || !/^\d{1,7}$/.test(expires)) return MALFORMED.query;
  return build({
    place: "query",
    credential: one("X-Amz-Credential"),
    signedHeaders: one("X-Amz-SignedHeaders"),
    hex: one("X-Amz-Signature"),
    date: one("X-Amz-Date"),
    expiresS: Number(expires),
  });
}

type Fields = Pick<Signature, "place" | "hex" | "date" | "expiresS"> & {
  readonly credential: string;
  readonly signedHeaders: string;
};

const CREDENTIAL = /^(.+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request$/;

function build({ place, credential, signedHeaders, hex, date, expiresS }: Fields): SignatureAnswer {
  const [, accessKey = "", day = "", region = "", service = ""] = CREDENTIAL.exec(credential) ?? [];
  const at = parseAmzDate(date);
  if (accessKey === "" || signedHeaders === "" || !/^[0-9a-f]{64}$/.test(hex) || at === undefined)
    return MALFORMED[place];
  const names = signedHeaders.split(";");
  if (!names.every((name) => TOKEN.test(name)) || !names.includes("host")) return MALFORMED[place];
  const signature = { place, accessKey, day, region, service, date, at, expiresS, signedHeaders: names, hex };
  return { kind: "signature", signature };
}

/** Milliseconds since 1970 of `YYYYMMDD'T'HHMMSS'Z'`; `undefined` for what is none. */
export function parseAmzDate(text: string): number | undefined {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? undefined : at;
}

/** `YYYYMMDD'T'HHMMSS'Z'` of a time in milliseconds. */
export function formatAmzDate(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

const SKEW_MS = 15 * 60_000;
const LONGEST_S = 7 * 24 * 3600;

/** Whether a signature may count now for this region, before it is looked at whether it is right. */
export function judgeSignature(
  { day, date, at, expiresS, region, service }: Signature,
  now: number,
  siteRegion: string,
): ProblemName | undefined {
  if (service !== "s3" || region !== siteRegion || !date.startsWith(day))
    return expiresS === undefined ? "signature_scope" : "presigned_malformed";
  if (expiresS === undefined) return Math.abs(now - at) > SKEW_MS ? "signature_skewed" : undefined;
  if (expiresS < 1 || expiresS > LONGEST_S) return "presigned_malformed";
  if (at - now > SKEW_MS) return "signature_early";
  return now >= at + expiresS * 1000 ? "signature_expired" : undefined;
}

/** When a signature that counts now will not count any more, in milliseconds. */
export function signatureEnd({ at, expiresS }: Signature): number {
  return expiresS === undefined ? at + SKEW_MS : at + expiresS * 1000;
}
