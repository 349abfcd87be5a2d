/** How a line of a file begins, and nothing else that a server sends. */
export const CONTENT_MARK = "FF|";

const LINE_BYTES = 64;
const BLOCK_LINES = 64;
const BLOCK_BYTES = BLOCK_LINES * LINE_BYTES;
const MOST_KEPT = 200;

/** A file, object or archive entry whose bytes say which one they are, of which revision, and where in it. */
export type MarkedContent = {
  /** In ASCII; short enough for a line. */
  readonly name: string;
  readonly revision: number;
  readonly bytes: number;
};

/**
 * The bytes from `start` up to `end` (half-open), one character a byte; what lies past the end is left out. Blocks of 4 KiB
 * differ in their first lines alone, so that k6 needs no second for three megabytes.
 */
export function contentOf(
  { name, revision, bytes }: MarkedContent,
  start = 0,
  end: number = Number.POSITIVE_INFINITY,
): string {
  const until = Math.min(end, bytes);
  if (start >= until) return "";
  const head = `${CONTENT_MARK}${name}@${revision}|`;
  const rest = restOfBlock(head);
  const first = Math.floor(start / BLOCK_BYTES);
  const last = Math.ceil(until / BLOCK_BYTES);
  const blocks: string[] = [];
  for (let block = first; block < last; block++) blocks.push(lineOf(`${head}block ${block}`), rest);
  const from = first * BLOCK_BYTES;
  return blocks.join("").slice(start - from, until - from);
}

const kept = new Map<string, string>();

function restOfBlock(head: string): string {
  const known = kept.get(head);
  if (known !== undefined) return known;
  const lines: string[] = [];
  for (let line = 1; line < BLOCK_LINES; line++) lines.push(lineOf(head + line));
  const rest = lines.join("");
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(head, rest);
  return rest;
}

function lineOf(text: string): string {
  if (text.length >= LINE_BYTES) throw new RangeError(`Cannot write ${text} in a line`);
  return `${text.padEnd(LINE_BYTES - 1, ".")}\n`;
}
