import type { Site } from "./site.ts";

/** Our member of `CDN-Loop`: the name of the program and the site, so that two edges may stand in a row (RFC 8586 §2). */
export function loopMark({ host }: Site): string {
  return `forgefront; host="${host}"`;
}

/** Whether a request has been sent out by this very site before. */
export function hasLooped(cdnLoop: string | null, site: Site): boolean {
  return cdnLoop !== null && cdnLoop.split(",").some((member) => member.trim() === loopMark(site));
}
