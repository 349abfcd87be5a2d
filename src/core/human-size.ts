const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];
const STEP = 1024;
/** 1024 of the smaller unit is never shown, so what would round to it is the larger one's already. */
const ROUNDS_UP = 1023.5;

/** A number of bytes as people read it, in powers of 1024 (IEC 80000-13): three digits or so, as in `9.8 KiB` and `412 MiB`. */
export function humanSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= ROUNDS_UP && unit < UNITS.length - 1) {
    value /= STEP;
    unit += 1;
  }
  const digits = unit === 0 || value >= 9.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}
