import { makeKey } from "../core/key.ts";
import type { Site } from "../core/site.ts";

/*
 * Keys of what is told of a site by its events, by purges and by writes through the edge.
 */

/** Where it is told that an object was written; every version and form of it is another one since. */
export function writtenKey({ host }: Site, bucket: string, key: string): string {
  return makeKey("change", host, "object", bucket, key);
}

/** Where it is told that anything at all was told of a site. */
export function pulseKey({ host }: Site): string {
  return makeKey("change", host, "pulse");
}

/** Where it is told what changed of a project, by one of its names; forges do not tell paths by their case. */
export function changesKey({ host }: Site, project: string): string {
  return makeKey("change", host, "project", project.toLowerCase());
}

/** The same of groups of projects. */
export function groupsKey({ host }: Site): string {
  return makeKey("change", host, "groups");
}

/** Where a project's number is remembered by its path. */
export function numberKeyOf({ host }: Site, project: string): string {
  return makeKey("list", host, "number", project);
}
