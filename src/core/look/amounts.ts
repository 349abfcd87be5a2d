/** A count as people read it, in groups of three digits. */
export function shownCount(count: number): string {
  return NUMBER.format(count);
}

const NUMBER = new Intl.NumberFormat("en");

/** A share in percent: all of it and nothing of it are never rounded to. */
export function shownShare(part: number, whole: number): string {
  if (whole === 0) return "\u2013";
  const percent = (100 * part) / whole;
  const isRounded = (percent > 99.9 && part < whole) || (percent < 0.1 && part > 0);
  if (isRounded) return percent > 50 ? "> 99.9 %" : "< 0.1 %";
  return `${percent.toFixed(percent === 0 || percent === 100 ? 0 : 1)} %`;
}

/** So many a second. */
export function shownRate(count: number, ms: number): string {
  const rate = ms <= 0 ? 0 : (1000 * count) / ms;
  return `${rate >= 10 || rate === 0 ? shownCount(Math.round(rate)) : rate.toFixed(1)}/s`;
}

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
];

/** A time that has passed, in its largest unit. */
export function shownSpan(ms: number): string {
  const [name, unit] = UNITS.find(([, length]) => ms >= length) ?? ["s", 1000];
  return `${Math.max(0, Math.floor(ms / unit))} ${name}`;
}
