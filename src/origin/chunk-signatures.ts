import { createHash, createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import { awsChunkedReader, type ChunkedPart } from "../core/aws-chunked.ts";
import { Failure } from "../core/problem.ts";
import { NO_PAYLOAD } from "../core/signable.ts";

/** One side's chain of signatures: each signs what it follows, and the first follows the request's own. */
export type SigningChain = {
  /** Derived from the secret for the scope. */
  readonly signingKey: Uint8Array;
  /** `X-Amz-Date`: `20130524T000000Z` */
  readonly amzDate: string;
  /** `20130524/us-east-1/s3/aws4_request` */
  readonly scope: string;
  /** The signature of the request, 64 lowercase hex digits. */
  readonly seedSignature: string;
};

export type Resigning = {
  readonly from: SigningChain;
  readonly to: SigningChain;
  readonly hasTrailer: boolean;
};

type Chunk = Extract<ChunkedPart, { kind: "chunk" }>;
type Trailer = Extract<ChunkedPart, { kind: "trailer" }>;

const encoder = new TextEncoder();
const CRLF = "\r\n";

/**
 * Verifies an aws-chunked body chunk by chunk in the chain `from`, and signs it anew in the chain `to` (Amazon S3 API
 * Reference: Signature Calculations, "Transferring Payload in Multiple Chunks" and, for `hasTrailer`, "Including Trailing
 * Headers"). Only the signatures differ between what goes in and what comes out, so the length stays.
 *
 * No byte of a chunk or trailer goes on before its signature was verified, and the end of the body not before the client
 * ended it there: what reads this never has a whole body that was not whole and right. The stream fails with a
 * `Failure`: `chunk_signature_mismatch` or `chunk_malformed`.
 */
export function resignChunks({ from, to, hasTrailer }: Resigning): TransformStream<Uint8Array, Uint8Array> {
  const reader = awsChunkedReader(hasTrailer);
  const resign = resigner(from, to);
  let held: HeldChunk | undefined;
  let lineEnd = ""; // of the chunk before
  let ending = CRLF;

  return new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      for (const part of reader.push(piece)) {
        if (part.kind === "malformed") throw new Failure("chunk_malformed", part.fault);
        if (part.kind === "chunk") {
          held = holdChunk(part, lineEnd);
          lineEnd = CRLF;
        } else if (part.kind === "data") held?.add(part.bytes);
        else if (part.kind === "trailer") ending = resignTrailer(part, resign);
        else if (held !== undefined) {
          controller.enqueue(held.release(resign));
          held = undefined;
        }
      }
    },
    flush(controller) {
      const fault = reader.end();
      if (fault !== undefined) throw new Failure("chunk_malformed", fault);
      controller.enqueue(encoder.encode(ending));
    },
  });
}

/** What a signature is over, beside the date, the scope and the signature before it. */
type Signed = { readonly part: "chunk" | "trailer"; readonly hashes: readonly string[] };
/** Verifies the client's signature and answers ours in its place. */
type Resign = (signed: Signed, signature: string) => string;

const ALGORITHMS = { chunk: "AWS4-HMAC-SHA256-PAYLOAD", trailer: "AWS4-HMAC-SHA256-TRAILER" } as const;

function resigner(from: SigningChain, to: SigningChain): Resign {
  const signAsClient = signer(from);
  const signAsEdge = signer(to);
  return (signed, signature) => {
    if (!timingSafeEqual(encoder.encode(signAsClient(signed)), encoder.encode(signature))) {
      throw new Failure("chunk_signature_mismatch", signed.part);
    }
    return signAsEdge(signed);
  };
}

function signer({ signingKey, amzDate, scope, seedSignature }: SigningChain): (signed: Signed) => string {
  const key = createSecretKey(signingKey); // made once: it costs more than a signature
  let previous = seedSignature;
  return ({ part, hashes }) => {
    const stringToSign = [ALGORITHMS[part], amzDate, scope, previous, ...hashes].join("\n");
    previous = createHmac("sha256", key).update(stringToSign).digest("hex");
    return previous;
  };
}

/** A chunk that waits until it is known to be the client's. */
type HeldChunk = {
  add(data: Uint8Array): void;
  /** The line end before it, its header with the new signature, and its data. */
  release(resign: Resign): Uint8Array;
};

/**
 * One piece of memory for a chunk, of its own size: the pieces it comes in may be many and small, and each would be
 * a write of its own, which costs more than its copy.
 */
function holdChunk(chunk: Chunk, lineEnd: string): HeldChunk {
  const header = (signature: string) => `${lineEnd}${chunk.sizeText};chunk-signature=${signature}${CRLF}`;
  const hash = createHash("sha256");
  let end = header(chunk.signature).length;
  const bytes = new Uint8Array(end + chunk.size);
  return {
    add(data) {
      hash.update(data);
      bytes.set(data, end);
      end += data.byteLength;
    },
    release(resign) {
      const signed: Signed = { part: "chunk", hashes: [NO_PAYLOAD, hash.digest("hex")] }; // nothing stands where a request has its headers
      encoder.encodeInto(header(resign(signed, chunk.signature)), bytes);
      return bytes;
    },
  };
}

function resignTrailer({ lines, canonical, signature }: Trailer, resign: Resign): string {
  const hash = createHash("sha256").update(canonical).digest("hex");
  const ours = resign({ part: "trailer", hashes: [hash] }, signature);
  return `${lines}x-amz-trailer-signature:${ours}${CRLF}${CRLF}`;
}
