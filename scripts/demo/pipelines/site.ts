import type { Admitted } from "../gate.ts";
import type { Jobs } from "../jobs.ts";
import type { ReadCommit } from "./commits.ts";
import type { PipelineSource } from "./source.ts";

/** Who may see a project's pipelines, of those who may read the project (`builds_access_level`). */
export type PipelinesAccess = "everyone" | "members" | "disabled";

/** What the pipelines of a forge are shown from; each is asked anew for every request. */
export interface PipelineSite {
  readonly source: () => PipelineSource;
  readonly access: (project: string) => PipelinesAccess;
  /** Pipelines that lists show only to developers. */
  readonly hidden: () => readonly number[];
  readonly externalUrl: () => string;
  readonly now: () => Date;
  readonly jobs: Jobs;
  readonly readCommit: ReadCommit;
}

/** Whether an asker who may read the project may see its pipelines. */
export function mayReadPipelines(access: PipelinesAccess, admission: Admitted): boolean {
  return access === "everyone" || (access === "members" && admission.isMember);
}
