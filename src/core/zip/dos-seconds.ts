/**
 * The seconds since 1970 of an MS-DOS date and time taken as UTC (APPNOTE 4.4.6), which have no zone of their own; 0 where
 * there is no such day or time.
 *
 * ```text
 * date   15-9 year from 1980   8-5 month   4-0 day
 * time   15-11 hour   10-5 minute   4-0 seconds by two
 * ```
 */
export function dosSeconds(date: number, time: number): number {
  const [year, month, day] = [1980 + (date >>> 9), ((date >>> 5) & 0xf) - 1, date & 0x1f];
  const [hour, minute, second] = [time >>> 11, (time >>> 5) & 0x3f, (time & 0x1f) * 2];
  if (hour > 23 || minute > 59 || second > 59) return 0;
  const moment = new Date(Date.UTC(year, month, day, hour, minute, second));
  // Date.UTC carries the 31st of February over into March.
  const isDay = moment.getUTCMonth() === month && moment.getUTCDate() === day;
  return isDay ? moment.getTime() / 1000 : 0;
}
