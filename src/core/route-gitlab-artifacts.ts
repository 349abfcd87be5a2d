import { innerPath } from "./inner-path.ts";
import { readInside } from "./inside-query.ts";
import { readQuery } from "./query.ts";
import { PASS, type ArtifactTarget, type Inside, type JobName, type Route } from "./target.ts";

const JOB_NUMBER = /^[1-9]\d{0,14}$/;
/** What a latest job is asked for by the web: the first of these words ends the ref. */
const ACTIONS = new Set(["download", "browse", "file", "raw"]);
const MALFORMED: Route = { kind: "refused", problem: "parameter_malformed" };

/** Reads what follows `projects/:id/jobs/` in the API (GitLab: "Job artifacts API"). */
export function routeApiArtifacts(project: string, rest: readonly string[], search: string): Route {
  const [job = "", artifacts, ...path] = rest;
  if (job === "artifacts") return routeApiLatest(project, rest.slice(1), search);
  if (!JOB_NUMBER.test(job) || artifacts !== "artifacts") return PASS;
  const asked = { channel: "api", project, job: { kind: "id", id: job }, fileType: undefined } as const;
  if (path.length === 0) return routeArchive(asked, search);
  if (path.length > 1 || path[0] !== "tree") return routeEntry(asked, path, "inline");
  const query = readQuery(search, ["path", "recursive", "page", "per_page"]);
  const inside = query && readInside("tree", query);
  return inside === undefined ? MALFORMED : routed(asked, inside);
}

function routeApiLatest(
  project: string,
  [ref = "", action, ...path]: readonly string[],
  search: string,
): Route {
  const query = readQuery(search, ["job", "search_recent_successful_pipelines"]);
  const job = query?.job;
  const isClear = !path.includes("raw") && path.at(-1) !== "download"; // else they may be parts of the ref
  if (job === undefined || job === "" || !isClear || ref.split("/").includes("")) return PASS;
  if (query?.search_recent_successful_pipelines !== undefined) return PASS; // it may mean another job
  const latest: JobName = { kind: "latest", ref, job };
  const asked = { channel: "api", project, job: latest, fileType: undefined } as const;
  if (action === "download" && path.length === 0) return routeArchive(asked, search);
  return action === "raw" && path.length > 0 ? routeEntry(asked, path, "inline") : PASS;
}

/** Reads what follows `-/jobs/` in the web (GitLab: `config/routes/project.rb`). */
export function routeWebArtifacts(project: string, rest: readonly string[], search: string): Route {
  const query = readQuery(search, ["job", "file_type", "inline", "page"]);
  if (query === undefined) return PASS;
  const [job = "", artifacts, ...asked] = rest;
  if (job !== "artifacts")
    return JOB_NUMBER.test(job) && artifacts === "artifacts"
      ? routeWeb({ project, job: { kind: "id", id: job }, asked, query, search })
      : PASS;
  const named = rest.slice(1);
  const split = named.findIndex((segment, index) => index > 0 && ACTIONS.has(segment));
  // A ref may hold such a word itself: then only the origin knows where it ends
  const isClear =
    split > 0 && (named[split] === "download" || !named.slice(split + 1).some((each) => ACTIONS.has(each)));
  if (!isClear || query.job === undefined || query.job === "") return PASS;
  const latest: JobName = { kind: "latest", ref: named.slice(0, split).join("/"), job: query.job };
  return routeWeb({ project, job: latest, asked: named.slice(split), query, search });
}

type WebAsked = {
  readonly project: string;
  readonly job: JobName;
  readonly asked: readonly string[];
  readonly query: { readonly file_type?: string; readonly inline?: string; readonly page?: string };
  readonly search: string;
};

function routeWeb({ project, job, asked: [action, ...path], query, search }: WebAsked): Route {
  const asked = { channel: "web", project, job, fileType: undefined } as const;
  if (action === "browse") {
    const inside = readInside("browse", {
      path: path.join("/"),
      ...(query.page !== undefined && { page: query.page }),
    });
    return inside === undefined ? MALFORMED : routed(asked, inside);
  }
  if (action === "file" || action === "raw")
    return routeEntry(asked, path, query.inline === "false" ? "attachment" : "inline");
  if (action !== "download" || path.length > 0) return PASS;
  const { file_type: fileType = "archive" } = query;
  if (fileType === "") return PASS; // in a key, it would be the archive
  if (fileType !== "archive") return routed({ ...asked, fileType }, undefined);
  return routeArchive(asked, search);
}

type Asked = Omit<ArtifactTarget, "lane" | "inside">;

/** The archive as it is, or made into another one by `format`. */
function routeArchive(asked: Asked, search: string): Route {
  const query = readQuery(search, ["format", "path"]);
  if (query === undefined) return MALFORMED;
  const { format } = query;
  if (format === undefined) return routed(asked, undefined);
  if (format !== "tar" && format !== "zip") return PASS;
  const inside = readInside(format, query);
  return inside === undefined ? MALFORMED : routed(asked, inside);
}

function routeEntry(asked: Asked, segments: readonly string[], disposition: "inline" | "attachment"): Route {
  const path = innerPath(segments.join("/"));
  if (path === undefined || path === "" || segments.at(-1)?.endsWith("/") === true) return PASS;
  return routed(asked, { kind: "entry", path, disposition, gzip: false });
}

function routed(asked: Asked, inside: Inside | undefined): Route {
  return { kind: "target", target: { lane: "artifact", ...asked, inside } };
}
