import type { ArtifactTarget, RawTarget, Target } from "./target.ts";

/** What was asked for, in a line for people. */
export function targetText(target: Target): string {
  switch (target.lane) {
    case "raw":
      return `${target.project}: ${rawText(target)}`;
    case "object":
      return `/${target.bucket}/${target.key}`;
    case "artifact":
      return `${target.project}: ${jobText(target)}`;
    case "pipelines":
      return `${target.project}: ${target.resource.kind}`;
  }
}

function rawText({ name }: RawTarget): string {
  if (name.kind === "joined") return name.text;
  if (name.kind === "blob") return name.oid;
  return `${name.kind === "ref" ? name.ref : name.oid}/${name.path}`;
}

function jobText({ job }: ArtifactTarget): string {
  return job.kind === "id" ? `job ${job.id}` : `job ${job.job} of ${job.ref}`;
}
