import fc from "fast-check";
import { believed } from "../../../src/core/events/believed.ts";
import { merged, NO_CHANGES, withPush, type Changes } from "../../../src/core/events/changes.ts";
import type { PushEvent } from "../../../src/core/events/event.ts";
import type { Revision } from "../../../src/core/revision.ts";

export const MAIN = "refs/heads/main";

/* A repository with a true history, and what was told of it. */

export function pushEvent(ref: string, before: string | undefined, after: string | undefined): PushEvent {
  return { kind: "push", project: ["g/p"], ref, before, after, isOfCommits: true, defaultBranch: undefined };
}

export function refsOf(revision: Revision | undefined): Readonly<Record<string, string>> | undefined {
  if (revision?.kind !== "refs") return undefined;
  return Object.fromEntries(revision.refs.map(({ name, oid }) => [name, oid]));
}

type Step = { readonly ref: number; readonly what: "new" | "back" | "delete"; readonly pick: number };
type Telling = { readonly account: number; readonly delay: number; readonly isDefaultTold: boolean };
type State = Readonly<Record<string, string | undefined>>;
type TruePush = {
  readonly ref: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly at: number;
  readonly tellings: readonly Telling[];
};

const REFS = [MAIN, "refs/heads/dev", "refs/tags/v1"] as const;
const STEP_MS = 10;

const step = fc.record<Step>({
  ref: fc.constantFrom(0, 0, 1, 2),
  what: fc.constantFrom("new", "new", "new", "back", "delete"),
  pick: fc.nat({ max: 5 }),
});
const telling = fc.record<Telling>({
  account: fc.nat({ max: 2 }),
  delay: fc.oneof(fc.constantFrom(1, 2, 11), fc.integer({ min: 1, max: 120 })),
  isDefaultTold: fc.boolean(),
});
export const scene = fc.record({
  steps: fc.array(fc.tuple(step, fc.array(telling, { maxLength: 3 }), telling), {
    minLength: 1,
    maxLength: 10,
  }),
  start: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
  askedAt: fc.integer({ min: 1, max: 110 }),
  answeredAfter: fc.nat({ max: 15 }),
  until: fc.oneof(fc.constant(Infinity), fc.nat({ max: 240 })),
  order: fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
  isRightFirst: fc.boolean(),
  name: fc.constantFrom(undefined, "HEAD", "main", MAIN, "dev", "refs/heads/dev", "v1", "refs/tags/v1"),
  isListed: fc.boolean(),
  isRepeating: fc.boolean(),
  isLossy: fc.boolean(),
});
export type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never;

function historyOf({ steps, start, isRepeating, isLossy }: Scene): {
  readonly first: State;
  readonly pushes: readonly TruePush[];
} {
  const first = Object.fromEntries(REFS.map((ref, i) => [ref, start[i] === true ? `${ref} 0` : undefined]));
  const had = new Map(REFS.map((ref) => [ref, [first[ref]]]));
  const pushes: TruePush[] = [];
  for (const [index, [{ ref: number, what, pick }, some, one]] of steps.entries()) {
    const ref = REFS[number] ?? MAIN;
    const states = had.get(ref) ?? [];
    const before = states.at(-1);
    const fresh = `${ref} ${index + 1}`;
    const old = states[pick % states.length];
    const wanted = what === "new" ? fresh : what === "delete" ? undefined : old;
    const after = wanted === before ? fresh : wanted;
    if (!isRepeating && states.includes(after)) continue;
    states.push(after);
    pushes.push({ ref, before, after, at: (index + 1) * STEP_MS, tellings: isLossy ? some : [one, ...some] });
  }
  return { first, pushes };
}

function stateAt(first: State, pushes: readonly TruePush[], moment: number): State {
  const past = pushes.filter(({ at }) => at <= moment);
  const state = new Map([...Object.entries(first), ...past.map(({ ref, after }) => [ref, after] as const)]);
  return { ...Object.fromEntries(state), HEAD: state.get(MAIN) };
}

type Receipt = {
  readonly push: TruePush;
  readonly account: number;
  readonly at: number;
  readonly isDefaultTold: boolean;
};

function receiptsOf(pushes: readonly TruePush[], until: number): readonly Receipt[] {
  const all = pushes.flatMap((push) =>
    push.tellings.map(({ account, delay, isDefaultTold }) => ({
      push,
      account,
      at: push.at + delay,
      isDefaultTold,
    })),
  );
  return all.filter(({ at }) => at <= until).toSorted((one, other) => one.at - other.at);
}

function accountOf({ order, isRightFirst }: Scene, receipts: readonly Receipt[]): Changes {
  const accounts = order.map((number) =>
    receipts
      .filter(({ account }) => account === number)
      .reduce((changes, { push, at, isDefaultTold }) => {
        const event = pushEvent(push.ref, push.before, push.after);
        return withPush(changes, isDefaultTold ? { ...event, defaultBranch: "main" } : event, at);
      }, NO_CHANGES),
  );
  const [a = NO_CHANGES, b = NO_CHANGES, c = NO_CHANGES] = accounts;
  return isRightFirst ? merged(a, merged(b, c)) : merged(merged(a, b), c);
}

/** What the origin answered when it was asked; `undefined` where a commit was asked for that there was not. */
function learned({ name, isListed, askedAt }: Scene, state: State): Revision | undefined {
  const full = name === undefined ? undefined : fullName(name);
  if (isListed) {
    const refs = Object.entries(state).flatMap(([ref, oid]) =>
      oid !== undefined && (full === undefined || ref === full || ref === "HEAD") ? [{ name: ref, oid }] : [],
    );
    return { at: askedAt, kind: "refs", refs };
  }
  const oid = full === undefined ? undefined : state[full];
  return oid === undefined ? undefined : { at: askedAt, kind: "commit", oid };
}

export function fullName(name: string): string {
  return name === "HEAD" ? name : (REFS.find((ref) => ref === name || ref.endsWith(`/${name}`)) ?? name);
}

/** What a result says of the refs that it is of. */
function saidOf({ name }: Scene, result: Revision): State {
  const full = name === undefined ? undefined : fullName(name);
  if (result.kind === "commit") return { [full ?? ""]: result.oid };
  const refs = refsOf(result) ?? {};
  const all = full === undefined ? [...REFS, "HEAD"] : [full, "HEAD"];
  return Object.fromEntries(all.map((ref) => [ref, refs[ref]]));
}

export type Played = {
  readonly said: State | undefined;
  /** The states that each ref had from the answer on. */
  readonly since: readonly State[];
  readonly receipts: readonly Receipt[];
  readonly pushes: readonly TruePush[];
};

/** What is said of a repository in the end; `undefined` where there was nothing to learn. */
export function play(one: Scene): Played | undefined {
  const { first, pushes } = historyOf(one);
  const answeredAt = one.askedAt + one.answeredAfter;
  const record = learned(one, stateAt(first, pushes, answeredAt));
  if (record === undefined) return undefined;
  const receipts = receiptsOf(pushes, one.until);
  const result = believed(record, accountOf(one, receipts), one.name);
  const times = [answeredAt, ...pushes.map(({ at }) => at).filter((at) => at > answeredAt)];
  const since = times.map((moment) => stateAt(first, pushes, moment));
  return { said: result && saidOf(one, result), since, receipts, pushes };
}
