import { readTruth } from "../grape-truth.ts";

/** How one parameter of a list is read. */
export type Parameter = {
  /** Its one spelling; `undefined` for what the origin may not take, and should say so itself. */
  readonly read: (text: string) => string | undefined;
  /** The value, in that spelling, that says no more than its absence. */
  readonly fallback?: string;
  /** Whether it may stand several times; then neither their order nor their number says anything. */
  readonly isSet?: boolean;
};

export const TEXT: Parameter = { read: (text) => (text === "" ? undefined : text) };

/** A number from 1 in its plain spelling; one above the most is the most. */
export function count(most?: number, fallback?: string): Parameter {
  return { read: (text) => readCount(text, most), ...(fallback !== undefined && { fallback }) };
}

function readCount(text: string, most = Infinity): string | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? String(Math.min(Number(text), most)) : undefined;
}

/** One of several words, spelled exactly so; the words are parted by blanks. */
export function oneOf(words: string, fallback?: string): Parameter {
  const known = new Set(words.split(" "));
  return {
    read: (text) => (known.has(text) ? text : undefined),
    ...(fallback !== undefined && { fallback }),
  };
}

/** A truth value as Grape reads it (dry-types: `Params::Bool`), which takes `ON`, `On` and `on`, but not `oN`. */
export function truth(fallback?: "false"): Parameter {
  return { read: readWord, ...(fallback !== undefined && { fallback }) };
}

function readWord(text: string): string | undefined {
  const isCased = [text.toLowerCase(), text.toUpperCase(), capitalized(text)].includes(text);
  return isCased ? readTruth(text)?.toString() : undefined;
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();
}

const TIME =
  /^([12]\d{3})-(\d\d)-(\d\d)(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?)?$/;

/** A date, or date and time, of ISO 8601, kept as it is written: what is spelled differently is kept apart. */
export const TIMESTAMP: Parameter = {
  read: (text) => {
    const [, year, month, day] = TIME.exec(text) ?? [];
    if (day === undefined) return undefined;
    const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
    // A day or month that there is not has rolled over into another month
    return date.getUTCMonth() + 1 === Number(month) ? text : undefined;
  },
};
