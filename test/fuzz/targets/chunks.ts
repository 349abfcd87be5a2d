import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { insist, type FuzzTarget } from "../../../scripts/fuzz/target.ts";
import {
  awsChunkedReader,
  MOST_CHUNK_BYTES,
  type ChunkedFault,
  type ChunkedPart,
} from "../../../src/core/aws-chunked.ts";
import { Failure } from "../../../src/core/problem.ts";
import { resignChunks, type SigningChain } from "../../../src/origin/chunk-signatures.ts";

export type ChunkParts = {
  readonly awsChunkedReader: typeof awsChunkedReader;
  readonly resignChunks: typeof resignChunks;
};

/**
 * Input: a byte (lowest bit: with a trailer; next: a bit of the data is changed behind its signature; above: how long the pieces
 * are), then the body. It is read the same however it is cut, and as a reader of our own reads it in one; when its signatures
 * are made right, it comes out signed anew, and with one bit changed it does not.
 */
export function chunksTarget(parts: ChunkParts = { awsChunkedReader, resignChunks }): FuzzTarget {
  return {
    name: "chunks",
    holds: "bytes",
    mostBytes: 2000,
    fresh,
    words: [
      ";chunk-signature=",
      SIGNATURE,
      "\r\n",
      "\r\n\r\n",
      "0",
      "0;chunk-signature=",
      "x-amz-trailer-signature:",
      "x-amz-checksum-crc32:AAAAAA==",
      "\n\r\n",
      "800000",
      "ffffffff",
      " ",
      ":",
    ],
    check: async (input) => await check(parts, input),
  };
}

const SIGNATURE = "0123456789abcdef".repeat(4);
const anyChunk = fc
  .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.constantFrom("", "0", "00"), fc.boolean())
  .map(([data, padding, isUpper]) => {
    const size = padding + data.byteLength.toString(16);
    return Buffer.concat([
      Buffer.from(`${isUpper ? size.toUpperCase() : size};chunk-signature=${SIGNATURE}\r\n`),
      data,
      Buffer.from("\r\n"),
    ]);
  });
const anyTrailer = fc
  .array(
    fc.constantFrom(
      "x-amz-checksum-crc32:AAAAAA==\r\n",
      "x-amz-checksum-sha1:a b\n\r\n",
      "a:b\r\n",
      "A:b\r\n",
    ),
    { maxLength: 2 },
  )
  .map((lines) => `${lines.join("")}x-amz-trailer-signature:${SIGNATURE}\r\n\r\n`);
const fresh = fc
  .tuple(fc.nat(255), fc.array(anyChunk, { maxLength: 3 }), anyTrailer)
  .map(([how, chunks, end]) => {
    const last = `0;chunk-signature=${SIGNATURE}\r\n${how % 2 === 1 ? end : "\r\n"}`;
    return Buffer.concat([Uint8Array.of(how), ...chunks, Buffer.from(last)]) as Uint8Array;
  });

async function check(parts: ChunkParts, input: Uint8Array): Promise<string> {
  const [how = 0] = input;
  const body = input.subarray(1);
  const hasTrailer = how % 2 === 1;
  const whole = readAll(parts, [body], hasTrailer);
  const cut = readAll(parts, cutUp(body, 1 + (how >> 2)), hasTrailer);
  insist(JSON.stringify(whole) === JSON.stringify(cut), "reads the same however it is cut", () => ({
    whole,
    cut,
  }));
  const expected = reference(body, hasTrailer);
  const isSame = typeof expected === "string" ? whole.fault !== undefined : whole.fault === undefined;
  insist(isSame, "takes what is well framed, and nothing else", () => ({ whole, expected }));
  if (typeof expected === "string" || whole.fault !== undefined) return String(whole.fault);
  const theirs = {
    sizes: expected.chunks.map(({ data }) => data.byteLength),
    trailer: expected.trailer?.canonical,
  };
  insist(
    JSON.stringify(whole.sizes) === JSON.stringify(theirs.sizes) && whole.trailer === theirs.trailer,
    "reads the chunks that are there",
    () => ({ whole, theirs }),
  );
  const data = Buffer.concat(expected.chunks.map((each) => each.data));
  insist(whole.data === data.toString("latin1"), "reads the data that is there", () => whole);
  await insistOnSigning(parts, expected, how);
  return `${Math.min(expected.chunks.length, 3)} chunks, ${hasTrailer ? "trailer" : "no trailer"}`;
}

type Read = {
  readonly fault: ChunkedFault | undefined;
  readonly sizes: readonly number[];
  readonly data: string;
  readonly trailer: string | undefined;
};

function readAll(
  { awsChunkedReader: open }: ChunkParts,
  pieces: readonly Uint8Array[],
  hasTrailer: boolean,
): Read {
  const reader = open(hasTrailer);
  const parts: ChunkedPart[] = pieces.flatMap((piece) => [...reader.push(piece)]);
  const sizes = parts.flatMap((part) => (part.kind === "chunk" ? [part.size] : []));
  const data = Buffer.concat(parts.flatMap((part) => (part.kind === "data" ? [part.bytes] : [])));
  const trailer = parts.find((part) => part.kind === "trailer");
  const fault = reader.end();
  const wholes = parts.filter((part) => part.kind === "whole").length;
  insist(fault !== undefined || wholes === sizes.length, "says when a chunk is whole", () =>
    parts.map(({ kind }) => kind),
  );
  return { fault, sizes, data: data.toString("latin1"), trailer: trailer?.canonical };
}

function cutUp(body: Uint8Array, length: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(body.byteLength / length) }, (_, index) =>
    body.subarray(index * length, (index + 1) * length),
  );
}

