import { humanSize } from "../human-size.ts";
import { LANE_NAMES } from "../telemetry.ts";
import { shownCount, shownRate, shownShare, shownSpan } from "./amounts.ts";
import type { Look } from "./colo-look.ts";
import { SLOT_MS } from "./isolate-look.ts";
import { sum } from "./sum.ts";

/** What the lanes that are cached have saved the origin: a proxy without a cache asks it once for each request. */
export function savedQuestions({ lanes: all }: Pick<Look, "lanes">): {
  readonly saved: number;
  readonly of: number;
} {
  const cached = LANE_NAMES.filter((lane) => lane !== "pass").map((lane) => all[lane]);
  const requests = sum(cached, ({ requests: count }) => count);
  const asked = sum(cached, (lane) => lane.asked);
  return { saved: Math.max(0, requests - asked), of: requests };
}

/** Over how long the rate of now is taken. */
const LATELY_MS = 30_000;

/** The few numbers that matter most. */
export function tiles(look: Look, now: number): string {
  const { saved, of } = savedQuestions(look);
  const { cache, origin } = look.bytes;
  const { body, grant } = look.held;
  const answers = sum(Object.values(look.lanes), (lane) => lane.requests);
  const failed = sum(Object.values(look.lanes), (lane) => lane.failed);
  const list = [
    ["Requests now", rateNow(look, now), `${shownCount(of)} in ${shownSpan(now - look.since)}`],
    ["Origin questions saved", shownShare(saved, of), `${shownCount(saved)} of ${shownCount(of)}`],
    [
      "Bytes from cache",
      shownShare(cache, cache + origin),
      `${humanSize(cache)}; ${humanSize(origin)} from the origin`,
    ],
    ["Answers with 5xx", shownCount(failed), shownShare(failed, answers)],
    [
      "In memory",
      humanSize(body.bytes),
      `${shownCount(body.entries)} bodies, ${shownCount(grant.entries)} grants`,
    ],
    ["Isolates seen", shownCount(look.isolates), "of this colo, in ten minutes"],
  ] as const;
  const cells = list.map(
    ([name, value, more]) => `<div><dt>${name}</dt><dd>${value}</dd><dd class="more">${more}</dd></div>`,
  );
  return `<dl class="tiles">${cells.join("")}</dl>`;
}

/** Requests a second, over the slots that are over. */
function rateNow({ pace, since }: Look, now: number): string {
  const until = now - (now % SLOT_MS);
  const from = Math.max(until - LATELY_MS, since);
  const lately = pace.filter(({ at }) => at + SLOT_MS > from && at < until);
  return shownRate(
    sum(lately, (slot) => slot.requests),
    until - from,
  );
}
