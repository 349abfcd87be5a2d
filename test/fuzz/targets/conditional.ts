import fc from "fast-check";
import { bytesOf, insist, textOf, type FuzzTarget } from "../../../scripts/fuzz/target.ts";
import {
  evaluatePreconditions,
  rangeApplies,
  withQuotes,
  type PreconditionAnswer,
  type Preconditions,
  type Validators,
} from "../../../src/core/conditional.ts";
import { parseHttpDate } from "../../../src/core/http-date.ts";

export type ConditionalParts = {
  readonly evaluatePreconditions: typeof evaluatePreconditions;
  readonly rangeApplies: typeof rangeApplies;
  readonly parseHttpDate: typeof parseHttpDate;
};

/**
 * Input: the entity tag, `Last-Modified`, `If-Match`, `If-None-Match`, `If-Modified-Since`, `If-Unmodified-Since` and
 * `If-Range`, a line each, after a "=" where it is there at all. Held against RFC 9110 §13.1, §13.2.2 and §5.6.7 read once more.
 */
export function conditionalTarget(
  parts: ConditionalParts = { evaluatePreconditions, rangeApplies, parseHttpDate },
): FuzzTarget {
  return {
    name: "conditional",
    holds: "text",
    mostBytes: 500,
    fresh,
    words: [
      '"',
      "W/",
      'W/"a"',
      '"a"',
      "*",
      ",",
      ", ",
      "=",
      "\n=",
      "\t",
      "GMT",
      " GMT",
      ":60",
      ":59",
      "29 Feb",
      "1900",
      "2000",
      ...DATES,
    ],
    check: (input) => check(parts, textOf(input)),
  };
}

const DATES = [
  "Sun, 06 Nov 1994 08:49:37 GMT",
  "Sunday, 06-Nov-94 08:49:37 GMT",
  "Sun Nov  6 08:49:37 1994",
  "Mon, 07 Nov 1994 08:49:37 GMT",
  "Tue, 29 Feb 2000 23:59:60 GMT",
  "Thu, 01 Jan 1970 00:00:00 GMT",
  "Sunday, 31-Dec-69 23:59:59 GMT",
];
const tag = fc.constantFrom(
  '"a"',
  'W/"a"',
  '"b"',
  '""',
  '"a,b"',
  '"a b"',
  "*",
  "a",
  '"a',
  'w/"a"',
  '"\u00e9"',
);
const tags = fc.array(fc.tuple(tag, fc.constantFrom(",", ", ", " ,", ",,", " ")), { maxLength: 4 });
const list = tags.map((all) => all.flat().slice(0, -1).join(""));
const date = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...DATES) },
  fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31") })
    .map((each) => each.toUTCString()),
);
const optional = (value: fc.Arbitrary<string>) =>
  fc.option(
    value.map((text) => `=${text}`),
    { nil: "" },
  );
const fresh = fc
  .tuple(
    optional(tag),
    optional(date),
    optional(list),
    optional(list),
    optional(date),
    optional(date),
    optional(fc.oneof(tag, date)),
  )
  .map((lines) => bytesOf(lines.join("\n")));

function check(parts: ConditionalParts, text: string): string {
  const lines = text.split("\n").map((line) => (line.startsWith("=") ? line.slice(1) : null));
  const [
    etag,
    lastModified,
    ifMatch = null,
    ifNoneMatch = null,
    ifModifiedSince = null,
    ifUnmodifiedSince = null,
    ifRange = null,
  ] = lines;
  const current: Validators = { etag: etag ?? undefined, lastModified: lastModified ?? undefined };
  const conditions: Preconditions = { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince };
  const answer = parts.evaluatePreconditions(conditions, current);
  const expected = reference(conditions, current);
  insist(answer === expected, "weighs conditions in the order of RFC 9110", () => ({ answer, expected }));
  const applies = parts.rangeApplies(ifRange, current);
  insist(applies === rangeReference(ifRange, current), "applies If-Range as RFC 9110 does", () => ({
    applies,
  }));
  let dates = 0;
  for (const each of lines) {
    if (each === null) continue;
    const at = parts.parseHttpDate(each);
    insist(at === dateReference(each), "reads dates as RFC 9110 does", () => ({
      each,
      at,
      expected: dateReference(each),
    }));
    if (at !== undefined) dates += 1;
    insistOnQuotes(each);
  }
  return `${answer} ${applies} ${Math.min(dates, 4)}`;
}

