import { LIMITS } from "../core/config.ts";
import { isAlive } from "../core/freshness.ts";
import type { Refusal } from "../core/refusal.ts";
import { grantKey, holdKey, ownHoldKey } from "./keys.ts";
import type { Visit } from "./visit.ts";

/*
 * An origin that asks for quiet may mean a project, or one of those who ask (Rack::Attack looks at who asks before what for). Whoever was
 * told so is answered so until then. For others it counts, without the words, where both have been let in: a stranger does not close a
 * project, nor learns by it that there is one.
 */

/** Leaves an origin alone for as long as it asked (RFC 9110 §10.2.3, RFC 6585 §4). */
export function hold(visit: Visit, refusal: Refusal, seconds: number): void {
  const { denials, now } = visit.isolate.ports;
  const at = now();
  const held = { at, kind: "hold", until: at + seconds * 1000 } as const;
  const far = { coloS: seconds };
  visit.defer(denials.put(ownHoldKey(visit), { ...held, refusal }, far));
  if (!wasLetIn(visit)) return;
  const plain = { status: refusal.status, headers: [], body: "" };
  visit.defer(denials.put(holdKey(visit), { ...held, refusal: plain }, far));
}

/** What is to be said instead of asking, with the time that is left. */
export async function findHold(visit: Visit): Promise<Refusal | undefined> {
  const [own, all] = await Promise.all([
    findAt(visit, ownHoldKey(visit)),
    wasLetIn(visit) ? findAt(visit, holdKey(visit)) : undefined,
  ]);
  return own ?? all;
}

/** How long ago one who could read here was let in at most: their grant lives, or has not long ended. */
const LET_IN_MS = 2 * LIMITS.GRANT_S.max * 1000;

function wasLetIn(visit: Visit): boolean {
  const { grants, now } = visit.isolate.ports;
  const grant = grants.hot(grantKey(visit));
  return grant?.kind === "yes" && isAlive(grant.at, now(), LET_IN_MS);
}

async function findAt(visit: Visit, key: string): Promise<Refusal | undefined> {
  const { denials, now } = visit.isolate.ports;
  const held = await denials.find(key, (record) => record.kind === "hold" && record.until > now());
  return held?.record.kind === "hold"
    ? withRetryAfter(held.record.refusal, held.record.until - now())
    : undefined;
}

function withRetryAfter(refusal: Refusal, ms: number): Refusal {
  const others = refusal.headers.filter(([name]) => name !== "retry-after");
  return { ...refusal, headers: [...others, ["retry-after", String(Math.ceil(ms / 1000))]] };
}
