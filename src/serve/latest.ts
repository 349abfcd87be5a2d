import { formatCacheStatus } from "../core/cache-status.ts";
import type { Entry } from "../core/entry.ts";
import { insidePath } from "../core/inside-urls.ts";
import { credentialHeaders } from "../core/principal.ts";
import type { Target } from "../core/target.ts";
import { formatServerTiming } from "./trace.ts";
import type { Visit } from "./visit.ts";

/** Whether a target is answered by saying where it is just now, as GitLab's web does for the latest job of a name: links in a report then lead on. */
export function isMoving(target: Target): boolean {
  return target.lane === "artifact" && target.channel === "web" && target.job.kind === "latest";
}

/** Sends to the job that a latest one is; `undefined` where it is not known which, or nothing moves. */
export function redirectToJob({ site, target, trace }: Visit, { job }: Entry): Response | undefined {
  if (target.lane !== "artifact" || !isMoving(target) || job === undefined) return undefined;
  const location = insidePath({ ...target, job: { kind: "id", id: job } });
  return new Response(null, {
    status: 302,
    headers: {
      Location: location,
      "Cache-Control": "no-store",
      Vary: credentialHeaders(site.kind === "s3" ? "gitlab" : site.kind).join(", "),
      "Cache-Status": formatCacheStatus(trace.grant, trace.revision, trace.body),
      "Server-Timing": formatServerTiming(trace),
    },
  });
}