/** RFC 9110 §13.2.2, step by step. */
function reference(conditions: Preconditions, { etag, lastModified }: Validators): PreconditionAnswer {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
  const modified = lastModified === undefined ? undefined : dateReference(lastModified);
  const against = (since: string | null) => (since === null ? undefined : dateReference(since));
  // 1. and 2.
  if (ifMatch !== null) {
    if (!isListed(ifMatch, etag, (one, other) => one === other && !one.startsWith("W/"))) return "failed";
  } else {
    const limit = against(ifUnmodifiedSince);
    if (limit !== undefined && modified !== undefined && modified > limit) return "failed";
  }
  // 3. and 4.
  if (ifNoneMatch !== null) {
    const isSame = isListed(
      ifNoneMatch,
      etag,
      (one, other) => one.replace(/^W\//, "") === other.replace(/^W\//, ""),
    );
    return isSame ? "not-modified" : "proceed";
  }
  const limit = against(ifModifiedSince);
  return limit !== undefined && modified !== undefined && modified <= limit ? "not-modified" : "proceed";
}

// oxlint-disable-next-line no-control-regex -- no tag has such characters
const TAG = /(?:W\/)?"[^"\u0000-\u001f\u007f]*"/;
const MEMBER = new RegExp(`^[ \\t,]*(${TAG.source})[ \\t]*(,|$)`);

/** A list is read up to the first member that is no entity tag. */
function isListed(
  text: string,
  etag: string | undefined,
  isSame: (one: string, other: string) => boolean,
): boolean {
  if (text === "*") return true;
  if (etag === undefined || !isTag(etag)) return false;
  let rest = text;
  for (let member = MEMBER.exec(rest); member !== null; member = MEMBER.exec(rest)) {
    if (isSame(member[1] ?? "", etag)) return true;
    rest = rest.slice(member[0].length);
  }
  return false;
}

function isTag(text: string): boolean {
  return new RegExp(`^${TAG.source}$`).test(text);
}

function rangeReference(ifRange: string | null, { etag, lastModified }: Validators): boolean {
  if (ifRange === null) return true;
  if (isTag(ifRange)) return ifRange.startsWith('"') && ifRange === etag;
  return dateReference(ifRange) !== undefined && ifRange === lastModified;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const FORMS = [
  /^(?<name>[A-Z][a-z]{2}), (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^(?<name>[A-Z][a-z]+day), (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^(?<name>[A-Z][a-z]{2}) (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];
const NAMES = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/** By the calendar, day by day of the year, without `Date`. */
function dateReference(text: string): number | undefined {
  for (const [form, pattern] of FORMS.entries()) {
    const fields = pattern.exec(text)?.groups;
    if (fields === undefined) continue;
    const { name = "", day = "", month = "", year = "", time = "" } = fields;
    const names = form === 1 ? NAMES : NAMES.map((each) => each.slice(0, 3));
    if (!names.includes(name) || !MONTHS.includes(month)) return undefined;
    const short = Number(year);
    const full = form !== 1 ? short : short < 70 ? 2000 + short : 1900 + short;
    return timeAt(full, MONTHS.indexOf(month), Number(day), time.split(":").map(Number));
  }
  return undefined;
}

function timeAt(
  year: number,
  month: number,
  day: number,
  [hour = 0, minute = 0, second = 0]: number[],
): number | undefined {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const lengths = LENGTHS.map((length, index) => (isLeap && index === 1 ? length + 1 : length));
  if (day < 1 || day > (lengths[month] ?? 0) || hour > 23 || minute > 59 || second > 60) return undefined;
  const before = year - 1;
  const leaps = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const days =
    365 * year +
    (year === 0 ? 0 : leaps + 1) -
    DAYS_BEFORE_1970 +
    lengths.slice(0, month).reduce((sum, each) => sum + each, 0);
  return ((((days + day - 1) * 24 + hour) * 60 + minute) * 60 + second) * 1000;
}

/** Of the years 0 (a leap year) to 1969. */
const DAYS_BEFORE_1970 = 719_528;

/** Quotes that a client left out are put in, and nothing else is changed. */
function insistOnQuotes(text: string): void {
  const quoted = withQuotes(text);
  const isQuoted = text.includes('"') || text.trim() === "*";
  const bare = (quoted ?? "")
    .replaceAll('"', "")
    .split(",")
    .map((each) => each.trim());
  const same =
    bare.join() ===
    text
      .split(",")
      .map((each) => each.trim())
      .join();
  insist(isQuoted ? quoted === text : same, "quotes bare tags", () => ({ text, quoted }));
}
