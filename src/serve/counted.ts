import { UNUSED } from "../core/cache-status.ts";
import type { LaneName, RequestRecord } from "../core/telemetry.ts";
import type { Site } from "../core/site.ts";
import { laneOf } from "./lane-of.ts";
import type { Visit } from "./visit.ts";

/** An answer, and as what it is counted: by whoever gives it to the client, once. */
export type Answer = { readonly response: Response; readonly record: RequestRecord };

/** An answer that no cache had a part in: refused or failed before anything was looked for, or the origin's own. */
export function uncached(site: Site, lane: LaneName, response: Response): Answer {
  const unused = { grant: UNUSED, revision: UNUSED, body: UNUSED, hotBytes: 0 };
  return { response, record: { host: site.host, lane, status: response.status, ...unused } };
}

/** As what a request is counted whose target was not come to. */
export function siteLane({ kind }: Site): LaneName {
  return kind === "s3" ? "object" : "raw";
}

/** A request as it is counted. */
export function counted({ site, target, trace }: Visit, status: number): RequestRecord {
  const { grant, revision, body, hotBytes } = trace;
  return { host: site.host, lane: laneOf(target), status, grant, revision, body, hotBytes };
}
