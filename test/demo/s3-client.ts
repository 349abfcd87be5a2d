import { request } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { formatTime } from "../../scripts/demo/s3-claim.ts";
import {
  canonicalRequest,
  sha256Hex,
  signatureOf,
  signingKey,
  stringToSign,
  uriEncode,
} from "../../scripts/demo/s3-signature.ts";
import { parseS3Target } from "../../scripts/demo/s3-target.ts";
import { startS3Store } from "../../scripts/demo/s3.ts";
import type { S3Key, S3Store, S3StoreOptions } from "../../scripts/demo/s3.ts";

/** A request to a store; the path goes out as it is written, and `Host` too where it is given. */
export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Signs the request; without it the request is anonymous. */
  readonly as?: S3Key;
  /** When it is signed, in milliseconds since 1970. */
  readonly at?: number;
  readonly region?: string;
  readonly payload?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  /** The code of an error. */
  readonly code: string | undefined;
}

/** A store for the tests of one file, with fresh counts for each. */
export function useStore(options: S3StoreOptions): { readonly store: S3Store } {
  const running: { store?: S3Store } = {};
  beforeAll(async () => {
    running.store = await startS3Store(options);
  });
  beforeEach(() => running.store?.resetCounts());
  afterAll(() => running.store?.close());
  return {
    get store() {
      if (running.store === undefined) throw new Error("The store has not started");
      return running.store;
    },
  };
}

export async function call(store: S3Store, given: Call): Promise<Reply> {
  const { method = "GET", path, body } = given;
  const headers = given.as === undefined ? { ...given.headers } : signHeaders(store, given, given.as);
  return new Promise((resolve, reject) => {
    const sent = request(store.url, { method, path, headers, agent: false }, (response) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const received = Buffer.concat(chunks);
        const text = received.toString();
        const [, code] = /<Code>(\w+)<\/Code>/.exec(text) ?? [];
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: received,
          text,
          code,
        });
      })().catch(reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** The headers of a request with its `Authorization`; what a header signs is what it has here. */
export function signHeaders(store: S3Store, given: Call, key: S3Key): Record<string, string> {
  const { method = "GET", path, body = "", at = Date.now(), region = "us-east-1" } = given;
  const isChunked = given.headers?.["transfer-encoding"] !== undefined;
  const payload = given.payload ?? sha256Hex(Buffer.from(body));
  const headers: Record<string, string> = {
    ...(body === "" || isChunked ? {} : { "content-length": String(Buffer.byteLength(body)) }),
    host: new URL(store.url).host,
    ...given.headers,
    "x-amz-content-sha256": payload,
    "x-amz-date": formatTime(at),
    ...(key.sessionToken === undefined ? {} : { "x-amz-security-token": key.sessionToken }),
  };
  const signedHeaders = Object.keys(headers).toSorted();
  const { path: decoded, parameters } = parseS3Target(path, "", []);
  const scope = { date: formatTime(at).slice(0, 8), region, service: "s3" };
  const canonical = canonicalRequest({
    method,
    path: decoded,
    parameters,
    signedHeaders,
    header: (name) => headers[name] ?? "",
    payloadHash: payload,
  });
  const signature = signatureOf(
    signingKey(key.secret, scope),
    stringToSign(formatTime(at), scope, canonical),
  );
  const credential = `${key.id}/${scope.date}/${region}/s3/aws4_request`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${signedHeaders.join(";")},Signature=${signature}`,
  };
}

/** A path with a presigned query, for the store's own host. */
export function presign(
  store: S3Store,
  key: S3Key,
  { method = "GET", path, at = Date.now() }: Call,
  extra: Readonly<Record<string, string>> = {},
): string {
  const scope = { date: formatTime(at).slice(0, 8), region: "us-east-1", service: "s3" };
  const query = {
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${key.id}/${scope.date}/us-east-1/s3/aws4_request`,
    "X-Amz-Date": formatTime(at),
    "X-Amz-Expires": "60",
    "X-Amz-SignedHeaders": "host",
    ...extra,
  };
  const search = Object.entries(query).map(([name, value]) => `${name}=${uriEncode(value)}`);
  const unsigned = `${path}${path.includes("?") ? "&" : "?"}${search.join("&")}`;
  const { path: decoded, parameters } = parseS3Target(unsigned, "", []);
  const canonical = canonicalRequest({
    method,
    path: decoded,
    parameters,
    signedHeaders: ["host"],
    header: () => new URL(store.url).host,
    payloadHash: "UNSIGNED-PAYLOAD",
  });
  const text = stringToSign(formatTime(at), scope, canonical);
  return `${unsigned}&X-Amz-Signature=${signatureOf(signingKey(key.secret, scope), text)}`;
}
