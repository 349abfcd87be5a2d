import type { Entry } from "../core/entry.ts";
import { insidePath } from "../core/inside-urls.ts";
import type { Target } from "../core/target.ts";
import { headersOfNoContent } from "./response-headers.ts";
import type { Visit } from "./visit.ts";

/** Whether a target is answered by saying where it is just now, as GitLab's web does for the latest job of a name: links in a report then lead on. */
export function isMoving(target: Target): boolean {
  return target.lane === "artifact" && target.channel === "web" && target.job.kind === "latest";
}

/** Sends to the job that a latest one is; `undefined` where it is not known which, or nothing moves. */
export function redirectToJob(visit: Visit, { job }: Entry): Response | undefined {
  const { target } = visit;
  if (target.lane !== "artifact" || !isMoving(target) || job === undefined) return undefined;
  const headers = headersOfNoContent(visit);
  headers.set("Location", insidePath({ ...target, job: { kind: "id", id: job } }));
  return new Response(null, { status: 302, headers });
}
