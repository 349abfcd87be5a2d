import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Failure } from "../../src/core/problem.ts";
import type { Member } from "../../src/core/zip/member.ts";
import { unpackSmall } from "../../src/serve/unpack-small.ts";
import { codec } from "../../workers/codec.ts";
import { directoryIn } from "../zip/read-zip.ts";
import { type EntrySpec, writeZip } from "../zip/write-zip.ts";

const CONTENT = "content ".repeat(500);

/** An entry as the directory has it, and its packed bytes. */
function packed(entry: EntrySpec): { member: Member; bytes: Uint8Array } {
  const { bytes, placed } = writeZip([entry]);
  const name = typeof entry.name === "string" ? entry.name : "";
  return { member: directoryIn(bytes).find(name)!, bytes: placed[0]!.packed };
}

function problemOf(unpack: () => unknown): unknown {
  try {
    return unpack();
  } catch (error) {
    return error instanceof Failure ? [error.problem, error.detail] : error;
  }
}

describe("unpackSmall()", () => {
  it.each([0, 8, 93])("unpackSmall() does give the content that method %d packed", (method) => {
    for (const content of ["", "x", CONTENT]) {
      const { member, bytes } = packed({ name: "a", content, method });
      expect(Buffer.from(unpackSmall(codec, member, bytes)).toString()).toBe(content);
    }
  });

  it.each<[string, number, Partial<Member>]>([
    ["longer", 8, { size: CONTENT.length - 1 }],
    ["shorter", 8, { size: CONTENT.length + 1 }],
    ["far longer", 8, { size: 0 }],
    ["longer", 93, { size: CONTENT.length - 1 }],
    ["shorter", 93, { size: CONTENT.length + 1 }],
    ["longer", 0, { size: CONTENT.length - 1 }],
    ["shorter", 0, { size: CONTENT.length + 1 }],
    ["of another checksum", 0, { crc: 1 }],
    ["of another checksum", 8, { crc: 1 }],
    ["of another checksum", 93, { crc: 0 }],
    ["deflated", 8, { method: 93 }],
    ["Zstandard", 93, { method: 8 }],
    ["deflated", 8, { method: 0 }],
    ["stored", 0, { method: 8 }],
  ])(
    "unpackSmall() does say of what is %s (method %d) that it is corrupt, and which it is",
    (_case, method, lie) => {
      const { member, bytes } = packed({ name: "dir/a", content: CONTENT, method });
      expect(problemOf(() => unpackSmall(codec, { ...member, ...lie }, bytes))).toEqual([
        "entry_corrupt",
        "dir/a",
      ]);
    },
  );

  it.each<[string, number, (bytes: Uint8Array) => Uint8Array]>([
    ["cut off", 8, (bytes) => bytes.subarray(0, -1)],
    ["cut off", 93, (bytes) => bytes.subarray(0, -1)],
    ["gone", 8, () => new Uint8Array()],
    ["gone", 0, () => new Uint8Array()],
    ["zeros", 8, (bytes) => new Uint8Array(bytes.byteLength)],
    ["zeros", 93, (bytes) => new Uint8Array(bytes.byteLength)],
    ["a bomb", 8, () => deflateRawSync(new Uint8Array(8 * 1024 * 1024))],
  ])("unpackSmall() does say so of bytes that are %s (method %d)", (_case, method, change) => {
    const { member, bytes } = packed({ name: "a", content: CONTENT, method });
    expect(problemOf(() => unpackSmall(codec, member, change(bytes)))).toEqual(["entry_corrupt", "a"]);
  });

  it.each([0, 8, 93])("unpackSmall() does let no bit be another one (method %d)", (method) => {
    const { member, bytes } = packed({ name: "a", content: CONTENT.slice(0, 40), method });
    for (let bit = 0; bit < bytes.byteLength * 8; bit += 1) {
      const changed = bytes.slice();
      changed[bit >> 3]! ^= 1 << (bit & 7);
      const outcome = problemOf(() => Buffer.from(unpackSmall(codec, member, changed)).toString());
      // Some bits of a packed form say nothing of the content: those of its padding and of its own checks
      if (outcome !== CONTENT.slice(0, 40)) expect(outcome).toEqual(["entry_corrupt", "a"]);
      else expect(method).not.toBe(0);
    }
  });
});
