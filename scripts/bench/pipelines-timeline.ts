/** When which state of something was current. Versions grow; times are milliseconds of one clock. */
export type Timeline = {
  /** From `atMs` on this version is the current one. */
  changed(version: number, atMs: number): void;
  /** How long a version had been superseded when it was sent: 0 while it was current. */
  ageMs(version: number, sentMs: number): number;
  /** How long each change took to be seen, of those that were, by somebody who was sent these versions in turn. */
  delaysMs(seen: readonly Seen[]): number[];
};

export type Seen = { readonly version: number; readonly sentMs: number };

export function createTimeline(first: Seen): Timeline {
  const states = [{ version: first.version, atMs: first.sentMs }];
  const indexes = new Map([[first.version, 0]]);

  function changed(version: number, atMs: number): void {
    const last = states.at(-1);
    if (last !== undefined && version <= last.version)
      throw new RangeError(`Version ${version} cannot come after ${last.version}`);
    indexes.set(version, states.push({ version, atMs }) - 1);
  }

  function ageMs(version: number, sentMs: number): number {
    const index = indexes.get(version);
    if (index === undefined) throw new RangeError(`There was no version ${version}`);
    const next = states[index + 1];
    return next === undefined ? 0 : Math.max(0, sentMs - next.atMs);
  }

  function delaysMs(seen: readonly Seen[]): number[] {
    const delays: number[] = [];
    let index = 1;
    for (const { version, sentMs } of seen) {
      for (; index < states.length; index++) {
        const state = states[index];
        if (state === undefined || state.version > version) break;
        delays.push(sentMs - state.atMs);
      }
    }
    return delays;
  }

  return { changed, ageMs, delaysMs };
}
