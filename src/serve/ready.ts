import type { Entry } from "../core/entry.ts";
import type { Target } from "../core/target.ts";
import type { RequestRecord } from "../core/telemetry.ts";
import { NOBODY } from "./asker.ts";
import { groupsKey } from "./change-keys.ts";
import type { Answer } from "./counted.ts";
import { grantLifetime } from "./grant-life.ts";
import { bodyKey, changesKeyOf, grantKey, revisionKey, thereKey, writtenKeys } from "./keys.ts";
import { questionNow } from "./questions.ts";
import { revisionLifetime } from "./revision-life.ts";
import { revisionsOf } from "./revisions.ts";
import { respond } from "./respond.ts";
import { isToBeThere } from "./there.ts";
import type { Asker, Isolate, Visit } from "./visit.ts";
import { upToDateUntil } from "./watch.ts";

/** A fact in memory that an answer rests on: while it is the very same record, it says the same. */
type Footing = {
  readonly in: { hot(key: string): unknown };
  readonly key: string;
  readonly record: unknown;
};

/** An answer from memory that was made once and would be made the same way again. */
type Ready = {
  readonly footings: readonly Footing[];
  readonly bodyKey: string;
  readonly headers: Headers;
  readonly counted: RequestRecord;
  /** From then on it would show another age or ttl, or one of its facts must be looked at again. In milliseconds. */
  readonly until: number;
};

const answers = new WeakMap<Asker, WeakMap<Target, Ready>>();

/**
 * Gives an answer again, within the second in which it was made, if all it rests on still stands:
 * the same live grant, the same revision, and the body in memory. Only for a plain GET.
 */
export function giveReady({ ports }: Isolate, asker: Asker, target: Target): Answer | undefined {
  const ready = answers.get(asker)?.get(target);
  const now = ports.now();
  if (ready === undefined || now >= ready.until) return undefined;
  for (const { in: records, key, record } of ready.footings)
    if (records.hot(key) !== record) return undefined;
  const bytes = ports.hot.get(ready.bodyKey);
  if (bytes === undefined) return undefined;
  return { response: respond(bytes, { headers: ready.headers }), record: ready.counted };
}

type Made = { readonly headers: Headers; readonly counted: RequestRecord };

/** Remembers the answer to a plain GET that memory alone has given. */
export function rememberReady(visit: Visit, entry: Entry, made: Made): void {
  const { ports } = visit.isolate;
  const { target } = visit;
  const { question } = questionNow(visit);
  if (question.via === "replay" || (target.lane === "object" && target.literal !== undefined)) return; // a "no" to the one name would have to be looked for as well
  const key = isToBeThere(target) ? thereKey(visit) : revisionKey(visit, question);
  if (key === undefined) return keepReady(visit, entry, made, NOTHING_MORE);
  const revisions = revisionsOf(visit);
  const record = revisions.hot(key);
  if (record === undefined) return;
  const writes = target.lane === "object" ? Object.values(writtenKeys(visit, target)) : [];
  const more = {
    footings: [
      { in: revisions, key, record },
      ...writes.map((each) => ({ in: ports.writes, key: each, record: ports.writes.hot(each) })),
    ],
    until: Math.min(
      lookAgain(record.at, visit.trace.startedAt, revisionLifetime(visit, record)),
      ...writes.map((each) => upToDateUntil(visit.isolate, visit.site, each)),
    ),
  };
  keepReady(visit, entry, made, more);
}

/** What an answer rests on beside the grant, and until when. */
export type Rest = { readonly footings: readonly Footing[]; readonly until: number };

const NOTHING_MORE: Rest = { footings: [], until: Infinity };

/** Keeps an answer with all it rests on, for a target (`as`) that may be spelled otherwise than that which was looked up. */
export function keepReady(
  visit: Visit,
  entry: Entry,
  made: Made,
  { footings, until, as = visit.target }: Rest & { readonly as?: Target },
): void {
  const { isolate, site, target, trace } = visit;
  const { grants, changes, groups } = isolate.ports;
  const grant = grants.hot(grantKey(visit));
  const anonymous = grants.hot(grantKey(visit, NOBODY)); // decides whether the answer is public
  if (grant === undefined) return;
  const all: Footing[] = [{ in: grants, key: grantKey(visit), record: grant }, ...footings];
  const now = trace.startedAt;
  const ends = [
    until,
    nextSecond(trace.validatedAt, now),
    lookAgain(grant.at, now, grantLifetime(visit, grant)),
  ];
  if (anonymous !== undefined) {
    all.push({ in: grants, key: grantKey(visit, NOBODY), record: anonymous });
    ends.push(lookAgain(anonymous.at, now, grantLifetime(visit, anonymous)));
  }
  if (target.lane !== "object") {
    const key = changesKeyOf(visit, target);
    all.push({ in: changes, key, record: changes.hot(key) });
    all.push({ in: groups, key: groupsKey(site), record: groups.hot(groupsKey(site)) });
    ends.push(upToDateUntil(isolate, site, key), upToDateUntil(isolate, site, groupsKey(site)));
  }
  const ready: Ready = { footings: all, bodyKey: bodyKey(visit, entry), ...made, until: Math.min(...ends) };
  const ofAsker = answers.get(visit.asker) ?? new WeakMap<Target, Ready>();
  ofAsker.set(as, ready);
  answers.set(visit.asker, ofAsker);
}

/** When the whole seconds since (or until) a stamp will be others. */
function nextSecond(at: number, now: number): number {
  return now + 1000 - ((((now - at) % 1000) + 1000) % 1000);
}

/** When a fact shows another ttl, begins to age, or ends; an ageing one is looked at each time. */
export function lookAgain(
  at: number,
  now: number,
  { soft, hard }: { readonly soft: number; readonly hard: number },
): number {
  if (now >= at + soft) return now;
  return Math.min(nextSecond(at, now), at + soft, at + hard);
}
