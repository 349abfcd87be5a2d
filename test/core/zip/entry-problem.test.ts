import { describe, expect, it } from "vitest";
import type { CentralRecord } from "../../../src/core/zip/central-record.ts";
import { entryProblem } from "../../../src/core/zip/entry-problem.ts";

const MIB = 1024 * 1024;
const RATIO = 100;

function problemOf(more: Partial<CentralRecord>, isDirectory = false) {
  const record: CentralRecord = {
    host: 3,
    flags: 0,
    method: 8,
    mtime: 0,
    crc: 0,
    compressedSize: 0,
    size: 0,
    externalAttributes: 0,
    headerOffset: 0,
    name: new Uint8Array(),
    unicodePath: undefined,
    end: 0,
    ...more,
  };
  return entryProblem(record, isDirectory, RATIO);
}

describe("entryProblem()", () => {
  it.each<[Partial<CentralRecord>]>([
    [{}],
    [{ method: 0, size: 5, compressedSize: 5 }],
    [{ method: 93, size: 5, compressedSize: 9 }],
    [{ flags: 0x800 | 8 | 6 }],
    [{ size: MIB, compressedSize: 1 }],
    [{ size: RATIO * MIB, compressedSize: MIB }],
    [{ method: 0, size: 2 ** 40, compressedSize: 2 ** 40 }],
  ])("entryProblem() does find nothing in %j", (record) => {
    expect(problemOf(record)).toBeUndefined();
  });

  it.each<[Partial<CentralRecord>, string]>([
    [{ flags: 1 }, "entry_encrypted"],
    [{ flags: 1 << 6 }, "entry_encrypted"],
    [{ flags: 1 << 13 }, "entry_encrypted"],
    [{ method: 99 }, "entry_encrypted"],
    [{ flags: 1, method: 12 }, "entry_encrypted"],
    [{ method: 1 }, "entry_method"],
    [{ method: 9 }, "entry_method"],
    [{ method: 12 }, "entry_method"],
    [{ method: 14 }, "entry_method"],
    [{ method: 20 }, "entry_method"],
    [{ method: 0, size: 5, compressedSize: 4 }, "entry_lies"],
    [{ method: 0, size: 0, compressedSize: 4 }, "entry_lies"],
    [{ size: 2 ** 53, compressedSize: 2 ** 52 }, "entry_lies"],
    [{ size: MIB + 1, compressedSize: 1 }, "entry_ratio"],
    [{ size: MIB + 1, compressedSize: 0 }, "entry_ratio"],
    [{ size: RATIO * MIB + 1, compressedSize: MIB }, "entry_ratio"],
    [{ method: 93, size: 2 ** 40, compressedSize: 100 }, "entry_ratio"],
  ])("entryProblem() does say of %j that it is %s", (record, problem) => {
    expect(problemOf(record)).toBe(problem);
  });

  it("entryProblem() does let a directory be packed, but not have content", () => {
    expect(problemOf({ compressedSize: 2 }, true)).toBeUndefined();
    expect(problemOf({ compressedSize: 2, size: 1 }, true)).toBe("entry_lies");
  });
});
