import fc from "fast-check";
import { bytesOf, insist, textOf, type FuzzTarget } from "../../../scripts/fuzz/target.ts";
import { planMultipart } from "../../../src/core/multipart.ts";
import { selectRanges, type ByteRange, type RangeAnswer } from "../../../src/core/range.ts";
import { wantedOf } from "../../../src/core/wanted.ts";

export type RangeParts = {
  readonly selectRanges: typeof selectRanges;
  readonly wantedOf: typeof wantedOf;
};

/**
 * Input: the size, the most parts and a `Range` field, a line each. Held against RFC 9110 §14.1.2 and §14.2 read once more,
 * in whole numbers of any size and one member after the other.
 */
export function rangeTarget(parts: RangeParts = { selectRanges, wantedOf }): FuzzTarget {
  return {
    name: "range",
    holds: "text",
    mostBytes: 400,
    fresh,
    words: ["bytes=", "bytes", "-", ",", " ", "\t", "0-", "-0", "-1", "0-0", ",,", "9007199254740993"],
    check: (input) => check(parts, textOf(input)),
  };
}

/** Sizes stay below it, so that the framing around parts can be counted as well. */
const LARGEST = 2 ** 52;

const number = fc.oneof(
  { weight: 5, arbitrary: fc.nat(40).map(String) },
  fc.bigInt(2n ** 53n - 3n, 2n ** 53n + 3n).map(String),
  fc.constantFrom("", "00", "007", "99999999999999999999999"),
);
const member = fc.tuple(number, fc.constantFrom("-", "-", "-", "", "--"), number).map((all) => all.join(""));
const separator = fc.constantFrom(",", ", ", " ,\t", ",,");
const fresh = fc
  .record({
    size: fc.oneof(fc.nat(40), fc.constantFrom(0, 1, 2 ** 40, LARGEST)),
    most: fc.nat(6),
    unit: fc.constantFrom("bytes=", "bytes=", "bytes=", "Bytes=", "bytes =", "items="),
    members: fc.array(fc.tuple(member, separator), { maxLength: 7 }),
  })
  .map(({ size, most, unit, members }) =>
    bytesOf(`${size}\n${most}\n${unit}${members.flat().slice(0, -1).join("")}`),
  );

function check({ selectRanges: select, wantedOf: wanted }: RangeParts, text: string): string {
  const [sizeText = "", mostText = "", ...rest] = text.split("\n");
  const size = Math.min(Number(/^\d{1,16}/.exec(sizeText)?.[0] ?? 10), LARGEST);
  const mostParts = Number(/^\d{1,3}/.exec(mostText)?.[0] ?? 5);
  const header = rest.join("\n");
  const answer = select(header, size, mostParts);
  const expected = reference(header, BigInt(size), mostParts);
  insist(JSON.stringify(answer) === JSON.stringify(expected), "reads as RFC 9110 does", () => ({
    answer,
    expected,
  }));
  if (answer.kind === "parts" && answer.ranges.length > 1) insistOnFraming(answer.ranges, size);
  insistOnBlocks(wanted(header, { blockBytes: 8, mostBlocks: 3 }), header);
  return answer.kind === "parts" ? `${answer.kind} ${Math.min(answer.ranges.length, 4)}` : answer.kind;
}

type Interval = { readonly first: bigint; readonly last: bigint };

/** Every member by itself, then those that overlap or touch put together, two at a time, until none do. */
function reference(header: string, size: bigint, mostParts: number): RangeAnswer {
  if (!/^bytes=/i.test(header)) return { kind: "whole" };
  const members = header
    .slice("bytes=".length)
    .split(",")
    .map((text) => text.replace(/^[ \t]+/, "").replace(/[ \t]+$/, ""))
    .filter((text) => text !== "");
  if (members.length === 0 || members.length > mostParts) return { kind: "whole" };
  const intervals: Interval[] = [];
  for (const each of members) {
    const asked = readMember(each, size);
    if (asked === "invalid") return { kind: "whole" };
    if (asked !== undefined) intervals.push(asked);
  }
  if (intervals.length === 0) return { kind: "unsatisfiable" };
  const ranges = together(intervals).map(({ first, last }) => ({
    start: Number(first),
    end: Number(last) + 1,
  }));
  return { kind: "parts", ranges };
}

function readMember(text: string, size: bigint): Interval | "invalid" | undefined {
  const suffix = /^-([0-9]+)$/.exec(text)?.[1];
  if (suffix !== undefined) {
    const length = BigInt(suffix) > size ? size : BigInt(suffix);
    return length === 0n ? undefined : { first: size - length, last: size - 1n };
  }
  const [, from, to] = /^([0-9]+)-([0-9]*)$/.exec(text) ?? [];
  if (from === undefined || to === undefined) return "invalid";
  if (to !== "" && BigInt(to) < BigInt(from)) return "invalid";
  if (BigInt(from) >= size) return undefined;
  return { first: BigInt(from), last: to === "" || BigInt(to) >= size ? size - 1n : BigInt(to) };
}

function together(intervals: readonly Interval[]): readonly Interval[] {
  const list = [...intervals];
  for (let one = 0; one < list.length; one += 1) {
    for (let other = one + 1; other < list.length; other += 1) {
      const [a, b] = [list[one]!, list[other]!];
      if (a.first > b.last + 1n || b.first > a.last + 1n) continue;
      list[one] = { first: a.first < b.first ? a.first : b.first, last: a.last > b.last ? a.last : b.last };
      list.splice(other, 1);
      other = one;
    }
  }
  return list;
}

function insistOnFraming(ranges: readonly ByteRange[], size: number): void {
  const plan = planMultipart(ranges, size, "text/plain", "boundary");
  const framed = plan.segments.flatMap((each) => (each.kind === "range" ? [each.range] : []));
  insist(
    JSON.stringify(framed) === JSON.stringify(ranges),
    "frames the parts that were asked for",
    () => framed,
  );
  let length = 0n;
  for (const each of plan.segments)
    length +=
      each.kind === "text"
        ? BigInt(each.bytes.byteLength)
        : BigInt(each.range.end) - BigInt(each.range.start);
  insist(plan.length === Number(length), "knows its length", () => plan.length);
}

/** What is asked of an object of unknown size: few whole blocks that begin with the first byte asked for. */
function insistOnBlocks(wanted: ReturnType<typeof wantedOf>, header: string): void {
  const parts = reference(header, 2n ** 53n, 1);
  insist(wanted?.kind !== "whole", "wants a part of what was asked in part", () => header);
  if (wanted?.kind !== "range") return;
  if (parts.kind !== "parts") return; // it will be answered as a whole, with these bytes too
  const [asked] = parts.ranges;
  const { start, end } = wanted;
  const isRight = asked !== undefined && start <= asked.start && asked.start < start + 8 && end > asked.start;
  insist(isRight && start % 8 === 0 && end % 8 === 0 && end - start <= 24, "wants few blocks", () => wanted);
}
