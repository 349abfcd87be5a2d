import type { ByteRange } from "../core/range.ts";
import type { Member } from "../core/zip/member.ts";
import type { Run } from "../core/zip/runs.ts";
import { dataRange, readPacked, type ArchiveBytes } from "./archive-bytes.ts";
import { exactReader } from "./exact-reader.ts";
import { gather, type Sending } from "./read.ts";
import { unpacked } from "./unpacked.ts";
import { unpackSmall } from "./unpack-small.ts";
import type { Visit } from "./visit.ts";

/** Bytes of small runs are sent together, so many at a time. */
const TOGETHER_BYTES = 256 * 1024;
/** What is unpacked as it flows is looked at in pieces of this size. */
const PIECE_BYTES = 512 * 1024;
/** A member that is packed in more, or unpacks to more, is unpacked as it flows; a smaller one at once. */
const AT_ONCE = { packedBytes: 256 * 1024, bytes: 1024 * 1024 };

type Writer = WritableStreamDefaultWriter<Uint8Array>;

/** Sends what is made from an archive, run by run, in the order of the archive. Fails where the first of its members is not to be had. */
export async function sendRuns(visit: Visit, archive: ArchiveBytes, all: Iterable<Run>): Promise<Sending> {
  const runs = all[Symbol.iterator]();
  const first = untilMember(runs);
  const member = first.at(-1);
  if (member !== undefined && member.kind !== "text") await dataRange(archive, member.member);
  return {
    single: undefined,
    async write(into) {
      const together = gathering(into);
      for (const run of chained(first, runs)) {
        if (run.kind === "text") await together.add(run.bytes);
        else if (isAtOnce(run.member)) await together.add(await smallRun(visit, archive, run));
        else {
          await together.flush();
          await (run.kind === "raw" ? sendRaw(archive, run, into) : sendContent(visit, archive, run, into));
        }
      }
      await together.flush();
    },
  };
}

/** All runs up to the first one that takes bytes of the archive. */
function untilMember(runs: Iterator<Run>): readonly Run[] {
  const first: Run[] = [];
  for (let next = runs.next(); next.done !== true; next = runs.next()) {
    first.push(next.value);
    if (next.value.kind !== "text") break;
  }
  return first;
}

function* chained(first: readonly Run[], rest: Iterator<Run>): Generator<Run> {
  yield* first;
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value;
}

type MemberRun = Exclude<Run, { readonly kind: "text" }>;

function isAtOnce({ compressedSize, size }: Member): boolean {
  return compressedSize <= AT_ONCE.packedBytes && size <= AT_ONCE.bytes;
}

async function smallRun(
  visit: Visit,
  archive: ArchiveBytes,
  { kind, member, from, until }: MemberRun,
): Promise<Uint8Array> {
  const packed = await readPacked(archive, member);
  const bytes = kind === "raw" ? packed : unpackSmall(visit.isolate.ports.codec, member, packed);
  return bytes.subarray(from, until);
}

/** Bytes on their way into a stream, a good many at a time. */
function gathering(into: WritableStream<Uint8Array>) {
  const buffer = new Uint8Array(TOGETHER_BYTES);
  let filled = 0;

  const flush = async (): Promise<void> => {
    if (filled === 0) return;
    const bytes = buffer.subarray(0, filled);
    filled = 0;
    await withWriter(into, (writer) => writer.write(bytes));
  };

  return {
    flush,
    async add(bytes: Uint8Array): Promise<void> {
      if (filled + bytes.byteLength > buffer.byteLength) await flush();
      if (bytes.byteLength > buffer.byteLength)
        return await withWriter(into, (writer) => writer.write(bytes));
      buffer.set(bytes, filled);
      filled += bytes.byteLength;
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

async function sendRaw(
  archive: ArchiveBytes,
  { member, from, until }: MemberRun,
  into: WritableStream<Uint8Array>,
): Promise<void> {
  const { start } = await dataRange(archive, member);
  const range: ByteRange = { start: start + from, end: start + until };
  const { reader, size, blockBytes } = archive;
  const sending = await gather(reader, [{ kind: "range", range }], { size, blockBytes });
  await sending.write(into);
}

/** What comes last is held back until all has been found right. */
async function sendContent(
  visit: Visit,
  archive: ArchiveBytes,
  { member, from, until }: MemberRun,
  into: WritableStream<Uint8Array>,
): Promise<void> {
  const { stream, check } = await unpacked(visit, archive, member);
  const source = exactReader(stream, visit.isolate.ports.config.limits.ORIGIN_STALL_S * 1000);
  try {
    let buffer: ArrayBufferLike = new ArrayBuffer(PIECE_BYTES);
    for (let position = 0; position < until;) {
      const bytes = await source.read(Math.min(PIECE_BYTES, member.size - position), buffer);
      check.update(bytes);
      const end = position + bytes.byteLength;
      if (end === member.size) {
        await source.end();
        check.end();
      }
      const wanted = bytes.subarray(Math.max(from - position, 0), Math.min(until, end) - position);
      if (wanted.byteLength > 0) await withWriter(into, (writer) => writer.write(wanted));
      buffer = bytes.buffer;
      position = end;
    }
  } catch (error) {
    throw check.blame(error);
  } finally {
    await source.close();
  }
}
