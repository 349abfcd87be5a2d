import { joinText } from "./join-text.ts";
import type { Member } from "./member.ts";
import { permissions } from "./permissions.ts";
import type { Run } from "./runs.ts";
import type { SelectedMembers } from "./selection.ts";
import { TAR_END_BYTES, tarHead, tarHeadLength, tarPadding, type TarEntry } from "./tar-header.ts";

/**
 * Members as a tar archive (POSIX.1-2017 pax, "ustar Interchange Format"), files unpacked; the same ones make the same
 * bytes at any time, and paths stay whole. Directories without an entry get none, as every reader makes those itself.
 */
export function tarRuns(selection: SelectedMembers): Generator<Run> {
  return joinText(entryRuns(selection));
}

/** How many bytes `tarRuns` makes of them, without making any. */
export function tarSize(selection: SelectedMembers): number {
  let size = TAR_END_BYTES;
  for (const position of selection.positions) {
    const entry = tarEntry(selection.directory.at(position), selection);
    size += tarHeadLength(entry) + entry.size + tarPadding(entry.size);
  }
  return size;
}

function* entryRuns(selection: SelectedMembers): Generator<Run> {
  for (const member of inOrder(selection)) {
    const entry = tarEntry(member, selection);
    yield { kind: "text", bytes: tarHead(entry) };
    if (entry.size === 0) continue;
    yield { kind: "content", member, from: 0, until: entry.size };
    yield { kind: "text", bytes: new Uint8Array(tarPadding(entry.size)) };
  }
  yield { kind: "text", bytes: new Uint8Array(TAR_END_BYTES) };
}

/**
 * Directories last, inner ones before outer ones. A reader sets a directory's mode and time when it meets it, or soon after
 * (GNU tar: with the first entry that is not below it), and an archive may have anything between a directory and what is in
 * it. To put that there then would change the time, and where the mode forbids it, fail.
 */
function* inOrder({ directory, positions }: SelectedMembers): Generator<Member> {
  const directories: number[] = [];
  for (const position of positions) {
    const member = directory.at(position);
    if (member.type === "directory") directories.push(position);
    else yield member;
  }
  // A path comes after each that it begins with.
  for (const position of directories.toSorted((a, b) => b - a)) yield directory.at(position);
}

function tarEntry(member: Member, { links }: SelectedMembers): TarEntry {
  const { path, type, size, mtime } = member;
  return {
    path,
    type,
    mode: permissions(member),
    size: type === "file" ? size : 0,
    mtime,
    target: type === "symlink" ? (links.get(path) ?? "") : "",
  };
}
