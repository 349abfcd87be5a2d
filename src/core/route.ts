import { routeGitea } from "./route-gitea.ts";
import { routeGitlab } from "./route-gitlab.ts";
import type { SiteKind } from "./site.ts";
import { PASS, type Route } from "./target.ts";

const DIALECTS = { gitlab: routeGitlab, gitea: routeGitea } as const satisfies Record<SiteKind, unknown>;

/** What a URL asks for in the grammar of its site; only GET and HEAD of a known form are ever a target. */
export function route(
  kind: SiteKind,
  method: string,
  pathname: string,
  search: string,
  pathBytes: number,
): Route {
  if (method !== "GET" && method !== "HEAD") return PASS;
  const answer = DIALECTS[kind](pathname, search);
  if (answer.kind === "target" && pathname.length > pathBytes)
    return { kind: "refused", problem: "path_too_long" };
  return answer;
}
