import { Failure } from "../core/problem.ts";
import { strictUtf8 } from "../core/strict-utf8.ts";
import { LINK_BYTES, type Links } from "../core/zip/links.ts";
import type { Member } from "../core/zip/member.ts";
import { readPacked, type ArchiveBytes } from "./archive-bytes.ts";
import type { Archive } from "./archive.ts";
import { windowedArchive } from "./block-window.ts";
import { directoryKey } from "./keys.ts";
import { shareRead } from "./share-read.ts";
import { unpackSmall } from "./unpack-small.ts";
import type { Visit } from "./visit.ts";

const NONE: Links = new Map();

/** The texts of all symbolic links of an archive, which must be known before anything is made of it. */
export async function linksOf(visit: Visit, archive: Archive): Promise<Links> {
  const { isolate } = visit;
  const key = `${directoryKey(visit, archive.pin.entry)}/${archive.stamp}`;
  const known = isolate.ports.links.get(key);
  if (known !== undefined) return known;
  return await shareRead(visit, isolate.links, key, async () => {
    const members = linkMembers(archive);
    const links = members.length === 0 ? NONE : await readLinks(visit, archive, members);
    isolate.ports.links.set(key, links);
    return links;
  });
}

/** In the order of the archive, so that it is read from front to back. */
function linkMembers({ directory }: Archive): readonly Member[] {
  const members: Member[] = [];
  for (let position = 0; position < directory.count; position++) {
    const member = directory.at(position);
    const isRead = member.type === "symlink" && member.problem === undefined && member.size <= LINK_BYTES;
    if (isRead) members.push(member);
  }
  return members.toSorted((one, other) => one.headerOffset - other.headerOffset);
}

async function readLinks(visit: Visit, { pin }: Archive, members: readonly Member[]): Promise<Links> {
  const archive = windowedArchive({ visit, pin, entry: pin.entry });
  const links = new Map<string, string>();
  try {
    for (const member of members) {
      const text = await readLink(visit, archive, member);
      if (text !== undefined) links.set(member.path, text);
    }
  } finally {
    archive.close();
  }
  return links;
}

/** A link that cannot be read leads nowhere; the others are none the worse for it. */
async function readLink(visit: Visit, archive: ArchiveBytes, member: Member): Promise<string | undefined> {
  try {
    const content = unpackSmall(visit.isolate.ports.codec, member, await readPacked(archive, member));
    return strictUtf8(content);
  } catch (error) {
    if (error instanceof Failure && error.problem.startsWith("entry_")) return undefined;
    throw error;
  }
}
