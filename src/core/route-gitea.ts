import { claimPath } from "./claim-path.ts";
import { isObjectId } from "./object-id.ts";
import { readQuery } from "./query.ts";
import { parseRequestPath } from "./request-path.ts";
import { routeGiteaActions } from "./route-gitea-actions.ts";
import {
  PASS,
  type Channel,
  type PipelinesTarget,
  type RawName,
  type Route,
  type Variant,
} from "./target.ts";

const API_PREFIX = "/api/v1/repos/";

/** Names no user or organisation can have (Gitea: `models/user`, reserved names). */
const RESERVED = new Set(
  (
    "- .well-known admin api assets attachments avatar avatars captcha commits debug devtest error explore " +
    "favicon.ico ghost issues login manifest.json metrics milestones new notifications org pulls repo " +
    "repo-avatars robots.txt search serviceworker.js ssh_info swagger.v1.json user v2"
  ).split(" "),
);

/**
 * Reads a Gitea or Forgejo URL: `raw` and `media` by branch, tag, commit, blob or default branch,
 * and the API's form (Gitea: `routers/web`, `routers/api/v1`); and the API's lists of workflow runs and tasks,
 * where it is told by which `scheme` clients reach the site.
 */
export function routeGitea(pathname: string, search: string, scheme?: PipelinesTarget["scheme"]): Route {
  if (!pathname.includes("/raw/") && !pathname.includes("/media/") && !isActions(pathname)) return PASS;
  return claimPath(parseRequestPath(pathname, "plain"), (segments) =>
    pathname.startsWith(API_PREFIX) ? routeApi(segments.slice(3), search, scheme) : routeWeb(segments),
  );
}

function isActions(pathname: string): boolean {
  return (
    (pathname.endsWith("/actions/runs") || pathname.endsWith("/actions/tasks")) &&
    pathname.startsWith(API_PREFIX)
  );
}

function routeWeb(segments: readonly string[]): Route {
  const [owner = "", repo = "", form, ...rest] = segments;
  const name = webName(rest);
  if (RESERVED.has(owner) || name === undefined) return PASS;
  return routed("web", `${owner}/${repo}`, form, name);
}

function webName(rest: readonly string[]): RawName | undefined {
  const [kind = "", ...named] = rest;
  const joined = named.join("/");
  if (kind === "branch" && named.length > 0)
    return named.length >= 2 ? { kind: "joined", text: joined, refs: "heads" } : undefined;
  if (kind === "tag" && named.length > 0)
    return named.length >= 2 ? { kind: "joined", text: joined, refs: "tags" } : undefined;
  if (kind === "commit" && named.length > 0) return named.length >= 2 ? commitName(named) : undefined;
  if (kind === "blob" && named.length === 1)
    return isObjectId(joined) ? { kind: "blob", oid: joined } : undefined;
  return rest.length === 0 ? undefined : { kind: "joined", text: rest.join("/"), refs: "any" };
}

function commitName(named: readonly string[]): RawName | undefined {
  const [oid = "", ...path] = named;
  return isObjectId(oid) ? { kind: "commit", oid, path: path.join("/") } : undefined;
}

function routeApi(
  segments: readonly string[],
  search: string,
  scheme: PipelinesTarget["scheme"] | undefined,
): Route {
  const [owner = "", repo = "", form, ...rest] = segments;
  if (form === "actions" && scheme !== undefined)
    return routeGiteaActions({ project: `${owner}/${repo}`, scheme }, rest, search);
  const query = readQuery(search, ["ref"]);
  if (query === undefined || rest.length === 0) return PASS;
  const path = rest.join("/");
  return routed("api", `${owner}/${repo}`, form, apiName(query.ref, path));
}

/** Without a ref the API guesses from the path, as the old web form does. */
function apiName(ref: string | undefined, path: string): RawName {
  if (ref === undefined || ref === "") return { kind: "joined", text: path, refs: "any" };
  return isObjectId(ref) ? { kind: "commit", oid: ref, path } : { kind: "ref", ref, path };
}

function routed(channel: Channel, project: string, form: string | undefined, name: RawName): Route {
  if (form !== "raw" && form !== "media") return PASS;
  const variant: Variant = form === "media" ? "media" : "";
  return { kind: "target", target: { lane: "raw", channel, project, name, variant } };
}
