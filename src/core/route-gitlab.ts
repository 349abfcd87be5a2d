import { claimPath } from "./claim-path.ts";
import { readTruth } from "./grape-truth.ts";
import { isObjectId } from "./object-id.ts";
import { readQuery } from "./query.ts";
import { parseRequestPath } from "./request-path.ts";
import { routeApiArtifacts, routeWebArtifacts } from "./route-gitlab-artifacts.ts";
import { routeGitlabPipelines } from "./route-gitlab-pipelines.ts";
import {
  PASS,
  type PipelinesTarget,
  type RawName,
  type RefKind,
  type Route,
  type Variant,
} from "./target.ts";

/** Top-level routes of GitLab, which no group can be named after (GitLab: "Reserved group names"). */
const TOP_LEVEL = new Set(
  (
    "- .well-known abuse_reports admin api apple-touch-icon.png assets dashboard explore " +
    "favicon.ico files groups health_check help import jwt login oauth profile projects public " +
    "robots.txt s search sitemap sitemap.xml slash-command-logo.png snippets unsubscribes uploads users v2"
  ).split(" "),
);

const API_PREFIX = "/api/v4/projects/";
const PROJECT_NUMBER = /^[1-9]\d{0,14}$/;
/** What GitLab takes for a commit id, though it is no full one in git's own spelling. */
const LIKE_OID = /^[0-9A-Fa-f]{40}/;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const ODD_REF = /[\u0000-\u0020\u007f\\]|\.\./;

/**
 * Reads a GitLab URL: the web's raw form with and without `/-/`, and the API's `files/:path/raw` and `blobs/:sha/raw`
 * (GitLab: "Repository files API", "Repositories API"); both doors to the artifacts of jobs; and the API's pipelines,
 * where it is told by which `scheme` clients reach the site.
 */
export function routeGitlab(pathname: string, search: string, scheme?: PipelinesTarget["scheme"]): Route {
  if (pathname.startsWith(API_PREFIX)) return routeApi(pathname, search, scheme);
  if (pathname.includes("/-/jobs/")) return routeJob(pathname, search);
  if (!pathname.includes("/raw/")) return PASS;
  return claimPath(parseRequestPath(pathname, "plain"), (segments) => routeWeb(segments, search));
}

function routeWeb(segments: readonly string[], search: string): Route {
  const dash = segments.indexOf("-");
  const raw = dash === -1 ? segments.indexOf("raw", 2) : dash + 1;
  const projectEnd = dash === -1 ? raw : dash;
  const rest = segments.slice(raw + 1);
  if (segments[raw] !== "raw" || projectEnd < 2 || rest.length < 2) return PASS;
  const project = segments.slice(0, projectEnd);
  if (TOP_LEVEL.has(segments[0] ?? "") || project.includes("raw", 2)) return PASS;
  const query = readQuery(search, ["inline", "ref_type"]);
  if (query === undefined) return PASS;
  const name = joinedName(rest, refKind(query.ref_type));
  if (name === undefined) return PASS;
  const variant: Variant = query.inline === "false" ? "attachment" : "";
  return {
    kind: "target",
    target: { lane: "raw", channel: "web", project: project.join("/"), name, variant },
  };
}

/** A directory may be asked for with a slash at its end, a file not: it would have two names. */
function routeJob(pathname: string, search: string): Route {
  const path = pathname.replace(/\/$/, "");
  const route = claimPath(parseRequestPath(path, "plain"), (segments) => {
    const dash = segments.indexOf("-");
    if (dash < 2 || segments[dash + 1] !== "jobs" || TOP_LEVEL.has(segments[0] ?? "")) return PASS;
    return routeWebArtifacts(segments.slice(0, dash).join("/"), segments.slice(dash + 2), search);
  });
  const isListing =
    route.kind === "target" && route.target.lane === "artifact" && route.target.inside?.kind === "browse";
  return path === pathname || isListing || route.kind === "refused" ? route : PASS;
}

function refKind(refType: string | undefined): RefKind {
  const kind = refType?.toLowerCase();
  return kind === "heads" || kind === "tags" ? kind : "any";
}

function joinedName(rest: readonly string[], refs: RefKind): RawName | undefined {
  const [first = "", ...path] = rest;
  if (refs !== "any") return { kind: "joined", text: rest.join("/"), refs };
  if (isObjectId(first)) return { kind: "commit", oid: first, path: path.join("/") };
  if (LIKE_OID.test(first)) return undefined;
  if (first === "HEAD") return { kind: "ref", ref: "HEAD", path: path.join("/") };
  return { kind: "joined", text: rest.join("/"), refs };
}

function routeApi(pathname: string, search: string, scheme: PipelinesTarget["scheme"] | undefined): Route {
  if (pathname.includes("/jobs/") && pathname.includes("/artifacts")) return routeApiJob(pathname, search);
  if (pathname.endsWith("/raw")) return routeApiRaw(pathname, search);
  if (scheme === undefined || !pathname.includes("/pipelines")) return PASS;
  return routeApiPipelines(pathname, search, scheme);
}

function routeApiRaw(pathname: string, search: string): Route {
  return claimPath(parseRequestPath(pathname, "encoded"), (segments) => {
    const [, , , project = "", repository, collection, item = "", raw, ...more] = segments;
    if (repository !== "repository" || raw !== "raw" || more.length > 0) return PASS;
    if (!isProject(project)) return PASS;
    if (collection === "blobs") return apiBlob(project, item);
    return collection === "files" ? apiFile(project, item, search) : PASS;
  });
}

function routeApiJob(pathname: string, search: string): Route {
  return claimPath(parseRequestPath(pathname, "encoded"), (segments) => {
    const [, , , project = "", jobs, ...rest] = segments;
    return jobs === "jobs" && isProject(project) ? routeApiArtifacts(project, rest, search) : PASS;
  });
}

function routeApiPipelines(pathname: string, search: string, scheme: PipelinesTarget["scheme"]): Route {
  return claimPath(parseRequestPath(pathname, "encoded"), (segments) => {
    const [, , , project = "", pipelines, ...rest] = segments;
    return pipelines === "pipelines" && isProject(project)
      ? routeGitlabPipelines({ project, scheme }, rest, search)
      : PASS;
  });
}

function isProject(id: string): boolean {
  return PROJECT_NUMBER.test(id) || (id.includes("/") && id.split("/").every((part) => part !== ""));
}

function apiBlob(project: string, oid: string): Route {
  if (!isObjectId(oid)) return PASS;
  const name: RawName = { kind: "blob", oid };
  return { kind: "target", target: { lane: "raw", channel: "api", project, name, variant: "" } };
}

function apiFile(project: string, path: string, search: string): Route {
  const query = readQuery(search, ["ref", "lfs"]);
  if (query === undefined || path.split("/").includes("")) return PASS;
  const { ref = "HEAD", lfs = "false" } = query;
  if (ref === "" || ODD_REF.test(ref)) return PASS;
  const name: RawName = isObjectId(ref) ? { kind: "commit", oid: ref, path } : { kind: "ref", ref, path };
  const isMedia = readTruth(lfs);
  if (isMedia === undefined) return PASS;
  const variant: Variant = isMedia ? "media" : "";
  return { kind: "target", target: { lane: "raw", channel: "api", project, name, variant } };
}
