import type { Entry } from "../core/entry.ts";
import { Failure } from "../core/problem.ts";
import type { ObjectPin } from "../core/pin.ts";
import { filesSource } from "../core/inside-urls.ts";
import { followLink } from "../core/zip/links.ts";
import type { Member } from "../core/zip/member.ts";
import { openArchive, openArchiveHot, stampOf, type Archive } from "./archive.ts";
import type { Arrival } from "./arrival.ts";
import { confirmedContent } from "./confirmed-content.ts";
import type { InsideTarget } from "./inside-target.ts";
import { linksOf } from "./links.ts";
import { listing } from "./listing.ts";
import { memberOf, representMember, type AskedEntry, type AskedMember, type ShownEntry } from "./member.ts";
import { findPassing } from "./passing.ts";
import { isPlain } from "./plain.ts";
import { remade } from "./remade.ts";
import type { Representation } from "./representation.ts";
import type { Visit } from "./visit.ts";

/** What is asked for of an archive, as a representation of its own. Fails where the archive has no such thing, or none that is safe. */
export async function openInside(
  visit: Visit,
  arrival: Arrival,
  target: InsideTarget,
  pin: ObjectPin,
): Promise<Representation> {
  const { inside } = target;
  if (inside.kind === "entry") return await openEntry(visit, arrival, target, { pin, inside });
  const archive = await openArchive(visit, pin);
  if (inside.kind === "tree" || inside.kind === "browse") return listing(visit, arrival, archive, target);
  return remade(visit, archive, inside, await linksOf(visit, archive));
}

async function openEntry(
  visit: Visit,
  arrival: Arrival,
  target: InsideTarget,
  { pin, inside }: { readonly pin: ObjectPin; readonly inside: AskedEntry },
): Promise<Representation> {
  const { url, bucket } = arrival;
  const shown = () => ({ ...inside, files: filesSource(new URL(url).origin, target, bucket) });
  const passing = await representPassing(visit, arrival, pin, shown);
  if (passing !== undefined) return passing;
  const archive = await openArchive(visit, pin);
  const member =
    knownOf(target, archive) ??
    memberOf(visit, archive, await findMember(visit, archive, inside.path), shown());
  found.set(target, { archive, member });
  return representMember(visit, archive, member);
}

/**
 * A large member that comes by before its archive's directory does: it is sent at once, but for its last byte, which waits until
 * the directory has said that there is such a member.
 */
async function representPassing(
  visit: Visit,
  { method, headers }: Arrival,
  pin: ObjectPin,
  shown: () => ShownEntry,
): Promise<Representation | undefined> {
  const isWhole = method === "GET" && isPlain(headers);
  if (!isWhole || pin.entry.isRangeless !== true || openArchiveHot(visit, pin) !== undefined)
    return undefined;
  const asked = shown();
  const member = await findPassing(visit, pin, asked.path);
  if (member === undefined || member.problem !== undefined) return undefined;
  const archive = { pin, stamp: await stampOf(visit, pin, new Uint8Array(0)) };
  const { entry, content } = representMember(visit, archive, memberOf(visit, archive, member, asked));
  if (content.all !== undefined) return undefined;
  const directory = openArchive(visit, pin);
  visit.defer(directory.catch(() => undefined)); // it is awaited when the member has been sent
  return { entry, content: confirmedContent(content, async () => confirm(await directory, member)) };
}

/** Fails where the directory knows no such member. */
function confirm({ directory }: Archive, { path, headerOffset, crc, size, method }: Member): void {
  const known = directory.find(path);
  const isSame =
    known?.problem === undefined &&
    known?.type === "file" &&
    known.headerOffset === headerOffset &&
    known.crc === crc &&
    known.size === size &&
    known.method === method;
  if (!isSame) throw new Failure("entry_lies", path);
}

/** Members are remembered with what they were asked for by, as their keys are remembered with them. */
const found = new WeakMap<InsideTarget, { readonly archive: Archive; readonly member: AskedMember }>();

function knownOf(target: InsideTarget, { directory, pin }: Archive): AskedMember | undefined {
  const known = found.get(target);
  const isSame =
    known?.archive.directory === directory && known.archive.pin.entry.identity === pin.entry.identity;
  return isSame ? known.member : undefined;
}

/** What is known of a member, from memory alone; `undefined` where that does not suffice. */
export function findInsideHot(visit: Visit, target: InsideTarget, pin: ObjectPin): Entry | undefined {
  const archive = openArchiveHot(visit, pin);
  return archive && knownOf(target, archive)?.entry;
}

/** A link is what it leads to. */
async function findMember(visit: Visit, archive: Archive, path: string): Promise<Member> {
  const { directory } = archive;
  const member = directory.find(path);
  if (member === undefined) {
    const { first, end } = directory.below(`${path}/`);
    throw new Failure(first < end ? "entry_is_directory" : "entry_not_found", path);
  }
  if (member.type !== "symlink" || member.problem !== undefined) return member;
  const followed = followLink(directory, member, await linksOf(visit, archive));
  if (followed.kind === "problem") throw new Failure(followed.problem, path);
  if (followed.kind === "directory") throw new Failure("entry_is_directory", path);
  return followed.member;
}
