import type { Member } from "../../src/core/zip/member.ts";

/** A member as a test wants it: an empty stored file, or a directory by its path, but for what is given. It needs no archive. */
export function memberOf(given: Partial<Member> & Pick<Member, "path">): Member {
  return {
    type: given.path.endsWith("/") ? "directory" : "file",
    method: 0,
    crc: 0,
    compressedSize: 0,
    size: 0,
    headerOffset: 0,
    limit: Number.MAX_SAFE_INTEGER,
    mode: undefined,
    mtime: 0,
    problem: undefined,
    ...given,
  };
}
