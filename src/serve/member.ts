import { DEFLATED, STORED } from "../core/codec.ts";
import type { Entry } from "../core/entry.ts";
import { Failure } from "../core/problem.ts";
import type { Inside } from "../core/target.ts";
import { entryHeaders, type Shown } from "../core/zip/entry-headers.ts";
import { GZIP_BYTES, gzipRuns } from "../core/zip/gzip-runs.ts";
import type { Member } from "../core/zip/member.ts";
import { readPacked, withArchiveBytes } from "./archive-bytes.ts";
import type { Archive } from "./archive.ts";
import type { BodySource } from "./body-reader.ts";
import { bodyContent, type Content } from "./content.ts";
import { bodyKey } from "./keys.ts";
import type { Representation } from "./representation.ts";
import { runsContent } from "./runs-content.ts";
import { unpackSmall } from "./unpack-small.ts";
import { unpackedSource } from "./unpacked.ts";
import type { Visit } from "./visit.ts";

export type AskedEntry = Extract<Inside, { readonly kind: "entry" }>;

/** The same with the source of all files of its archive, for what may be shown together. */
export type ShownEntry = AskedEntry & Pick<Shown, "files">;

/** What of an archive a member of it needs. */
type ArchiveOfMember = Pick<Archive, "pin" | "stamp">;

/** A member as it is asked for; nothing of it belongs to one request. */
export type AskedMember = { readonly member: Member; readonly entry: Entry; readonly isFramed: boolean };

/** What is known of a member; fails with its own problem where it has one. */
export function memberOf(
  visit: Visit,
  archive: ArchiveOfMember,
  member: Member,
  asked: ShownEntry,
): AskedMember {
  if (member.problem !== undefined) throw new Failure(member.problem, detailOf(member));
  const isFramed = asked.gzip && member.method === DEFLATED;
  return { member, isFramed, entry: memberEntry(visit, archive, member, { ...asked, isFramed }) };
}

/**
 * A member of an archive as a representation of its own. What is deflated goes to a client that takes gzip just as it is;
 * what is stored is a range of the archive; what is unpacked here is stored in blocks of its own.
 */
export function representMember(visit: Visit, archive: ArchiveOfMember, asked: AskedMember): Representation {
  return { entry: asked.entry, content: memberContent({ visit, archive, ...asked }) };
}

function detailOf({ path, method, problem }: Member): string {
  return problem === "entry_method" ? `${path} is packed by method ${method} of the zip format` : path;
}

function memberEntry(
  visit: Visit,
  { pin, stamp }: ArchiveOfMember,
  member: Member,
  { path, disposition, files, isFramed }: ShownEntry & { readonly isFramed: boolean },
): Entry {
  const { crc, size, compressedSize, headerOffset } = member;
  const form = isFramed ? "-gzip" : "";
  const mediaType = visit.isolate.ports.mediaType(path);
  const shown = { disposition: isShown(mediaType) ? disposition : "attachment", files } as const;
  const headers = entryHeaders(path, mediaType, shown);
  return {
    at: pin.entry.at,
    identity: `${pin.entry.identity}!${stamp}:${headerOffset}${form}`,
    size: isFramed ? compressedSize + GZIP_BYTES : size,
    etag: `"${stamp}-${crc.toString(16).padStart(8, "0")}-${size.toString(16)}${form}"`,
    lastModified: pin.entry.lastModified,
    originEtag: undefined,
    headers: isFramed ? [...headers, ["content-encoding", "gzip"]] : headers,
    isRangeless: true,
  };
}

/** No browser shows a PDF in a sandbox. */
function isShown(mediaType: string | undefined): boolean {
  return mediaType !== "application/pdf";
}

type MemberParts = AskedMember & { readonly visit: Visit; readonly archive: ArchiveOfMember };

function memberContent(parts: MemberParts): Content {
  const { visit, archive, member, entry, isFramed } = parts;
  const { HOT_BODY_BYTES } = visit.isolate.ports.config.limits;
  if (Math.max(member.size, member.compressedSize) <= HOT_BODY_BYTES)
    return { ...framed(parts), all: () => readAll(parts) };
  if (isFramed || member.method === STORED) return framed(parts);
  const make = () => unpackedSource(visit, archive.pin, member);
  return { ...bodyContent({ visit, pin: { kind: "made", make }, entry }), all: undefined };
}

/** What can be sent without unpacking it. */
function framed({ visit, archive, member, isFramed }: MemberParts): Content {
  const { size } = member;
  return runsContent(visit, archive.pin, () =>
    isFramed ? gzipRuns(member) : [{ kind: "content", member, from: 0, until: size }],
  );
}

/** All of a small member, looked at whole before anything of it is sent. */
async function readAll({
  visit,
  archive: { pin },
  member,
  entry,
  isFramed,
}: MemberParts): Promise<Uint8Array> {
  const { hot, codec } = visit.isolate.ports;
  const key = bodyKey(visit, entry);
  const known = hot.get(key);
  if (known !== undefined) return known;
  const source: BodySource = { visit, pin, entry: pin.entry };
  const packed = await withArchiveBytes(source, (bytes) => readPacked(bytes, member));
  const content = unpackSmall(codec, member, packed);
  const bytes = isFramed ? framedBytes(member, packed) : content.slice();
  hot.set(key, bytes);
  return bytes;
}

function framedBytes(member: Member, packed: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(packed.byteLength + GZIP_BYTES);
  let position = 0;
  for (const run of gzipRuns(member)) {
    const part = run.kind === "text" ? run.bytes : packed;
    bytes.set(part, position);
    position += part.byteLength;
  }
  return bytes;
}
