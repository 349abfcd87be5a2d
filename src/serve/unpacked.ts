import { STORED } from "../core/codec.ts";
import type { ObjectPin } from "../core/pin.ts";
import { Failure } from "../core/problem.ts";
import type { Member } from "../core/zip/member.ts";
import { archiveBytes, dataRange, type ArchiveBytes } from "./archive-bytes.ts";
import type { Source } from "./begin-fill.ts";
import { contentCheck, type ContentCheck } from "./content-check.ts";
import { gather } from "./read.ts";
import type { Visit } from "./visit.ts";

/** A member's content as it is unpacked, natively, from its first byte on. */
export type Unpacked = {
  readonly stream: ReadableStream<Uint8Array>;
  readonly check: ContentCheck;
  /** Settles when no more of the archive is read for it. */
  readonly fed: Promise<void>;
};

/** Begins to unpack a member; fails where its packed bytes cannot be had, or are not where the directory says. */
export async function unpacked(visit: Visit, archive: ArchiveBytes, member: Member): Promise<Unpacked> {
  const { codec } = visit.isolate.ports;
  const range = await dataRange(archive, member);
  const { readable, writable } = new IdentityTransformStream();
  const feeding: { error: unknown } = { error: undefined };
  const { size, blockBytes, reader } = archive;
  const segments = member.compressedSize === 0 ? [] : [{ kind: "range", range } as const];
  const sending = await gather(reader, segments, { size, blockBytes });
  const fed = sending
    .write(writable)
    .then(() => writable.close())
    .catch(async (error: unknown) => {
      if (error instanceof Failure) feeding.error = error; // any other is that of a stream nobody reads on
      await writable.abort(error);
    })
    .catch(() => undefined); // it has ended already
  visit.defer(fed);
  const stream = member.method === STORED ? readable : readable.pipeThrough(codec.unpacking(member.method));
  return { stream, check: contentCheck(codec, member, feeding), fed };
}

/** The same as the source of a body of its own, to be stored in blocks. */
export async function unpackedSource(visit: Visit, pin: ObjectPin, member: Member): Promise<Source> {
  const archive = archiveBytes({ visit, pin, entry: pin.entry });
  try {
    const { stream, check, fed } = await unpacked(visit, archive, member);
    visit.defer(fed.finally(() => archive.close()));
    return { body: stream, offset: 0, until: member.size, check };
  } catch (error) {
    archive.close();
    throw error;
  }
}
