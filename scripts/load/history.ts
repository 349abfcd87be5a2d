/** A value that changes now and then, and when it did, in milliseconds since 1970. */
export type History<Value> = { readonly atMs: number; readonly value: Value }[];

/** The values that were true at some time from `fromMs` to `toMs`, both included. */
export function valuesBetween<Value>(history: History<Value>, fromMs: number, toMs: number): Value[] {
  const values: Value[] = [];
  for (const [index, { atMs, value }] of history.entries()) {
    const next = history[index + 1];
    if (atMs <= toMs && (next === undefined || next.atMs >= fromMs)) values.push(value);
  }
  return values;
}

/** The value at a time; `undefined` before the first one. */
export function valueAt<Value>(history: History<Value>, timeMs: number): Value | undefined {
  return history.findLast(({ atMs }) => atMs <= timeMs)?.value;
}
