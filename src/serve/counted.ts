import { UNUSED } from "../core/cache-status.ts";
import type { RequestRecord } from "../core/telemetry.ts";
import type { Arrival } from "./arrival.ts";
import { laneOf } from "./lane-of.ts";
import type { Isolate, Visit } from "./visit.ts";

/** A request that was refused before anything was looked for. */
export function countRefused({ ports }: Isolate, { site }: Arrival, response: Response): Response {
  const lane = site.kind === "s3" ? "object" : "raw";
  const unused = { grant: UNUSED, revision: UNUSED, body: UNUSED, hotBytes: 0 };
  ports.telemetry.request({ host: site.host, lane, status: response.status, ...unused }, ports.now());
  return response;
}

/** A request as it is counted. */
export function counted({ site, target, trace }: Visit, status: number): RequestRecord {
  const { grant, revision, body, hotBytes } = trace;
  return { host: site.host, lane: laneOf(target), status, grant, revision, body, hotBytes };
}
