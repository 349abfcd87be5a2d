/** A moment as MS-DOS has it, one word each (APPNOTE 4.4.6). */
export type DosTime = { readonly date: number; readonly time: number };

/** The first moment there is, 1980-01-01 00:00:00, and the last, 2107-12-31 23:59:58; in seconds since 1970. */
const FIRST_SECOND = Date.UTC(1980, 0, 1) / 1000;
const LAST_SECOND = Date.UTC(2107, 11, 31, 23, 59, 58) / 1000;

/**
 * The MS-DOS date and time in UTC of seconds since 1970 (APPNOTE 4.4.6), to two seconds; what is outside of its years is
 * the first or the last moment of them.
 *
 * ```text
 * date   15-9 year from 1980   8-5 month   4-0 day
 * time   15-11 hour   10-5 minute   4-0 seconds by two
 * ```
 */
export function dosTime(seconds: number): DosTime {
  const moment = new Date(Math.min(Math.max(seconds, FIRST_SECOND), LAST_SECOND) * 1000);
  const [year, month, day] = [moment.getUTCFullYear() - 1980, moment.getUTCMonth() + 1, moment.getUTCDate()];
  const [hour, minute, second] = [moment.getUTCHours(), moment.getUTCMinutes(), moment.getUTCSeconds()];
  return { date: (year << 9) | (month << 5) | day, time: (hour << 11) | (minute << 5) | (second >>> 1) };
}
