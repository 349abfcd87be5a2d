import type { IncomingMessage } from "node:http";
import { startS3Store } from "./s3.ts";
import type { S3Store } from "./s3.ts";
import { formatTime } from "./s3-claim.ts";
import {
  canonicalRequest,
  scopeText,
  signatureOf,
  signingKey,
  stringToSign,
  uriEncode,
} from "./s3-signature.ts";
import { UNSIGNED_PAYLOAD } from "./s3-verify.ts";

/** The object storage that a forge keeps artifacts in, on a port of its own, with what tests read of it. */
export interface ArtifactStorage extends S3Store {
  /**
   * The requests that brought a credential of the forge here, which is what no client may do when it follows a redirect: method,
   * path and the header's name, never its value.
   */
  leaks(): readonly string[];
}

export const ARTIFACT_BUCKET = "artifacts";

const SIGNER = { id: "GITLABARTIFACTS", secret: "the forge alone signs with this" };
const REGION = "us-east-1";
const FORGE_CREDENTIALS = [
  "authorization",
  "cookie",
  "deploy-token",
  "job-token",
  "private-token",
  "x-gitlab-static-object-token",
];
const FORGE_PARAMETERS = ["access_token", "job_token", "private_token"];

export async function startArtifactStorage(): Promise<ArtifactStorage> {
  const leaks: string[] = [];
  const store = await startS3Store({
    keys: [{ ...SIGNER, read: [`${ARTIFACT_BUCKET}/`] }],
    buckets: { [ARTIFACT_BUCKET]: {} },
    region: REGION,
    observe: (request) => void leaks.push(...leaksOf(request)),
  });
  return Object.assign(store, { leaks: () => [...leaks] });
}

function leaksOf({ method, url = "", headers }: IncomingMessage): string[] {
  const [path = "", query] = url.split("?", 2);
  const parameters = new URLSearchParams(query);
  return [
    ...FORGE_CREDENTIALS.filter((name) => headers[name] !== undefined),
    ...FORGE_PARAMETERS.filter((name) => parameters.has(name)),
  ].map((name) => `${method} ${path}: ${name}`);
}

export interface SignedUrlOptions {
  readonly key: string;
  readonly expiresS: number;
  /** Parameters that are signed with the others, such as `response-content-type`. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** A URL for a GET, and for nothing else, of an object of the bucket. */
export function signedUrl(storage: ArtifactStorage, options: SignedUrlOptions): string {
  const { key, expiresS, parameters = {} } = options;
  const time = formatTime(Date.now() + storage.clockSkewMs);
  const scope = { date: time.slice(0, 8), region: REGION, service: "s3" };
  const query = Object.entries({
    ...parameters,
    "X-Amz-Expires": String(expiresS),
    "X-Amz-Date": time,
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${SIGNER.id}/${scopeText(scope)}`,
    "X-Amz-SignedHeaders": "host",
  });
  const path = `/${ARTIFACT_BUCKET}/${key}`;
  const canonical = canonicalRequest({
    method: "GET",
    path,
    parameters: query,
    signedHeaders: ["host"],
    header: () => new URL(storage.url).host,
    payloadHash: UNSIGNED_PAYLOAD,
  });
  const signature = signatureOf(signingKey(SIGNER.secret, scope), stringToSign(time, scope, canonical));
  const search = query.map(([name, value]) => `${uriEncode(name)}=${uriEncode(value)}`).join("&");
  return `${storage.url}${uriEncode(path).replaceAll("%2F", "/")}?${search}&X-Amz-Signature=${signature}`;
}
