import type { Site } from "./site.ts";

/** A path that no browser reads as another host: one slash, then neither a slash, a backslash nor white space. */
const PATH = /^\/(?:[^/\\\s]|$)/;

/** A `Location` of the origin's as clients of the site can follow it: its own address becomes the site's path. */
export function locationForSite(location: string, { origin }: Site): string {
  if (!location.startsWith(origin)) return location;
  const rest = location.slice(origin.length);
  if (rest === "" || rest.startsWith("?") || rest.startsWith("#")) return `/${rest}`;
  return PATH.test(rest) ? rest : location;
}
