import { encodePath } from "./request-path.ts";
import type { ArtifactTarget, ObjectTarget } from "./target.ts";
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

/** Of an object, whose bucket may stand in the host name. */
export function objectUrls({ bucket, key }: ObjectTarget, hostBucket: string | undefined): InsideUrls {
  const base =
    hostBucket === undefined ? `/${uriEncodePath(bucket)}/${uriEncodePath(key)}` : `/${uriEncodePath(key)}`;
  return {
    title: key,
    urls: {
      file: (inner) => `${base}!/${uriEncodePath(inner)}`,
      directory: (inner, page) =>
        page === 1
          ? `${base}!/${uriEncodePath(inner)}`
          : `${base}${querystring({ zip: "browse", ...pathParameter(inner), ...pageParameter(page) })}`,
      download: (inner, format) => `${base}${querystring({ zip: format, ...pathParameter(inner) })}`,
      archive: base,
    },
  };
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
