import { createHash, randomUUID } from "node:crypto";
import {
  canonicalRequest,
  scopeText,
  sha256Hex,
  signatureOf,
  signingKey,
  stringToSign,
} from "../demo/s3-signature.ts";
import type { S3User } from "../servers/s3-user.ts";

/** A request as a client signs it; the path as a store knows the object, not encoded. */
export type Unsigned = {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  /** Signed with all others; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
};

/** Header fields, `host` not among them, that sign a request; no two of them are the same. */
export type Sign = (request: Unsigned) => Record<string, string>;

export const REGION = "us-east-1";

/** Signs as one of a store's users would (AWS Signature Version 4, in the header), all at one time in milliseconds. */
export function requestSigner({ accessKey, secretKey }: S3User, at: number): Sign {
  const date = `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
  const scope = { date: date.slice(0, 8), region: REGION, service: "s3" };
  const key = signingKey(secretKey, scope);
  return ({ method, host, path, headers: given = {}, body }) => {
    const payloadHash = body === undefined ? sha256Hex("") : createHash("sha256").update(body).digest("hex");
    const own = {
      ...given,
      "amz-sdk-invocation-id": randomUUID(), // as the SDKs do, and it makes each signature another one
      "x-amz-content-sha256": payloadHash,
      "x-amz-date": date,
    };
    const signed: Record<string, string> = { ...own, host };
    const names = Object.keys(signed).toSorted();
    const canonical = canonicalRequest({
      method,
      path,
      parameters: [],
      signedHeaders: names,
      header: (name) => signed[name] ?? "",
      payloadHash,
    });
    const signature = signatureOf(key, stringToSign(date, scope, canonical));
    const credential = `${accessKey}/${scopeText(scope)}`;
    const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
    return { ...own, authorization };
  };
}
