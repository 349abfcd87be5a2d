import type { Chance } from "./chance.ts";

export type Mutation = {
  readonly chance: Chance;
  readonly words: readonly Uint8Array[];
  /** Another input, of which parts may be taken over. */
  readonly other: Uint8Array;
  readonly mostBytes: number;
};

type Change = (input: Uint8Array, mutation: Mutation) => Uint8Array;

/** Numbers at the edges of what one, two, four and eight bytes hold, lowest byte first, as binary formats have them. */
const EDGES = [0n, 1n, 0x7fn, 0xffn, 0x7fffn, 0xffffn, 0x7fff_ffffn, 0xffff_ffffn, 2n ** 53n, 2n ** 64n - 1n];
/** The same in digits. */
const NUMBERS = ["0", "1", "-1", "10", "255", "65535", "4294967295", "9007199254740993", "1e9", "00"];
const LF = 0x0a;
const MOST_CHANGES = 4;

/** An input changed in one to four places, by bytes, by words and numbers of its grammar, by lines, or with parts of another. */
export function mutate(input: Uint8Array, mutation: Mutation): Uint8Array {
  const { chance, mostBytes } = mutation;
  let changed = input;
  const changes = 1 + chance.below(MOST_CHANGES);
  for (let count = 0; count < changes; count += 1) changed = chance.pick(CHANGES)(changed, mutation);
  return changed.subarray(0, mostBytes);
}

const flipBit: Change = (input, { chance }) => {
  const at = chance.below(input.byteLength || 1);
  return overwrite(input, at, [(input[at] ?? 0) ^ (1 << chance.below(8))]);
};

const setByte: Change = (input, { chance }) =>
  overwrite(input, chance.below(input.byteLength || 1), [chance.below(256)]);

const nudgeByte: Change = (input, { chance }) => {
  const at = chance.below(input.byteLength || 1);
  return overwrite(input, at, [(input[at] ?? 0) + chance.below(9) - 4]);
};

const setEdge: Change = (input, { chance }) => {
  const width = chance.pick([1, 2, 4, 8]);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(chance.pick(EDGES));
  return overwrite(input, chance.below(input.byteLength || 1), bytes.subarray(0, width));
};

const drop: Change = (input, { chance }) => {
  const [start, end] = stretch(input, chance);
  return replace(input, start, end, []);
};

const repeat: Change = (input, { chance }) => {
  const [start, end] = stretch(input, chance);
  const at = chance.below(input.byteLength + 1);
  return replace(input, at, at, input.subarray(start, end));
};

const insertWord: Change = (input, { chance, words }) => {
  if (words.length === 0) return input;
  const at = chance.below(input.byteLength + 1);
  const [start, end] = chance.below(2) === 0 ? [at, at] : stretch(input, chance);
  return replace(input, start, end, chance.pick(words));
};

const splice: Change = (input, { chance, other }) => {
  const [start, end] = stretch(input, chance);
  const [from, until] = stretch(other, chance);
  return replace(input, start, end, other.subarray(from, until));
};

const crossOver: Change = (input, { chance, other }) => {
  const at = chance.below(input.byteLength + 1);
  return replace(input, at, input.byteLength, other.subarray(chance.below(other.byteLength + 1)));
};

const changeNumber: Change = (input, { chance }) => {
  const numbers = [...Buffer.from(input).toString("latin1").matchAll(/\d+/g)];
  if (numbers.length === 0) return input;
  const { index, 0: digits } = chance.pick(numbers);
  const near = String(Number(digits) + chance.below(5) - 2);
  const text = chance.below(2) === 0 ? near : chance.pick(NUMBERS);
  return replace(input, index, index + digits.length, Buffer.from(text, "latin1"));
};

const swapLines: Change = (input, { chance, other }) => {
  const lines = splitLines(input);
  const from = chance.below(2) === 0 ? lines : splitLines(other);
  lines[chance.below(lines.length)] = chance.pick(from);
  return joinLines(lines);
};

const CHANGES: readonly Change[] = [
  flipBit,
  setByte,
  nudgeByte,
  setEdge,
  drop,
  repeat,
  insertWord,
  insertWord,
  splice,
  crossOver,
  changeNumber,
  swapLines,
];

/** Short ones more often than long ones. */
function stretch({ byteLength }: Uint8Array, chance: Chance): readonly [start: number, end: number] {
  const start = chance.below(byteLength + 1);
  const most = chance.below(4) === 0 ? byteLength - start : Math.min(8, byteLength - start);
  return [start, start + chance.below(most + 1)];
}

function replace(input: Uint8Array, start: number, end: number, by: ArrayLike<number>): Uint8Array {
  const made = new Uint8Array(input.byteLength - (end - start) + by.length);
  made.set(input.subarray(0, start));
  made.set(by, start);
  made.set(input.subarray(end), start + by.length);
  return made;
}

function overwrite(input: Uint8Array, at: number, by: ArrayLike<number>): Uint8Array {
  return replace(input, at, Math.min(at + by.length, input.byteLength), by);
}

function splitLines(input: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let end = input.indexOf(LF); end !== -1; end = input.indexOf(LF, start)) {
    lines.push(input.subarray(start, end));
    start = end + 1;
  }
  return [...lines, input.subarray(start)];
}

function joinLines(lines: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [Uint8Array.of(LF), line])));
}
