import { expect, it } from "vitest";
import { contentRanges } from "../../scripts/demo/content-ranges.ts";

const ranges = (...pairs: [number, number][]) => ({
  kind: "send",
  ranges: pairs.map(([start, end]) => ({ start, end })),
});
const WHOLE = ranges();
const INVALID = { kind: "refused", message: "invalid range", contentRange: undefined };
const BEYOND = {
  kind: "refused",
  message: "invalid range: failed to overlap",
  contentRange: "bytes */10",
};

it.each([
  [undefined, WHOLE],
  ["", WHOLE],
  ["bytes=", WHOLE],
  ["bytes=0-3", ranges([0, 4])],
  ["bytes=0-99", ranges([0, 10])],
  ["bytes=7-", ranges([7, 10])],
  ["bytes=-4", ranges([6, 10])],
  ["bytes=-99", ranges([0, 10])],
  ["bytes=-0", ranges([10, 10])],
  ["bytes= 1-2 , 5 - 6 ", ranges([1, 3], [5, 7])],
  ["bytes=8-,0-1", ranges([8, 10], [0, 2])],
  ["bytes=0-1,0-1", ranges([0, 2], [0, 2])],
  ["bytes=1-2,99-", ranges([1, 3])],
  ["bytes=0-,0-0", WHOLE],
  ["bytes=10-", BEYOND],
  ["bytes=10-11,99-", BEYOND],
  ["bytes=3-1", INVALID],
  ["bytes=0-1,x", INVALID],
  ["bytes=-", INVALID],
  ["bytes=--1", INVALID],
  ["Bytes=0-1", INVALID],
  ["lines=0-1", INVALID],
])("contentRanges() does read %j of ten bytes as Go does", (header, expected) => {
  expect(contentRanges(header, 10)).toEqual(expected);
});

it("contentRanges() does ignore ranges of nothing", () => {
  expect(contentRanges("bytes=0-3", 0)).toEqual(WHOLE);
  expect(contentRanges("bytes=0-3,x", 0)).toEqual(INVALID);
});
