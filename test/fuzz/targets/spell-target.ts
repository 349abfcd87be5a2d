import type { ForgeKind } from "../../../src/core/site.ts";
import type { ArtifactTarget, Inside, PipelinesTarget, RawTarget } from "../../../src/core/target.ts";

type ForgeTarget = RawTarget | ArtifactTarget | PipelinesTarget;
type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** A URL of a forge that asks for a target and for nothing more, everything in it escaped. */
export function spellTarget(kind: ForgeKind, target: ForgeTarget): string {
  if (target.lane === "pipelines") return spellPipelines(kind, target);
  if (target.lane === "artifact") return spellArtifact(target);
  return kind === "gitlab" ? spellGitlab(target) : spellGitea(target);
}

function spellGitlab({ channel, project, name, variant }: RawTarget): string {
  if (channel === "api") {
    const api = `/api/v4/projects/${one(project)}/repository`;
    if (name.kind === "blob") return `${api}/blobs/${name.oid}/raw`;
    if (name.kind === "joined") throw new TypeError("The API names refs apart");
    const ref = name.kind === "commit" ? name.oid : name.ref;
    return `${api}/files/${one(name.path)}/raw${query({ ref, lfs: variant === "media" ? true : undefined })}`;
  }
  if (name.kind === "blob") throw new TypeError("The web has no blobs");
  const text =
    name.kind === "joined" ? name.text : `${name.kind === "commit" ? name.oid : name.ref}/${name.path}`;
  const refType = name.kind === "joined" && name.refs !== "any" ? name.refs : undefined;
  const inline = variant === "attachment" ? false : undefined;
  return `/${all(project)}/-/raw/${all(text)}${query({ ref_type: refType, inline })}`;
}

function spellGitea({ channel, project, name, variant }: RawTarget): string {
  const form = variant === "media" ? "media" : "raw";
  if (channel === "api") {
    const api = `/api/v1/repos/${all(project)}/${form}`;
    if (name.kind === "joined") return `${api}/${all(name.text)}`;
    if (name.kind === "blob") throw new TypeError("The API has no blobs");
    return `${api}/${all(name.path)}${query({ ref: name.kind === "commit" ? name.oid : name.ref })}`;
  }
  const web = `/${all(project)}/${form}`;
  if (name.kind === "blob") return `${web}/blob/${name.oid}`;
  if (name.kind === "commit") return `${web}/commit/${name.oid}/${all(name.path)}`;
  if (name.kind === "ref") throw new TypeError("The web names refs with the path");
  const by = { heads: "branch/", tags: "tag/", any: "" }[name.refs];
  return `${web}/${by}${all(name.text)}`;
}

function spellPipelines(kind: ForgeKind, { project, resource, query: text }: PipelinesTarget): string {
  const search = text === "" ? "" : `?${text}`;
  if (kind === "gitea")
    return `/api/v1/repos/${all(project)}/actions/${resource.kind === "list" ? "runs" : "tasks"}${search}`;
  const more = {
    list: "",
    tasks: "/none",
    latest: "/latest",
    pipeline: resource.kind === "pipeline" ? `/${resource.id}` : "",
    jobs: resource.kind === "jobs" ? `/${resource.pipeline}/jobs` : "",
  }[resource.kind];
  return `/api/v4/projects/${one(project)}/pipelines${more}${search}`;
}

function spellArtifact({ channel, project, job, fileType, inside }: ArtifactTarget): string {
  const jobs = channel === "web" ? `/${all(project)}/-/jobs` : `/api/v4/projects/${one(project)}/jobs`;
  const ref = job.kind === "id" ? "" : channel === "web" ? all(job.ref) : one(job.ref);
  const base = job.kind === "id" ? `${jobs}/${job.id}/artifacts` : `${jobs}/artifacts/${ref}`;
  const by = job.kind === "id" ? {} : { job: job.job };
  const isBare = channel === "api" && job.kind === "id";
  if (inside === undefined)
    return `${base}${isBare ? "" : "/download"}${query({ ...by, file_type: fileType })}`;
  if (inside.kind !== "entry" && inside.kind !== "tree" && inside.kind !== "browse")
    return `${base}${isBare ? "" : "/download"}${query({ ...by, format: inside.kind, path: inside.path })}`;
  if (inside.kind === "tree") return `${base}/tree${query(listing(inside))}`;
  if (inside.kind === "browse")
    return `${base}/browse/${all(inside.path)}${query({ ...by, page: inside.page })}`;
  const inline = inside.disposition === "attachment" ? false : undefined;
  const action = isBare ? "" : "/raw";
  return `${base}${action}/${all(inside.path)}${query({ ...by, inline })}`;
}

function listing({ path, isRecursive, page, perPage }: Extract<Inside, { kind: "tree" }>): Parameters {
  return { path, recursive: isRecursive, page, per_page: perPage };
}

/** As one segment, slashes escaped. */
function one(text: string): string {
  return encodeURIComponent(text);
}

function all(path: string): string {
  return path.split("/").map(one).join("/");
}

function query(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${one(String(value))}`],
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
