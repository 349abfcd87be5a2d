import type { IncomingMessage } from "node:http";
import { S3Failure } from "./s3-failure.ts";
import type { S3ErrorCode } from "./s3-failure.ts";
import type { CredentialScope } from "./s3-signature.ts";
import type { S3Target } from "./s3-target.ts";

/** What a signed request says about its signature, before anything of it is believed. */
export interface SignatureClaim {
  readonly by: "header" | "query";
  readonly keyId: string;
  readonly scope: CredentialScope;
  /** `YYYYMMDDTHHMMSSZ`. */
  readonly time: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** For how long a presigned URL is good, in seconds. */
  readonly expiresSeconds?: number;
  readonly sessionToken?: string;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
const MAX_EXPIRES_SECONDS = 604_800;
const QUERY_PARAMETERS = [
  "X-Amz-Algorithm",
  "X-Amz-Credential",
  "X-Amz-Signature",
  "X-Amz-Date",
  "X-Amz-SignedHeaders",
  "X-Amz-Expires",
];

/** Reads how a request is signed; undefined for an anonymous one. */
export function readClaim({ headers }: IncomingMessage, { query }: S3Target): SignatureClaim | undefined {
  const { authorization } = headers;
  const presigned = QUERY_PARAMETERS.some((name) => query.has(name));
  const ancient = query.has("AWSAccessKeyId") && query.has("Signature");
  if (authorization !== undefined && (presigned || ancient)) {
    throw new S3Failure("InvalidArgument", {
      message:
        "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified",
      elements: { ArgumentName: "Authorization", ArgumentValue: authorization },
    });
  }
  if (presigned) return queryClaim(query);
  if (ancient || (authorization !== undefined && !authorization.startsWith(ALGORITHM))) throw unsupported();
  return authorization === undefined ? undefined : headerClaim(headers, authorization);
}

function unsupported(): S3Failure {
  return new S3Failure("InvalidRequest", {
    message: `The authorization mechanism you have provided is not supported. Please use ${ALGORITHM}.`,
  });
}

function headerClaim(headers: IncomingMessage["headers"], authorization: string): SignatureClaim {
  const fields = new Map(
    authorization
      .slice(ALGORITHM.length)
      .split(",")
      .map((field) => {
        const [, name = "", value = ""] = /^\s*([^=]*)=(.*?)\s*$/.exec(field) ?? [];
        return [name, value] as const;
      }),
  );
  const code = "AuthorizationHeaderMalformed";
  const field = (name: string) => {
    const value = fields.get(name);
    if (value !== undefined && value !== "") return value;
    throw new S3Failure(code, { message: `The authorization header is malformed; Missing ${name}` });
  };
  const sessionToken = one(headers["x-amz-security-token"]);
  const { keyId, scope } = parseCredential(code, field("Credential"));
  return {
    by: "header",
    keyId,
    scope,
    time: headerTime(headers),
    signedHeaders: field("SignedHeaders").split(";"),
    signature: field("Signature"),
    ...(sessionToken === undefined ? {} : { sessionToken }),
  };
}

function headerTime(headers: IncomingMessage["headers"]): string {
  const given = one(headers["x-amz-date"]) ?? headers.date ?? "";
  if (parseTime(given) !== undefined) return given;
  const parsed = Date.parse(given);
  if (!Number.isNaN(parsed)) return formatTime(parsed);
  throw new S3Failure("AccessDenied", {
    message: "AWS authentication requires a valid Date or x-amz-date header",
  });
}

function queryClaim(query: S3Target["query"]): SignatureClaim {
  const code = "AuthorizationQueryParametersError";
  const fault = (message: string) => new S3Failure(code, { message });
  const field = (name: string) => {
    const value = query.get(name);
    if (value !== undefined && value !== "") return value;
    const names = `${QUERY_PARAMETERS.slice(0, -1).join(", ")}, and ${QUERY_PARAMETERS.at(-1)}`;
    throw fault(`Query-string authentication version 4 requires the ${names} parameters.`);
  };
  if (field("X-Amz-Algorithm") !== ALGORITHM)
    throw fault(`X-Amz-Algorithm only supports "${ALGORITHM} and AWS4-ECDSA-P256-SHA256"`);
  const expires = field("X-Amz-Expires");
  if (!/^-?\d+$/.test(expires)) throw fault("X-Amz-Expires should be a number");
  if (Number(expires) < 1) throw fault("X-Amz-Expires must be non-negative");
  if (Number(expires) > MAX_EXPIRES_SECONDS)
    throw fault(
      `X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than ${MAX_EXPIRES_SECONDS} seconds`,
    );
  if (parseTime(field("X-Amz-Date")) === undefined)
    throw fault(`X-Amz-Date must be in the ISO8601 Long Format "yyyyMMdd'T'HHmmss'Z'"`);
  const sessionToken = query.get("X-Amz-Security-Token");
  const { keyId, scope } = parseCredential(code, field("X-Amz-Credential"));
  return {
    by: "query",
    keyId,
    scope,
    time: field("X-Amz-Date"),
    signedHeaders: field("X-Amz-SignedHeaders").split(";"),
    signature: field("X-Amz-Signature"),
    expiresSeconds: Number(expires),
    ...(sessionToken === undefined ? {} : { sessionToken }),
  };
}

/** `<key id>/<date>/<region>/<service>/aws4_request`. */
export function parseCredential(
  code: S3ErrorCode,
  credential: string,
): { readonly keyId: string; readonly scope: CredentialScope } {
  const [, keyId, date, region, service] =
    /^(.+)\/(\d{8})\/([^/]*)\/([^/]*)\/aws4_request$/.exec(credential) ?? [];
  if (keyId !== undefined && date !== undefined && region !== undefined && service !== undefined)
    return { keyId, scope: { date, region, service } };
  throw new S3Failure(code, {
    message: `Error parsing the X-Amz-Credential parameter; the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".`,
  });
}

/** Milliseconds since 1970 for `YYYYMMDDTHHMMSSZ`. */
export function parseTime(text: string): number | undefined {
  if (!/^\d{8}T\d{6}Z$/.test(text)) return undefined;
  const parsed = Date.parse(text.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  return Number.isNaN(parsed) ? undefined : parsed;
}

export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/[-:]|\.\d{3}/g, "");
}

/** A header's one value; Node gives a list only where a header may come more than once. */
function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(",") : value;
}
