import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ByteRange,
  contentRange,
  type RangeAnswer,
  selectRanges,
  unsatisfiedContentRange,
} from "../../src/core/range.ts";

const MAX_PARTS = 5;
const HUGE = "9".repeat(5_000);

const whole: RangeAnswer = { kind: "whole" };
const unsatisfiable: RangeAnswer = { kind: "unsatisfiable" };
const parts = (...ranges: (readonly [number, number])[]): RangeAnswer => ({
  kind: "parts",
  ranges: ranges.map(([start, end]) => ({ start, end })),
});

describe("one range", () => {
  it.each<[string, number, RangeAnswer]>([
    ["bytes=0-9", 100, parts([0, 10])],
    ["bytes=0-0", 100, parts([0, 1])],
    ["bytes=99-99", 100, parts([99, 100])],
    ["bytes=007-008", 100, parts([7, 9])],
    ["bytes=0-", 100, parts([0, 100])],
    ["bytes=40-", 100, parts([40, 100])],
    ["bytes=40-100", 100, parts([40, 100])],
    ["bytes=40-1000", 100, parts([40, 100])],
    ["bytes=-1", 100, parts([99, 100])],
    ["bytes=-100", 100, parts([0, 100])],
    ["bytes=-101", 100, parts([0, 100])],
    ["bytes=-0", 100, unsatisfiable],
    ["bytes=-000", 100, unsatisfiable],
    ["bytes=100-", 100, unsatisfiable],
    ["bytes=100-200", 100, unsatisfiable],
    ["bytes=0-0", 1, parts([0, 1])],
  ])("selectRanges() does read %j of %d bytes", (header, size, answer) => {
    expect(selectRanges(header, size, MAX_PARTS)).toEqual(answer);
  });
});

describe("a header to ignore", () => {
  it.each([
    [null],
    [""],
    ["bytes"],
    ["bytes="],
    ["bytes= "],
    ["bytes=,"],
    ["bytes= , ,"],
    ["bytes=-"],
    ["bytes=5"],
    ["bytes=--5"],
    ["bytes=-5-"],
    ["bytes=1-2-3"],
    ["bytes=+1-2"],
    ["bytes=1.0-2"],
    ["bytes=1e1-20"],
    ["bytes=0x1-2"],
    ["bytes=a-b"],
    ["bytes=1-b"],
    ["bytes=٠-٩"],
    ["bytes=0 - 1"],
    ["bytes=0- 1"],
    ["bytes=0-1\n"],
    ["bytes=0-1\u00a0"],
    ["bytes =0-1"],
    ["bytes:0-1"],
    ["bytes=0-1;2-3"],
    ["bytes=0-1 2-3"],
    ["bytes=0-1,bytes=2-3"],
    ["byte=0-1"],
    ["items=0-1"],
    ["bytesx=0-1"],
    ["none"],
    ["bytes=5-4"],
    ["bytes=200-199"],
    ["bytes=0-1,5-4"],
    ["bytes=5-4,0-1"],
    ["bytes=0-1,x"],
  ])("selectRanges() does answer whole for %j", (header) => {
    expect(selectRanges(header, 100, MAX_PARTS)).toEqual(whole);
  });
});

describe("the unit and whitespace", () => {
  it.each([
    ["BYTES=0-1,5-6"],
    ["Bytes=0-1,5-6"],
    ["bytes=0-1 ,\t5-6"],
    ["bytes= 0-1,5-6 "],
    ["bytes=,0-1,, ,5-6,"],
    ["bytes=,,,,,,,,0-1,,,,,,,,5-6"],
  ])("selectRanges() does tolerate %j", (header) => {
    expect(selectRanges(header, 100, MAX_PARTS)).toEqual(parts([0, 2], [5, 7]));
  });
});

describe("huge numbers", () => {
  it.each<[string, string, RangeAnswer]>([
    ["a last position", `bytes=1-${HUGE}`, parts([1, 100])],
    ["a suffix", `bytes=-${HUGE}`, parts([0, 100])],
    ["a first position", `bytes=${HUGE}-`, unsatisfiable],
    ["two equal positions", `bytes=${HUGE}-${HUGE}`, unsatisfiable],
    ["a last position below the first", `bytes=${HUGE}-${HUGE.slice(1)}8`, whole],
    ["positions that round to one number", "bytes=9007199254740993-9007199254740992", whole],
    ["a last position of 2^53 - 1", "bytes=99-9007199254740991", parts([99, 100])],
    ["leading zeros", `bytes=${"0".repeat(5_000)}7-8`, parts([7, 9])],
  ])("selectRanges() does cope with %s", (_case, header, answer) => {
    expect(selectRanges(header, 100, MAX_PARTS)).toEqual(answer);
  });

  it("selectRanges() does reach the last byte of the largest size", () => {
    const size = Number.MAX_SAFE_INTEGER;
    expect(selectRanges(`bytes=${size - 1}-${HUGE}`, size, MAX_PARTS)).toEqual(parts([size - 1, size]));
    expect(selectRanges(`bytes=${size}-`, size, MAX_PARTS)).toEqual(unsatisfiable);
  });
});

