const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const LONG_DAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day";
const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const TIME = "\\d{2}:\\d{2}:\\d{2}";

const IMF_FIXDATE = new RegExp(`^${DAY}, \\d{2} ${MONTH} \\d{4} ${TIME} GMT$`);
const RFC_850 = new RegExp(`^${LONG_DAY}, \\d{2}-${MONTH}-\\d{2} ${TIME} GMT$`);
const ASCTIME = new RegExp(`^${DAY} ${MONTH} (?:\\d{2}| \\d) ${TIME} \\d{4}$`);

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const MONTH_NAME_LENGTH = 3;

/** Two-digit years from here on are 19xx, those below are 20xx: nothing on the Web predates 1970. */
const CENTURY_PIVOT = 70;

type DateFields = {
  readonly year: number;
  readonly month: string;
  readonly day: string;
  readonly time: string;
};

/**
 * The milliseconds since 1970 that an HTTP-date names (RFC 9110 §5.6.7); undefined for any other text.
 *
 * The three formats are matched exactly, case included. The name of the day is not checked against
 * the date, and second 60 is the first of the next minute. The two-digit years of RFC 850 are read
 * by a fixed pivot, 70-99 as 1970-1999 and 00-69 as 2000-2069. The RFC has them slide with the
 * clock, 50 years ahead; the two differ only for dates decades in the future, here read as past.
 */
export function parseHttpDate(text: string): number | undefined {
  const fields = imfFixdateFields(text) ?? rfc850Fields(text) ?? asctimeFields(text);
  return fields === undefined ? undefined : toMilliseconds(fields);
}

function imfFixdateFields(text: string): DateFields | undefined {
  if (!IMF_FIXDATE.test(text)) return undefined;
  // Sun, 06 Nov 1994 08:49:37 GMT
  // 0    5  8   12   17
  return {
    year: Number(text.slice(12, 16)),
    month: text.slice(8, 11),
    day: text.slice(5, 7),
    time: text.slice(17, 25),
  };
}

function rfc850Fields(text: string): DateFields | undefined {
  if (!RFC_850.test(text)) return undefined;
  const date = text.slice(text.indexOf(" ") + 1);
  // 06-Nov-94 08:49:37 GMT
  // 0  3   7  10
  const year = Number(date.slice(7, 9));
  return {
    year: year + (year < CENTURY_PIVOT ? 2000 : 1900),
    month: date.slice(3, 6),
    day: date.slice(0, 2),
    time: date.slice(10, 18),
  };
}

function asctimeFields(text: string): DateFields | undefined {
  if (!ASCTIME.test(text)) return undefined;
  // Sun Nov  6 08:49:37 1994
  // 0   4   8  11       20
  return {
    year: Number(text.slice(20, 24)),
    month: text.slice(4, 7),
    day: text.slice(8, 10),
    time: text.slice(11, 19),
  };
}

function toMilliseconds({ year, month, day, time }: DateFields): number | undefined {
  const hour = Number(time.slice(0, 2));
  const minute = Number(time.slice(3, 5));
  const second = Number(time.slice(6, 8));
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(0);
  // Date.UTC would read the years 0000 to 0099 as 1900 to 1999.
  date.setUTCFullYear(year, MONTHS.indexOf(month) / MONTH_NAME_LENGTH, Number(day));
  // A day that the month does not have has rolled over into another month.
  if (date.getUTCDate() !== Number(day)) return undefined;
  return date.setUTCHours(hour, minute, second);
}
