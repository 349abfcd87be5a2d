import { STORED } from "../core/codec.ts";
import type { ByteRange } from "../core/range.ts";
import type { Run } from "../core/zip/runs.ts";
import { dataRange, readPacked, type ArchiveBytes } from "./archive-bytes.ts";
import { contentReader } from "./content-reader.ts";
import { gather, type Sending } from "./read.ts";
import { unpackSmall } from "./unpack-small.ts";
import type { Visit } from "./visit.ts";

/** Bytes of small runs are sent together, so many at a time. */
const TOGETHER_BYTES = 256 * 1024;
/** What is unpacked as it flows is sent in pieces of this size. */
const PIECE_BYTES = 512 * 1024;
/** A member that is packed in more, or unpacks to more, is unpacked as it flows; a smaller one at once. */
const AT_ONCE = { packedBytes: 256 * 1024, bytes: 1024 * 1024 };

type Writer = WritableStreamDefaultWriter<Uint8Array>;

/**
 * Sends what is made from an archive, run by run, in the order of the archive. As much as is sent at once is made before
 * anything is: where that fails, it can still be told.
 */
export async function sendRuns(visit: Visit, archive: ArchiveBytes, all: Iterable<Run>): Promise<Sending> {
  const runs = all[Symbol.iterator]();
  const together = gathering();
  let next = runs.next();
  while (next.done !== true && isAtOnce(next.value)) {
    const bytes = await bytesOf(visit, archive, next.value);
    if (!together.add(bytes)) break;
    next = runs.next();
  }
  if (next.done !== true && next.value.kind !== "text")
    await dataRange(archive, next.value.member, nextOf(next.value));
  return {
    single: undefined,
    async write(into) {
      for (; next.done !== true; next = runs.next()) {
        const run = next.value;
        if (run.kind !== "text" && !isAtOnce(run)) {
          await together.flush(into);
          await (isAsItIs(visit, archive, run)
            ? sendRaw(archive, run, into)
            : sendContent(visit, archive, run, into));
          continue;
        }
        const bytes = await bytesOf(visit, archive, run);
        if (together.add(bytes)) continue;
        await together.flush(into);
        if (!together.add(bytes)) await withWriter(into, (writer) => writer.write(bytes));
      }
      await together.flush(into);
    },
  };
}

type MemberRun = Exclude<Run, { readonly kind: "text" }>;

/** Whether a run is made all at once, as text and small members are. */
function isAtOnce(run: Run): boolean {
  if (run.kind === "text") return true;
  const { compressedSize, size } = run.member;
  return compressedSize <= AT_ONCE.packedBytes && size <= AT_ONCE.bytes;
}

async function bytesOf(visit: Visit, archive: ArchiveBytes, run: Run): Promise<Uint8Array> {
  if (run.kind === "text") return run.bytes;
  const { kind, member, from, until } = run;
  const packed = await readPacked(archive, member);
  const bytes = kind === "raw" ? packed : unpackSmall(visit.isolate.ports.codec, member, packed);
  return bytes.subarray(from, until);
}

/** Bytes on their way into a stream, a good many at a time. */
function gathering() {
  const buffer = new Uint8Array(TOGETHER_BYTES);
  let filled = 0;
  return {
    /** False where there is no room for them. */
    add(bytes: Uint8Array): boolean {
      if (filled + bytes.byteLength > buffer.byteLength) return false;
      buffer.set(bytes, filled);
      filled += bytes.byteLength;
      return true;
    },
    async flush(into: WritableStream<Uint8Array>): Promise<void> {
      if (filled === 0) return;
      const bytes = buffer.subarray(0, filled);
      filled = 0;
      await withWriter(into, (writer) => writer.write(bytes));
    },
  };
}

async function withWriter(
  into: WritableStream<Uint8Array>,
  write: (writer: Writer) => Promise<void>,
): Promise<void> {
  const writer = into.getWriter();
  try {
    await write(writer);
  } finally {
    writer.releaseLock();
  }
}

/** What of a member's data is read first. */
function nextOf({ kind, member, from, until }: MemberRun): ByteRange {
  return kind === "raw" || member.method === STORED
    ? { start: from, end: until }
    : { start: 0, end: member.compressedSize };
}

/** Whether bytes are sent as they are in the archive: packed ones; and stored ones where a part is wanted, or all was found right before. */
function isAsItIs(
  { isolate }: Visit,
  { key }: ArchiveBytes,
  { kind, member, from, until }: MemberRun,
): boolean {
  if (kind === "raw" || member.method !== STORED) return kind === "raw";
  return from > 0 || until < member.size || isolate.checked.get(`${key}/${member.headerOffset}`) === true;
}

async function sendRaw(
  archive: ArchiveBytes,
  { member, from, until }: MemberRun,
  into: WritableStream<Uint8Array>,
): Promise<void> {
  const { start } = await dataRange(archive, member, { start: from, end: until });
  const range: ByteRange = { start: start + from, end: start + until };
  const { reader, size, blockBytes } = archive;
  const sending = await gather(reader, [{ kind: "range", range }], { size, blockBytes });
  await sending.write(into);
}

async function sendContent(
  visit: Visit,
  archive: ArchiveBytes,
  { member, from, until }: MemberRun,
  into: WritableStream<Uint8Array>,
): Promise<void> {
  const content = await contentReader(visit.isolate.ports.codec, archive, member);
  try {
    await content.skip(from);
    let buffer: ArrayBufferLike | undefined;
    for (let position = from; position < until; position += PIECE_BYTES) {
      const bytes = await content.read(Math.min(PIECE_BYTES, until - position), buffer);
      await withWriter(into, (writer) => writer.write(bytes));
      ({ buffer } = bytes);
    }
    if (until === member.size) visit.isolate.checked.set(`${archive.key}/${member.headerOffset}`, true);
  } finally {
    await content.close();
  }
}
