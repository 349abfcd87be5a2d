import type { Answer } from "../core/dialect.ts";
import { Failure } from "../core/problem.ts";
import { retryAfterSeconds } from "../core/refusal.ts";
import { discard, readRefusal } from "./http.ts";

type Verdict = Exclude<Answer, { kind: "admitted" }>;

/** How long a store is left alone that says it is too busy and not for how long (S3: SlowDown). */
const SLOW_DOWN_S = 1;

/**
 * Reads a store's answer as a verdict; `undefined` where it is a yes, whose body the caller has yet to read or let go.
 * Each is about the one object. A redirect is not followed: the signature would not be good at the other place.
 */
export async function readStoreVerdict(response: Response, now: number): Promise<Verdict | undefined> {
  const { status } = response;
  if (status === 200 || status === 206) return undefined;
  if (status === 429 || status === 503) {
    const told = response.headers.get("retry-after");
    const seconds = told === null ? SLOW_DOWN_S : retryAfterSeconds(told, now);
    return { kind: "busy", refusal: await readRefusal(response), seconds };
  }
  if (status >= 500) {
    await discard(response);
    throw new Failure("origin_error", `Origin answered ${status}`);
  }
  if (status >= 400 && status !== 412 && status !== 416) {
    return { kind: "refused", refusal: await readRefusal(response), about: "scope" };
  }
  await discard(response);
  return { kind: "unclear" };
}
