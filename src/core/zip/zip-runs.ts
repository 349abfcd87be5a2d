import { joinText } from "./join-text.ts";
import type { Run } from "./runs.ts";
import type { SelectedMembers } from "./selection.ts";
import {
  centralHeader,
  centralHeaderLength,
  endRecords,
  endRecordsLength,
  localHeader,
  packedLength,
} from "./zip-header.ts";

/** Members as a zip archive of their own, packed as they are (APPNOTE 4.3.6); the same ones make the same bytes at any time. */
export function zipRuns(selection: SelectedMembers): Generator<Run> {
  return joinText(archiveRuns(selection));
}

/** How many bytes `zipRuns` makes of them, without making any. */
export function zipSize({ directory, positions }: SelectedMembers): number {
  let offset = 0;
  let size = 0;
  for (const position of positions) {
    const member = directory.at(position);
    size += centralHeaderLength(member, offset);
    offset += packedLength(member);
  }
  return offset + size + endRecordsLength({ count: positions.length, size, offset });
}

/** Reads each member twice, since its central header is far behind: what is remembered does not grow with their number. */
function* archiveRuns({ directory, positions }: SelectedMembers): Generator<Run> {
  let end = 0;
  for (const position of positions) {
    const member = directory.at(position);
    yield { kind: "text", bytes: localHeader(member) };
    if (member.compressedSize > 0) yield { kind: "raw", member, from: 0, until: member.compressedSize };
    end += packedLength(member);
  }
  let offset = 0;
  let size = 0;
  for (const position of positions) {
    const member = directory.at(position);
    const header = centralHeader(member, offset);
    yield { kind: "text", bytes: header };
    size += header.byteLength;
    offset += packedLength(member);
  }
  yield { kind: "text", bytes: endRecords({ count: positions.length, size, offset: end }) };
}
