import { describe, expect, it } from "vitest";
import { extentLimits } from "../../../src/core/zip/extents.ts";

type Row = readonly [headerOffset: number, nameLength: number, compressedSize: number];

const limitsOf = (rows: readonly Row[], directoryOffset: number) => {
  const extents = rows.map(([headerOffset, nameLength, compressedSize]) => {
    return { headerOffset, nameLength, compressedSize };
  });
  return extentLimits(extents, directoryOffset);
};

describe("extentLimits()", () => {
  it.each<[string, Row[], number, number[]]>([
    ["none", [], 0, []],
    ["one that ends where the directory begins", [[0, 1, 9]], 40, [40]],
    ["one with room after it", [[10, 1, 9]], 60, [60]],
    [
      "two that touch",
      [
        [0, 1, 9],
        [40, 2, 8],
      ],
      80,
      [40, 80],
    ],
    [
      "two in the other order",
      [
        [40, 2, 8],
        [0, 1, 9],
      ],
      80,
      [80, 40],
    ],
    [
      "one past 4 GiB",
      [
        [0, 1, 2 ** 33],
        [2 ** 34, 1, 0],
      ],
      2 ** 35,
      [2 ** 34, 2 ** 35],
    ],
  ])("extentLimits() does give the limits of %s", (_, rows, directoryOffset, limits) => {
    expect(limitsOf(rows, directoryOffset)).toEqual(Float64Array.from(limits));
  });

  it.each<[string, Row[]]>([
    [
      "at one place",
      [
        [0, 1, 0],
        [0, 1, 0],
      ],
    ],
    [
      "at one place, with nothing in them",
      [
        [31, 0, 0],
        [0, 1, 0],
        [31, 0, 0],
      ],
    ],
    [
      "of which one begins in the data of the other",
      [
        [0, 1, 10],
        [40, 1, 0],
      ],
    ],
    [
      "of which one begins in the name of the other",
      [
        [0, 1, 0],
        [30, 1, 0],
      ],
    ],
    [
      "of which one holds the other",
      [
        [0, 1, 100],
        [50, 1, 0],
      ],
    ],
    [
      "of which one has an impossible size",
      [
        [0, 1, 2 ** 64],
        [50, 1, 0],
      ],
    ],
  ])("extentLimits() does refuse two %s", (_, rows) => {
    expect(limitsOf(rows, 200)).toBe("archive_overlapping");
  });

  it.each<[string, Row]>([
    ["reaches into the directory", [0, 1, 170]],
    ["begins at the directory", [200, 0, 0]],
    ["begins past the directory", [2 ** 40, 1, 0]],
    ["begins past all numbers", [2 ** 64, 1, 0]],
    ["has an impossible size", [0, 1, 2 ** 64]],
  ])("extentLimits() does refuse one that %s", (_, row) => {
    expect(limitsOf([row], 200)).toBe("archive_broken");
  });
});
