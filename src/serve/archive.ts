import { MISS } from "../core/cache-status.ts";
import { concatenate } from "../core/concatenate.ts";
import type { Entry } from "../core/entry.ts";
import { Failure } from "../core/problem.ts";
import type { ObjectPin } from "../core/pin.ts";
import { readDirectory } from "../core/zip/central-directory.ts";
import { openDirectory } from "../core/zip/compact-directory.ts";
import { findEndRecord, TAIL_BYTES, type EndRecord } from "../core/zip/end-record.ts";
import type { Directory } from "../core/zip/member.ts";
import type { ZipProblem } from "../core/zip/problems.ts";
import { readRange, withArchiveBytes, type ArchiveBytes } from "./archive-bytes.ts";
import { directoryKey } from "./keys.ts";
import type { KnownDirectory } from "./known-directory.ts";
import { shareRead } from "./share-read.ts";
import type { Visit } from "./visit.ts";
import { readStored } from "./stored-whole.ts";

/** An archive whose directory is known; `stamp` tells it from every other, by its identity and its directory's bytes. */
export type Archive = {
  readonly pin: ObjectPin;
  readonly directory: Directory;
  readonly stamp: string;
};

/** The directory of an archive: from memory, the colo, or the archive's own end. Fails with the archive's own problem. */
export async function openArchive(visit: Visit, pin: ObjectPin): Promise<Archive> {
  const { ports, directories } = visit.isolate;
  const key = directoryKey(visit, pin.entry);
  const known =
    ports.directories.get(key) ?? (await shareRead(visit, directories, key, () => find(visit, pin)));
  if (known.kind === "problem") throw new Failure(known.problem);
  return { pin, directory: known.directory, stamp: known.stamp };
}

/** The same from memory alone, without waiting. */
export function openArchiveHot(visit: Visit, pin: ObjectPin): Archive | undefined {
  const known = visit.isolate.ports.directories.get(directoryKey(visit, pin.entry));
  return known?.kind === "directory" ? { pin, directory: known.directory, stamp: known.stamp } : undefined;
}

async function find(visit: Visit, pin: ObjectPin): Promise<KnownDirectory> {
  const { ports } = visit.isolate;
  const key = directoryKey(visit, pin.entry);
  const known = (await findStored(visit, key)) ?? (await readFromArchive(visit, pin));
  ports.directories.set(key, known);
  return known;
}

/** In the colo a directory is a block of its own, beside a record that says how long it is. */
async function findStored(visit: Visit, key: string): Promise<KnownDirectory | undefined> {
  const { ports } = visit.isolate;
  const found = await ports.entries.find(key, () => true);
  if (found === undefined) return undefined;
  const { size: length, identity: stamp } = found.record;
  const bytes = await readStored(ports, `${key}/~0`, length);
  const directory = bytes && openDirectory(bytes);
  if (directory === undefined) return undefined;
  visit.trace.entryTier = "colo";
  return { kind: "directory", directory, stamp };
}

async function readFromArchive(visit: Visit, pin: ObjectPin): Promise<KnownDirectory> {
  const { ports } = visit.isolate;
  const { ZIP_ENTRIES, ZIP_DIRECTORY_BYTES, ZIP_RATIO, ZIP_LINKS } = ports.config.limits;
  visit.trace.body = MISS;
  return await withArchiveBytes({ visit, pin, entry: pin.entry }, async (archive) => {
    const found = await findEnd(archive);
    if (found.kind === "problem") return found;
    const { directorySize } = found.end;
    if (directorySize > ZIP_DIRECTORY_BYTES)
      return { kind: "problem", problem: "archive_directory_too_large" };
    return await visit.isolate.turns.take(directorySize, async () => {
      const bytes = await readDirectoryBytes(archive, found);
      const bounds = { entries: ZIP_ENTRIES, ratio: ZIP_RATIO, links: ZIP_LINKS };
      const answer = readDirectory(bytes, found.end, bounds);
      if (answer.kind === "problem") return answer;
      const known = { ...answer, stamp: await stampOf(visit, pin, bytes) };
      visit.defer(keep(visit, pin.entry, known));
      return known;
    });
  });
}

/** Of the archive's identity and its directory; of the identity alone where entries are answered before the directory comes. */
export async function stampOf(
  { isolate }: Visit,
  { entry }: ObjectPin,
  directory: Uint8Array,
): Promise<string> {
  const identity = new TextEncoder().encode(`${entry.identity}\n`);
  const digest = await isolate.ports.codec.sha256(identity, entry.isRangeless === true ? EMPTY : directory);
  return digest.slice(0, STAMP_DIGITS);
}

/** 80 bits: nobody finds two directories with one stamp by chance. */
const STAMP_DIGITS = 20;

async function keep(
  visit: Visit,
  archive: Entry,
  { directory, stamp }: Extract<KnownDirectory, { kind: "directory" }>,
): Promise<void> {
  const { blocks, entries, config, now } = visit.isolate.ports;
  const key = directoryKey(visit, archive);
  if (!(await blocks.write(`${key}/~0`, directory.bytes))) return;
  const { byteLength: size } = directory.bytes;
  const record: Entry = {
    at: now(),
    identity: stamp,
    size,
    etag: undefined,
    lastModified: undefined,
    originEtag: undefined,
    headers: [],
  };
  await entries.put(key, record, { coloS: config.limits.ENTRY_S });
}

/** How far before an archive's tail the rest of its end is looked for: records of the future may be longer than today's. */
const FURTHEST_END_BYTES = 1024 * 1024;

/** The end of an archive from `tailStart` on, in which its end record was found. */
type FoundEnd = {
  readonly kind: "end";
  readonly end: EndRecord;
  readonly tail: Uint8Array;
  readonly tailStart: number;
};

/** Reads the end of an archive, as far as it takes to know where its directory is. */
async function findEnd(
  archive: ArchiveBytes,
): Promise<FoundEnd | { readonly kind: "problem"; readonly problem: ZipProblem }> {
  const { size } = archive;
  let tailStart = Math.max(0, size - TAIL_BYTES);
  let tail = await readRange(archive, { start: tailStart, end: size });
  let answer = findEndRecord(tail, size);
  if (answer.kind === "more") {
    if (tailStart - answer.from > FURTHEST_END_BYTES) return { kind: "problem", problem: "archive_broken" };
    tail = concatenate([await readRange(archive, { start: answer.from, end: tailStart }), tail]);
    tailStart = answer.from;
    answer = findEndRecord(tail, size);
  }
  if (answer.kind === "problem") return answer;
  if (answer.kind === "more") return { kind: "problem", problem: "archive_broken" };
  return { kind: "end", end: answer, tail, tailStart };
}

/** The directory: what of it lies before the end that was read, and what within. */
async function readDirectoryBytes(
  archive: ArchiveBytes,
  { end: { directoryOffset: start, directorySize }, tail, tailStart }: FoundEnd,
): Promise<Uint8Array> {
  const end = start + directorySize;
  const before =
    start < tailStart ? await readRange(archive, { start, end: Math.min(end, tailStart) }) : EMPTY;
  const within = tail.subarray(Math.max(0, start - tailStart), Math.max(0, end - tailStart));
  return concatenate([before, within]);
}

const EMPTY = new Uint8Array(0);
