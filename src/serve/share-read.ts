import { BodyRefused } from "./body-reader.ts";
import type { Flights } from "./flights.ts";
import { shareWork } from "./shared-work.ts";
import type { Visit } from "./visit.ts";

/** What is read out of an archive once for everyone who wants it; but another asker's "no" is not ours. */
export async function shareRead<T>(
  visit: Visit,
  flights: Flights<T>,
  key: string,
  read: () => Promise<T>,
): Promise<T> {
  const { joined, result } = shareWork(visit, flights, key, read);
  try {
    return await result;
  } catch (error) {
    if (joined && error instanceof BodyRefused) return await read();
    throw error;
  }
}