type Body = {
  readonly chunks: readonly { readonly head: string; readonly data: Buffer }[];
  readonly trailer: { readonly lines: string; readonly canonical: string } | undefined;
};

/** The body in one, as it is described by Amazon; or what is wrong with it. */
function reference(bytes: Uint8Array, hasTrailer: boolean): Body | "malformed" {
  const chunks: { head: string; data: Buffer }[] = [];
  let rest = Buffer.from(bytes);
  for (;;) {
    const [line, sizeText = ""] =
      /^([0-9a-fA-F]{1,8});chunk-signature=[0-9a-f]{64}\r\n/.exec(rest.toString("latin1", 0, 200)) ?? [];
    const size = Number.parseInt(sizeText, 16);
    if (line === undefined || size > MOST_CHUNK_BYTES) return "malformed";
    const data = rest.subarray(line.length, line.length + size);
    rest = rest.subarray(line.length + size);
    chunks.push({ head: sizeText, data });
    if (size === 0) break;
    if (data.byteLength < size || rest.toString("latin1", 0, 2) !== "\r\n") return "malformed";
    rest = rest.subarray(2);
  }
  const end = rest.toString("latin1");
  if (!hasTrailer) return end === "\r\n" ? { chunks, trailer: undefined } : "malformed";
  if (end.length > 4096 || end.indexOf("\r\n\r\n") !== end.length - 4) return "malformed";
  const lines: string[] = end.slice(0, -4).split("\r\n");
  if (!/^x-amz-trailer-signature:[0-9a-f]{64}$/.test(lines.pop() ?? "")) return "malformed";
  const isRight = lines.every(
    (line) => /^[a-z0-9-]+:[!-~]+(?: [!-~]+)*\n?$/.test(line) && !line.startsWith("x-amz-trailer-signature:"),
  );
  if (!isRight) return "malformed";
  const canonical = lines.map((line) => `${line.replace(/\n$/, "")}\n`).join("");
  return { chunks, trailer: { lines: lines.map((line) => `${line}\r\n`).join(""), canonical } };
}

const FROM: SigningChain = {
  signingKey: Buffer.alloc(32, 1),
  amzDate: "20130524T000000Z",
  scope: "20130524/us-east-1/s3/aws4_request",
  seedSignature: "a".repeat(64),
};
const TO: SigningChain = { ...FROM, signingKey: Buffer.alloc(32, 2), seedSignature: "b".repeat(64) };

async function insistOnSigning(parts: ChunkParts, body: Body, how: number): Promise<void> {
  const signed = sign(body, FROM);
  const isChanged = (how & 2) !== 0;
  const sent = isChanged ? changed(signed, body) : signed;
  const { out, failure } = await resigned(parts, sent, body.trailer !== undefined, 1 + (how >> 2));
  if (isChanged && failure !== undefined) {
    const isRefused = failure instanceof Failure && failure.problem.startsWith("chunk_");
    insist(isRefused, "fails as declared", () => failure);
    insist(
      sign(body, TO).subarray(0, out.byteLength).equals(out),
      "lets nothing through that is not signed",
      () => failure,
    );
    return;
  }
  insist(!isChanged, "refuses changed bytes", () => sent.toString("latin1"));
  insist(failure === undefined, "passes on what is signed", () => failure);
  insist(out.equals(sign(body, TO)), "signs anew", () => ({ out: out.toString("latin1") }));
}

/** The body with the right signatures (Amazon S3: "Calculating the Chunk Signature"). */
function sign(
  { chunks, trailer }: Body,
  { signingKey, amzDate, scope, seedSignature }: SigningChain,
): Buffer {
  const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
  let previous = seedSignature;
  const next = (kind: string, hashes: readonly string[]): string => {
    const text = [`AWS4-HMAC-SHA256-${kind}`, amzDate, scope, previous, ...hashes].join("\n");
    previous = createHmac("sha256", signingKey).update(text).digest("hex");
    return previous;
  };
  const pieces = chunks.flatMap(({ head, data }) => [
    Buffer.from(`${head};chunk-signature=${next("PAYLOAD", [sha256(""), sha256(data)])}\r\n`),
    data,
    Buffer.from(data.byteLength === 0 ? "" : "\r\n"),
  ]);
  if (trailer === undefined) return Buffer.concat([...pieces, Buffer.from("\r\n")]);
  const signature = next("TRAILER", [sha256(trailer.canonical)]);
  return Buffer.concat([
    ...pieces,
    Buffer.from(`${trailer.lines}x-amz-trailer-signature:${signature}\r\n\r\n`),
  ]);
}

/** One bit of the first chunk's data, or of the first signature where no chunk has any. */
function changed(signed: Buffer, { chunks }: Body): Buffer {
  const at = chunks[0]?.data.byteLength === 0 ? signed.indexOf("=") + 1 : signed.indexOf("\r\n") + 2;
  const other = Buffer.from(signed);
  other[at] = (other[at] ?? 0) ^ 1;
  return other;
}

async function resigned(
  { resignChunks: open }: ChunkParts,
  body: Buffer,
  hasTrailer: boolean,
  length: number,
) {
  const stream = open({ from: FROM, to: TO, hasTrailer });
  const out: Uint8Array[] = [];
  let failure: unknown;
  const writing = writeAll(stream.writable, cutUp(body, Math.max(length, 16))).catch(() => undefined); // told to the reader as well
  try {
    for await (const piece of stream.readable) out.push(piece);
  } catch (error) {
    failure = error;
  }
  await writing;
  return { out: Buffer.concat(out), failure };
}

async function writeAll(writable: WritableStream<Uint8Array>, pieces: readonly Uint8Array[]): Promise<void> {
  const writer = writable.getWriter();
  for (const piece of pieces) await writer.write(piece);
  await writer.close();
}
