import { routeGitea } from "./route-gitea.ts";
import { routeGitlab } from "./route-gitlab.ts";
import { routeS3 } from "./route-s3.ts";
import type { SiteKind } from "./site.ts";
import { PASS, type PipelinesTarget, type Route } from "./target.ts";

/** What of a request tells what it asks for. */
export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  /** What the host name says before the site's own. */
  readonly bucket: string | undefined;
  readonly corsOrigin: string | undefined;
  /** How the client reached the site. */
  readonly scheme: PipelinesTarget["scheme"];
};

/** What a request asks for in the grammar of its site; only GET and HEAD of a known form are ever a target. */
export function route(kind: SiteKind, asked: Asked, pathBytes: number): Route {
  if (asked.method !== "GET" && asked.method !== "HEAD") return PASS;
  const answer = routeBy(kind, asked);
  if (answer.kind === "target" && asked.path.length > pathBytes)
    return { kind: "refused", problem: "path_too_long" };
  return answer;
}

function routeBy(kind: SiteKind, { path, search, bucket, corsOrigin, scheme }: Asked): Route {
  if (kind === "gitlab") return routeGitlab(path, search, scheme);
  return kind === "gitea" ? routeGitea(path, search, scheme) : routeS3(path, search, bucket, corsOrigin);
}