describe("an empty representation", () => {
  it.each<[string | null, RangeAnswer]>([
    [null, whole],
    ["bytes=x", whole],
    ["bytes=1-0", whole],
    ["bytes=0-", unsatisfiable],
    ["bytes=0-0", unsatisfiable],
    ["bytes=-1", unsatisfiable],
    ["bytes=-0", unsatisfiable],
    ["bytes=0-0,-5", unsatisfiable],
  ])("selectRanges() does never answer a part for %j", (header, answer) => {
    expect(selectRanges(header, 0, MAX_PARTS)).toEqual(answer);
  });
});

describe("several ranges", () => {
  it.each<[string, string, RangeAnswer]>([
    ["keep their order", "bytes=50-59,0-9,20-29", parts([50, 60], [0, 10], [20, 30])],
    ["drop those past the end", "bytes=200-,0-9,-0", parts([0, 10])],
    ["find nothing when all are dropped", "bytes=200-,300-400,-0", unsatisfiable],
    ["merge overlaps", "bytes=0-9,5-14", parts([0, 15])],
    ["merge neighbours", "bytes=0-9,10-19", parts([0, 20])],
    ["keep a gap of one byte", "bytes=0-9,11-19", parts([0, 10], [11, 20])],
    ["merge what lies inside", "bytes=0-50,10-20,60-", parts([0, 51], [60, 100])],
    ["merge repeats", "bytes=-10,-10,-10", parts([90, 100])],
    ["merge through a later link", "bytes=0-9,20-29,10-19", parts([0, 30])],
    ["place a merge where it began", "bytes=50-59,0-9,60-69", parts([50, 70], [0, 10])],
    ["stay a part when they cover all", "bytes=50-,0-49", parts([0, 100])],
    [
      "accept as many as the limit",
      "bytes=0-0,2-2,4-4,6-6,8-8",
      parts([0, 1], [2, 3], [4, 5], [6, 7], [8, 9]),
    ],
    ["count before merging", "bytes=0-,0-,0-,0-,0-,0-", whole],
    ["count what is unsatisfiable", "bytes=-0,-0,-0,-0,-0,0-9", whole],
  ])("selectRanges() does %s", (_rule, header, answer) => {
    expect(selectRanges(header, 100, MAX_PARTS)).toEqual(answer);
  });
});

type Member =
  | { readonly kind: "span"; readonly first: number; readonly last: number | undefined }
  | { readonly kind: "suffix"; readonly length: number };

const position = fc.nat({ max: 24 });
const member: fc.Arbitrary<Member> = fc.oneof(
  fc.tuple(position, fc.option(position, { nil: undefined })).map(([first, extra]): Member => {
    return { kind: "span", first, last: extra === undefined ? undefined : first + extra };
  }),
  position.map((length): Member => ({ kind: "suffix", length })),
);
const separator = fc.constantFrom(",", ", ", " ,\t", ",,", ", ,");

function write(one: Member): string {
  return one.kind === "suffix" ? `-${one.length}` : `${one.first}-${one.last ?? ""}`;
}

function selects(one: Member, index: number, size: number): boolean {
  if (one.kind === "suffix") return index >= size - one.length;
  return index >= one.first && (one.last === undefined || index <= one.last);
}

function selectedBytes(ranges: readonly ByteRange[]): number[] {
  return ranges.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i));
}

