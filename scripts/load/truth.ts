import type { Unit } from "./catalogue.ts";
import { valueAt, valuesBetween, type History } from "./history.ts";

/** What happened at an origin, in the order in which it was written down; all times are of one clock, in milliseconds since 1970. */
export type Change =
  | {
      readonly kind: "push-began";
      readonly unit: Unit;
      /** Of the unit's one branch, from 1; 0 is what it began with. */
      readonly commit: number;
      readonly path: string;
      /** The path's, from 1. */
      readonly revision: number;
      readonly atMs: number;
    }
  | {
      readonly kind: "push-ended" | "push-told";
      readonly unit: Unit;
      readonly commit: number;
      readonly atMs: number;
    }
  /** A right, a visibility or a status; a first one has the time 0. */
  | { readonly kind: "fact"; readonly name: string; readonly value: string | boolean; readonly atMs: number };

/** What somebody may read, and the fact that it rests on. */
export type Right = { readonly fact: string; readonly who: string; readonly unit: Unit };

type Push = {
  readonly path: string;
  readonly revision: number;
  readonly beganMs: number;
  endedMs?: number;
  toldMs?: number;
};

/** When a question was asked and its answer complete. */
export type Asked = { readonly askedMs: number; readonly answeredMs: number };

/** For how long what was once true may still be shown, in milliseconds. */
export type Bounds = {
  readonly grantMs: number;
  readonly denialMs: number;
  readonly refMs: number;
  readonly listMs: number;
  /** From the answer to a webhook on, nothing older may be shown. */
  readonly toldMs: number;
};

/** What may be shown to whom, and in which revision: the one place that knows. */
export type Truth = {
  add(changes: readonly Change[]): void;
  /** Whether somebody may be shown something of a unit: they were allowed to at some time within the bound. */
  mayShow(who: string, unit: Unit, asked: Asked): boolean;
  /** Whether somebody has to be shown it: they were allowed to, with a credential that is good, for long enough. */
  mustShow(who: string, unit: Unit, asked: Asked): boolean;
  /** Whether anybody at all may read a unit, or might a moment ago. */
  mayBePublic(unit: Unit, asked: Asked): boolean;
  /** The revisions of a path that an answer may show. */
  revisions(unit: Unit, path: string, asked: Asked): readonly number[];
  /** The values a fact may be shown with. */
  values(name: string, asked: Asked): readonly (string | boolean)[];
  /** The paths that were pushed last, of all units. */
  pushed(): readonly { readonly unit: Unit; readonly path: string }[];
  /** Who was once allowed to read what, and has not been for longer than the bound. */
  withdrawn(nowMs: number): readonly { readonly who: string; readonly unit: Unit }[];
};

const RECENT_PUSHES = 3;

/** Somebody without any credential. */
export const ANYBODY = "anybody";

export const memberFact = (who: string, unit: Unit) => `member:${who}:${unit}`;
export const credentialFact = (who: string) => `credential:${who}`;
export const openFact = (unit: Unit) => `open:${unit}`;
export const statusFact = (pipeline: number) => `status:${pipeline}`;

export function createTruth(bounds: Bounds): Truth {
  const facts = new Map<string, History<string | boolean>>();
  const pushes = new Map<Unit, Push[]>();

  function add(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind === "fact") addTo(facts, change.name, { atMs: change.atMs, value: change.value });
      else if (change.kind === "push-began") addTo(pushes, change.unit, { ...change, beganMs: change.atMs });
      else mark(change);
    }
  }

  function mark({ kind, unit, commit, atMs }: Extract<Change, { kind: "push-ended" | "push-told" }>): void {
    const push = pushes.get(unit)?.[commit - 1];
    if (push === undefined) throw new Error(`Nothing is known of the commit ${commit} of ${unit}`);
    push[kind === "push-ended" ? "endedMs" : "toldMs"] = atMs;
  }

  const at = (name: string, timeMs: number) => valueAt(facts.get(name) ?? [], timeMs) === true;

  const isOpen = (unit: Unit, timeMs: number) => at(openFact(unit), timeMs);

  function isMember(who: string, unit: Unit, timeMs: number): boolean {
    return at(credentialFact(who), timeMs) && at(memberFact(who, unit), timeMs);
  }

  /** Times at which the right may have become another one, and the first of them all. */
  function turns(who: string, unit: Unit, fromMs: number, toMs: number): number[] {
    const names = [credentialFact(who), memberFact(who, unit), openFact(unit)];
    const times = names.flatMap((name) => (facts.get(name) ?? []).map(({ atMs }) => atMs));
    return [fromMs, ...times.filter((time) => time > fromMs && time <= toMs)];
  }

  const mayShow = (who: string, unit: Unit, { askedMs, answeredMs }: Asked) =>
    turns(who, unit, askedMs - bounds.grantMs, answeredMs).some(
      (time) => isOpen(unit, time) || isMember(who, unit, time),
    );

  const mustShow = (who: string, unit: Unit, { askedMs, answeredMs }: Asked) =>
    turns(who, unit, askedMs - bounds.denialMs, answeredMs).every(
      (time) =>
        (who === ANYBODY || at(credentialFact(who), time)) &&
        (isOpen(unit, time) || isMember(who, unit, time)),
    );

  /** The commits that the branch may be shown at: from the oldest within the bound to the newest that has begun. */
  function commits(
    unit: Unit,
    { askedMs, answeredMs }: Asked,
  ): { readonly oldest: number; readonly newest: number } {
    const known = pushes.get(unit) ?? [];
    const isPast = (push: Push) =>
      (push.endedMs ?? Number.POSITIVE_INFINITY) < askedMs - bounds.refMs ||
      (push.toldMs ?? Number.POSITIVE_INFINITY) < askedMs - bounds.toldMs;
    const oldest = known.findLastIndex(isPast) + 1;
    const newest = known.findLastIndex(({ beganMs }) => beganMs <= answeredMs) + 1;
    return { oldest, newest: Math.max(oldest, newest) };
  }

  function revisions(unit: Unit, path: string, asked: Asked): number[] {
    const { oldest, newest } = commits(unit, asked);
    const known = pushes.get(unit) ?? [];
    const first = known.slice(0, oldest).findLast((push) => push.path === path)?.revision ?? 0;
    const later = known.slice(oldest, newest).filter((push) => push.path === path);
    return [first, ...later.map(({ revision }) => revision)];
  }

  const pushed = () =>
    [...pushes].flatMap(([unit, all]) => all.slice(-RECENT_PUSHES).map(({ path }) => ({ unit, path })));

  function withdrawn(nowMs: number): { who: string; unit: Unit }[] {
    const asked = { askedMs: nowMs, answeredMs: nowMs };
    return [...facts].flatMap(([name, history]) => {
      const [kind, ...parts] = name.split(":");
      const [who, unit] = kind === "open" ? [ANYBODY, parts[0]] : parts;
      if (who === undefined || unit === undefined || mayShow(who, unit, asked)) return [];
      return history.some(({ value }) => value === true) ? [{ who, unit }] : [];
    });
  }

  return {
    add,
    mayShow,
    mustShow,
    mayBePublic: (unit, asked) => mayShow(ANYBODY, unit, asked),
    revisions,
    values: (name, { askedMs, answeredMs }) =>
      valuesBetween(facts.get(name) ?? [], askedMs - bounds.listMs, answeredMs),
    pushed,
    withdrawn,
  };
}

function addTo<Value>(map: Map<string, Value[]>, name: string, value: Value): void {
  const list = map.get(name);
  if (list === undefined) map.set(name, [value]);
  else list.push(value);
}
