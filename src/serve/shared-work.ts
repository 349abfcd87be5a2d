import type { Flights } from "./flights.ts";
import type { Visit } from "./visit.ts";

/** Work of a flight, kept alive behind the response of whoever leads it or waits for it. */
export function shareWork<T>(
  { defer }: Visit,
  flights: Flights<T>,
  key: string,
  work: () => Promise<T>,
): { readonly joined: boolean; readonly result: Promise<T> } {
  const shared = flights.share(key, work);
  defer(shared.result.catch(() => undefined)); // whoever awaits it sees it fail; here it is only kept alive
  return shared;
}