describe("any valid header", () => {
  const valid = fc.record({
    size: fc.nat({ max: 30 }),
    members: fc.array(member, { minLength: 1, maxLength: 8 }),
    between: separator,
  });

  it("selectRanges() does select exactly the bytes its members ask for", () => {
    fc.assert(
      fc.property(valid, ({ size, members, between }) => {
        const answer = selectRanges(`bytes=${members.map(write).join(between)}`, size, members.length);
        const asked = Array.from({ length: size }, (_, i) => i).filter((i) =>
          members.some((one) => selects(one, i, size)),
        );
        expect(answer.kind).toBe(asked.length === 0 ? "unsatisfiable" : "parts");
        if (answer.kind !== "parts") return;
        const selected = selectedBytes(answer.ranges).toSorted((a, b) => a - b);
        expect(selected).toEqual(asked);
      }),
      { numRuns: 2_000 },
    );
  });

  it("selectRanges() does return parts apart from each other, in order of first appearance", () => {
    fc.assert(
      fc.property(valid, ({ size, members, between }) => {
        const answer = selectRanges(`bytes=${members.map(write).join(between)}`, size, members.length);
        if (answer.kind !== "parts") return;
        const byStart = [...answer.ranges].toSorted((a, b) => a.start - b.start);
        byStart.reduce((previousEnd, { start, end }) => {
          expect(start).toBeGreaterThan(previousEnd);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(size);
          return end;
        }, -1);
        const appearances = answer.ranges.map((range) =>
          members.findIndex((one) => selectedBytes([range]).some((i) => selects(one, i, size))),
        );
        expect(appearances).toEqual([...appearances].toSorted((a, b) => a - b));
      }),
      { numRuns: 2_000 },
    );
  });

  it("selectRanges() does answer whole as soon as there are too many members", () => {
    fc.assert(
      fc.property(valid, ({ size, members, between }) => {
        const header = `bytes=${members.map(write).join(between)}`;
        expect(selectRanges(header, size, members.length - 1)).toEqual(whole);
      }),
    );
  });
});

describe("garbage", () => {
  const unit = fc.constantFrom(..."bytes=0129-, \t*\u00e9".split(""));
  const noise = fc.string({ unit, maxLength: 40 });
  const wellFormed = fc
    .tuple(fc.array(member, { minLength: 1, maxLength: 3 }), separator)
    .map(([members, between]) => `bytes=${members.map(write).join(between)}`);
  /** A character taken away, put in, or in place of another. */
  const damage = fc.record({
    at: fc.nat({ max: 20 }),
    taken: fc.nat({ max: 1 }),
    put: fc.string({ unit, maxLength: 1 }),
  });
  const damaged = fc
    .tuple(wellFormed, fc.array(damage, { minLength: 1, maxLength: 2 }))
    .map(([text, damages]) =>
      damages.reduce((said, { at, taken, put }) => said.slice(0, at) + put + said.slice(at + taken), text),
    );

  it("selectRanges() does neither throw nor leave the representation", () => {
    let reached = 0;
    const text = fc.oneof(noise, fc.string()).chain((given) => fc.constantFrom(given, `bytes=${given}`));
    fc.assert(
      fc.property(fc.oneof(text, damaged), fc.oneof(fc.nat(), fc.nat({ max: 30 })), (given, size) => {
        const answer = selectRanges(given, size, MAX_PARTS);
        if (answer.kind !== "parts") return;
        reached += 1;
        expect(answer.ranges.length).toBeGreaterThan(0);
        expect(answer.ranges.length).toBeLessThanOrEqual(MAX_PARTS);
        for (const { start, end } of answer.ranges) {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(start).toBeLessThan(end);
          expect(end).toBeLessThanOrEqual(size);
        }
      }),
      { numRuns: 2_000 },
    );
    expect(reached).toBeGreaterThan(200);
  });

  // A quadratic reading of a megabyte takes minutes, so the limit is far from either outcome.
  const MEGABYTE = 1_000_000;
  it.each([
    ["digits", `bytes=${"9".repeat(MEGABYTE)}-${"9".repeat(MEGABYTE)}`],
    ["zeros", `bytes=${"0".repeat(MEGABYTE)}-`],
    ["commas", `bytes=${",".repeat(MEGABYTE)}0-`],
    ["spaces", `bytes=${" ".repeat(MEGABYTE)}x`],
    ["spaces inside", `bytes=0-${" ".repeat(MEGABYTE)}x`],
    ["dashes", `bytes=${"-".repeat(MEGABYTE)}`],
    ["members", `bytes=${"0-,".repeat(MEGABYTE / 3)}`],
    ["spaced commas", `bytes=${" ,".repeat(MEGABYTE / 2)}`],
  ])("selectRanges() does read a megabyte of %s in linear time", (_case, header) => {
    const began = performance.now();
    selectRanges(header, 100, Number.POSITIVE_INFINITY);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe("Content-Range", () => {
  it("contentRange() does write the last position inclusively", () => {
    expect(contentRange({ start: 0, end: 10 }, 100)).toBe("bytes 0-9/100");
    expect(contentRange({ start: 99, end: 100 }, 100)).toBe("bytes 99-99/100");
  });

  it("unsatisfiedContentRange() does write the size alone", () => {
    expect(unsatisfiedContentRange(100)).toBe("bytes */100");
    expect(unsatisfiedContentRange(0)).toBe("bytes */0");
  });
});
