import type { ObjectPin } from "../core/pin.ts";
import { LOCAL_HEADER_BYTES } from "../core/zip/local-header.ts";
import type { Member } from "../core/zip/member.ts";
import { mayBeLink, readPassingHeader } from "../core/zip/passing-header.ts";
import { readRange, type ArchiveBytes } from "./archive-bytes.ts";
import { windowedArchive } from "./block-window.ts";
import { isStored } from "./stretch.ts";
import type { Visit } from "./visit.ts";

/** What a local header's name and extra field take, at first. */
const VARIABLE_BYTES = 256;

/**
 * Looks for a member while its archive passes by, which an origin without ranges sends from its first byte: the directory comes
 * last. Headers are followed as long as each says how long its entry is; `undefined` where the directory must be waited for.
 */
export async function findPassing(visit: Visit, pin: ObjectPin, path: string): Promise<Member | undefined> {
  const { BLOCK_BYTES } = visit.isolate.ports.config.limits;
  const { entry } = pin;
  const last = Math.max(0, Math.ceil(entry.size / BLOCK_BYTES) - 1);
  if (entry.isRangeless !== true || (await isStored(visit, entry, last))) return undefined;
  const archive = windowedArchive({ visit, pin, entry });
  try {
    const member = await follow(visit, archive, path);
    return member === undefined || mayBeLink(member) ? undefined : member;
  } finally {
    archive.close();
  }
}

async function follow(visit: Visit, archive: ArchiveBytes, path: string): Promise<Member | undefined> {
  const { ZIP_RATIO, ZIP_ENTRIES } = visit.isolate.ports.config.limits;
  let offset = 0;
  for (let count = 0; count < ZIP_ENTRIES; count++) {
    const answer = await readHeader(archive, offset, ZIP_RATIO);
    if (answer.kind !== "entry" || answer.next <= offset || answer.next > archive.size) return undefined;
    if (answer.member.path === path) return answer.member;
    offset = answer.next;
  }
  return undefined;
}

async function readHeader(archive: ArchiveBytes, offset: number, ratio: number) {
  let length = LOCAL_HEADER_BYTES + VARIABLE_BYTES;
  for (;;) {
    const end = Math.min(offset + length, archive.size);
    const answer = readPassingHeader(await readRange(archive, { start: offset, end }), offset, ratio);
    if (answer.kind !== "more" || offset + answer.bytes > archive.size) return answer;
    length = answer.bytes;
  }
}
