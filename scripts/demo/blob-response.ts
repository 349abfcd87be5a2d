import type { OutgoingHttpHeaders } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Exchange } from "./exchange.ts";
import { endWithResponse } from "./git.ts";
import type { GitObject } from "./objects.ts";
import type { Repository } from "./repositories.ts";

/** Half-open, in bytes. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface BlobAnswer {
  readonly repository: Repository;
  readonly blob: GitObject;
  /** The headers, once the blob's first bytes are known. */
  readonly headers: (start: Uint8Array) => OutgoingHttpHeaders;
  /** A part to send with 206, instead of the whole with 200. */
  readonly range?: ByteRange | undefined;
}

/** Streams a blob, or only its head for HEAD, out of one `git cat-file`; a blob that ends early breaks the connection. */
export async function sendBlob(exchange: Exchange, answer: BlobAnswer): Promise<void> {
  const { request, response, counter } = exchange;
  const { repository, blob } = answer;
  const range = answer.range ?? { start: 0, end: blob.size };
  const child = repository.git.start(["-C", repository.directory, "cat-file", "blob", blob.oid]);
  endWithResponse(child, response);
  const chunks = child.stdout[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>;
  const first = await chunks.next();
  const start: Buffer = first.done ? Buffer.alloc(0) : first.value;
  exchange.head(answer.range === undefined ? 200 : 206, {
    ...answer.headers(start),
    "Content-Length": range.end - range.start,
  });
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  await pipeline(async function* () {
    let missing = range.end - range.start;
    for await (const part of partsOf(start, chunks, range)) {
      missing -= part.length;
      counter.add("bytes", part.length);
      yield part;
    }
    if (missing !== 0) throw new Error(`Cannot send ${blob.oid}: ${missing} bytes are missing`);
  }, response);
}

async function* partsOf(
  first: Buffer,
  rest: AsyncIterable<Buffer>,
  range: ByteRange,
): AsyncGenerator<Buffer, void> {
  let offset = 0;
  const cut = (chunk: Buffer) => {
    const part = chunk.subarray(Math.max(0, range.start - offset), Math.max(0, range.end - offset));
    offset += chunk.length;
    return part;
  };
  yield cut(first);
  if (offset >= range.end) return;
  for await (const chunk of rest) {
    const part = cut(chunk);
    if (part.length > 0) yield part;
    if (offset >= range.end) return;
  }
}
