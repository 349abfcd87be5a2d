import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import { signableOf } from "../../src/core/signable.ts";
import { judgeSignature, readSignature } from "../../src/core/signature.ts";
import { sigv4 } from "../../src/origin/sigv4.ts";

/** A request for a path as it came, `host` not among its header fields. */
export type SentRequest = {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** What a Worker is told to do, over and over. */
export type Exercise = {
  readonly way: keyof typeof WAYS;
  readonly requests: readonly SentRequest[];
  readonly times: number;
  readonly accessKey: string;
  readonly secret: string;
  readonly region: string;
};

const WAYS = { verify: verifyAll, sign: signAll } as const;

/** Does an exercise and tells how many signatures were right, or made. */
export async function exercise(given: Exercise): Promise<number> {
  return await WAYS[given.way](given);
}

/** All that the edge does to know who sent a request: reads the signature, judges it, and makes it again. */
function verifyAll({ requests, times, accessKey, secret, region }: Exercise): number {
  const signer = sigv4();
  const now = Date.now();
  const read = requests.map(({ headers, ...rest }) => ({ ...rest, headers: new Headers(headers) }));
  let right = 0;
  for (let time = 0; time < times; time++) {
    const request = read[time % read.length];
    if (request === undefined) break;
    const { headers, ...parts } = request;
    const header = (name: string) => headers.get(name);
    const answer = readSignature(header, "");
    if (answer.kind !== "signature") continue;
    const { signature } = answer;
    const signable = signableOf({ ...parts, search: "", header }, signature);
    if (signature.accessKey !== accessKey || signable === undefined) continue;
    if (judgeSignature(signature, now, region) !== undefined) continue;
    if (signer.verify(signable, signature, secret)) right++;
  }
  return right;
}

/** The same number of signatures made by the signer of AWS's own SDK; it has no way to verify but that. */
async function signAll({ requests, times, accessKey, secret, region }: Exercise): Promise<number> {
  const signer = new SignatureV4({
    service: "s3",
    region,
    credentials: { accessKeyId: accessKey, secretAccessKey: secret },
    sha256: NodeHash,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const signingDate = new Date();
  let made = 0;
  for (let time = 0; time < times; time++) {
    const request = requests[time % requests.length];
    if (request === undefined) break;
    const { method, host, path, headers } = request;
    const plain = { method, path, protocol: "http:", hostname: host, headers: { ...headers, host } };
    const signed = await signer.sign(plain, { signingDate });
    if (signed.headers["authorization"] !== undefined) made++;
  }
  return made;
}

/** SHA-256 by node:crypto, as the SDK has it on Node. */
class NodeHash {
  #hash: Hash | Hmac;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", bufferOf(secret));
  }
  update(chunk: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bufferOf(chunk));
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
  reset(): void {
    this.#hash = createHash("sha256");
  }
}

function bufferOf(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === "string") return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(data);
}
