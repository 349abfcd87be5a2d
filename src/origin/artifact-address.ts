import { encodePath } from "../core/request-path.ts";
import type { ArtifactTarget } from "../core/target.ts";

/** Where GitLab gives a job's artifact as it is (GitLab: "Job artifacts API"; `config/routes/project.rb`). */
export function artifactUrl(origin: string, { channel, project, job, fileType }: ArtifactTarget): string {
  if (channel === "api") {
    const jobs = `${origin}/api/v4/projects/${encodeURIComponent(project)}/jobs`;
    if (job.kind === "id") return `${jobs}/${job.id}/artifacts`;
    return `${jobs}/artifacts/${encodeURIComponent(job.ref)}/download?job=${encodeURIComponent(job.job)}`;
  }
  const jobs = `${origin}/${encodePath(project)}/-/jobs`;
  const type = fileType === undefined ? "" : `file_type=${encodeURIComponent(fileType)}`;
  if (job.kind === "id") return `${jobs}/${job.id}/artifacts/download${type === "" ? "" : `?${type}`}`;
  const query = `job=${encodeURIComponent(job.job)}${type === "" ? "" : `&${type}`}`;
  return `${jobs}/artifacts/${encodePath(job.ref)}/download?${query}`;
}

/** The number of the job whose artifacts a `Location` of the forge's own leads to (GitLab: `latest_succeeded`). */
export function jobOfLocation(location: URL, origin: string): string | undefined {
  if (location.origin !== new URL(origin).origin) return undefined;
  return /\/-\/jobs\/([1-9]\d{0,14})\/artifacts\/download$/.exec(location.pathname)?.[1];
}
