import type { Entry } from "../core/entry.ts";
import type { Grant } from "../core/grant.ts";
import type { Revision } from "../core/revision.ts";
import type { Records } from "../core/store.ts";
import type { Target } from "../core/target.ts";
import type { RequestRecord } from "../core/telemetry.ts";
import { grantLifetime } from "./admit.ts";
import { NOBODY } from "./asker.ts";
import { bodyKey, grantKey, revisionKey, writtenKeys } from "./keys.ts";
import { questionNow } from "./questions.ts";
import { revisionLifetime } from "./resolve.ts";
import { revisionsOf } from "./revisions.ts";
import { respond } from "./respond.ts";
import type { Asker, Isolate, Visit } from "./visit.ts";

/** A fact in memory that an answer rests on: while it is the very same record, it says the same. */
type Footing<T> = { readonly key: string; readonly record: T | undefined };

/** An answer from memory that was made once and would be made the same way again. */
type Ready = {
  readonly grant: Footing<Grant>;
  /** The grant of anonymous askers, which decides whether the answer is public. */
  readonly anonymous: Footing<Grant>;
  readonly revision: (Footing<Revision> & { readonly in: Records<Revision> }) | undefined;
  /** What was last written of an object, and of its bucket. */
  readonly writes: readonly Footing<Revision>[];
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
export function giveReady({ ports }: Isolate, asker: Asker, target: Target): Response | undefined {
  const ready = answers.get(asker)?.get(target);
  const now = ports.now();
  if (ready === undefined || now >= ready.until) return undefined;
  const { grant, anonymous, revision } = ready;
  if (ports.grants.hot(grant.key) !== grant.record) return undefined;
  if (anonymous.record !== undefined && ports.grants.hot(anonymous.key) !== anonymous.record)
    return undefined;
  if (revision !== undefined && revision.in.hot(revision.key) !== revision.record) return undefined;
  for (const { key, record } of ready.writes) if (ports.objects.hot(key) !== record) return undefined;
  const bytes = ports.hot.get(ready.bodyKey);
  if (bytes === undefined) return undefined;
  ports.telemetry.request(ready.counted, now);
  return respond(bytes, { headers: ready.headers });
}

/** Remembers the answer to a plain GET that memory alone has given. */
export function rememberReady(
  visit: Visit,
  entry: Entry,
  made: { headers: Headers; counted: RequestRecord },
): void {
  const { isolate, target } = visit;
  const { ports } = isolate;
  const { question } = questionNow(visit);
  if (question.via === "replay" || (target.lane === "object" && target.literal !== undefined)) return; // a "no" to the one name would have to be looked for as well
  const grant = footing(ports.grants, grantKey(visit));
  const anonymous = footing(ports.grants, grantKey(visit, NOBODY));
  const key = revisionKey(visit, question);
  const revision =
    key === undefined ? undefined : { ...footing(revisionsOf(visit), key), in: revisionsOf(visit) };
  if (grant.record === undefined || (revision !== undefined && revision.record === undefined)) return;

  const now = visit.trace.startedAt;
  const ends = [
    nextSecond(visit.trace.validatedAt, now),
    lookAgain(grant.record.at, now, grantLifetime(visit, grant.record)),
  ];
  if (anonymous.record !== undefined) {
    ends.push(lookAgain(anonymous.record.at, now, grantLifetime(visit, anonymous.record)));
  }
  if (revision?.record !== undefined) {
    ends.push(lookAgain(revision.record.at, now, revisionLifetime(visit, revision.record)));
  }
  const ready: Ready = {
    grant,
    anonymous,
    revision,
    writes:
      target.lane === "object" ? writtenKeys(visit, target).map((each) => footing(ports.objects, each)) : [],
    bodyKey: bodyKey(visit, entry),
    ...made,
    until: Math.min(...ends),
  };
  const ofAsker = answers.get(visit.asker) ?? new WeakMap<Target, Ready>();
  ofAsker.set(visit.target, ready);
  answers.set(visit.asker, ofAsker);
}

function footing<T>(records: { hot(key: string): T | undefined }, key: string): Footing<T> {
  return { key, record: records.hot(key) };
}

/** When the whole seconds since (or until) a stamp will be others. */
function nextSecond(at: number, now: number): number {
  return now + 1000 - ((((now - at) % 1000) + 1000) % 1000);
}

/** When a fact shows another ttl, begins to age, or ends; an ageing one is looked at each time. */
function lookAgain(at: number, now: number, { soft, hard }: { soft: number; hard: number }): number {
  if (now >= at + soft) return now;
  return Math.min(nextSecond(at, now), at + soft, at + hard);
}
