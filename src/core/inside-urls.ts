import { INNER_MARK } from "./inner-path.ts";
import { sendablePath } from "./object-path.ts";
import { encodePath } from "./request-path.ts";
import type { ArchiveTarget, ArtifactTarget, ObjectTarget } from "./target.ts";
import { uriEncodePath } from "./uri-encode.ts";
import type { BrowseUrls } from "./zip/browse-page.ts";

/** What an archive is called, and where what is inside of it is found, as paths of its own site. */
export type InsideUrls = { readonly title: string; readonly urls: BrowseUrls };

/** Of a job's archive, in the web's form. */
export function artifactUrls({ project, job }: ArtifactTarget): InsideUrls {
  const jobs = `/${encodePath(project)}/-/jobs`;
  const isLatest = job.kind === "latest";
  const base = isLatest ? `${jobs}/artifacts/${encodePath(job.ref)}` : `${jobs}/${job.id}/artifacts`;
  const query = (parameters: Record<string, string>) =>
    querystring(isLatest ? { job: job.job, ...parameters } : parameters);
  return {
    title: isLatest ? `Artifacts of ${job.job} on ${job.ref}` : `Artifacts of job ${job.id}`,
    urls: {
      file: (path) => `${base}/file/${encodePath(path)}${query({})}`,
      directory: (path, page) => `${base}/browse/${encodePath(path)}${query(pageParameter(page))}`,
      download: (path, format) => `${base}/download${query({ format, ...pathParameter(path) })}`,
      archive: `${base}/download${query({})}`,
    },
  };
}

/** What all files of an archive are below, as a source of a Content Security Policy. */
export function filesSource(host: string, target: ArchiveTarget, hostBucket: string | undefined): string {
  const path = target.lane === "object" ? `${objectPath(target, hostBucket)}!/` : artifactFilesPath(target);
  return `${host}${path}`.replaceAll(";", "%3B").replaceAll(",", "%2C"); // CSP Level 3 §2.3.1: they would end the source
}

function artifactFilesPath({ channel, project, job }: ArtifactTarget): string {
  const jobs =
    channel === "web"
      ? `/${encodePath(project)}/-/jobs`
      : `/api/v4/projects/${encodeURIComponent(project)}/jobs`;
  if (job.kind === "id") return `${jobs}/${job.id}/artifacts/`;
  return `${jobs}/artifacts/${channel === "web" ? encodePath(job.ref) : encodeURIComponent(job.ref)}/`;
}

/** Where the web has what a target asks for. */
export function insidePath(target: ArtifactTarget): string {
  const { urls } = artifactUrls(target);
  const { inside, fileType } = target;
  if (inside === undefined)
    return fileType === undefined ? urls.archive : withParameter(urls.archive, "file_type", fileType);
  if (inside.kind === "tar" || inside.kind === "zip") return urls.download(inside.path, inside.kind);
  if (inside.kind !== "entry") return urls.directory(inside.path, inside.kind === "browse" ? inside.page : 1);
  const file = urls.file(inside.path);
  return inside.disposition === "inline" ? file : withParameter(file, "inline", "false");
}

/** Of an object, whose bucket may stand in the host name; with `!/` where that is read as it is meant, else by parameters. */
export function objectUrls(target: ObjectTarget, hostBucket: string | undefined): InsideUrls {
  const { key, versionId } = target;
  const base = objectPath(target, hostBucket);
  const version: Record<string, string> = versionId === undefined ? {} : { versionId };
  const plain = querystring(version);
  const query = (parameters: Record<string, string>) => base + querystring({ ...version, ...parameters });
  const isMarked = `${key}!/`.search(INNER_MARK) === key.length;
  return {
    title: key,
    urls: {
      file: (path) =>
        isMarked
          ? `${base}!/${uriEncodePath(path)}${plain}`
          : query({ zip: "entry", ...pathParameter(path) }),
      directory: (path, page) =>
        isMarked && page === 1
          ? `${base}!/${uriEncodePath(path)}${plain}`
          : query({ zip: "browse", ...pathParameter(path), ...pageParameter(page) }),
      download: (path, format) => query({ zip: format, ...pathParameter(path) }),
      archive: base + plain,
    },
  };
}

/** The path of an object as no URL parser takes it for another, or for that of another host. */
function objectPath({ bucket, key }: ObjectTarget, hostBucket: string | undefined): string {
  const path = sendablePath(
    hostBucket === undefined ? `/${bucket}/${uriEncodePath(key)}` : `/${uriEncodePath(key)}`,
  );
  return path.startsWith("//") ? `/.${path}` : path;
}

function withParameter(url: string, name: string, value: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value)}`;
}

function pageParameter(page: number): Record<string, string> {
  return page === 1 ? {} : { page: String(page) };
}

function pathParameter(path: string): Record<string, string> {
  return path === "" ? {} : { path };
}

function querystring(parameters: Record<string, string>): string {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
