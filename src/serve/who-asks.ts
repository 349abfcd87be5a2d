import type { Arrival } from "./arrival.ts";
import { findAsker, identify, type AskerParts } from "./asker.ts";
import { failureResponse } from "./problem-response.ts";
import { isDecidedByOrigin, readStoreAsker, storeAsker } from "./store-asker.ts";
import type { Asker, Isolate } from "./visit.ts";

type WhoParts = { readonly isolate: Isolate; readonly askers: AskerParts };

/** Who asks; a refusal where that is no one who may, and `undefined` where only the origin can tell. */
export async function whoAsks(
  { isolate, askers }: WhoParts,
  arrival: Arrival,
): Promise<Asker | Response | undefined> {
  const { site, headers } = arrival;
  if (site.kind !== "s3") return findAsker(askers, site, arrival) ?? (await identify(askers, site, arrival));
  if (isDecidedByOrigin(headers)) return undefined;
  const who = readStoreAsker(isolate.ports, site, arrival);
  if (who.kind === "refused") return failureResponse(arrival, { problem: who.problem });
  return await storeAsker(askers, who);
}
