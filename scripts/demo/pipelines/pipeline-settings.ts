import type { Project } from "../gate.ts";
import type { Jobs } from "../jobs.ts";
import { resolveRevision } from "../revisions.ts";
import { createCommitReader } from "./commits.ts";
import { createMemoryPipelines } from "./memory-source.ts";
import type { MemoryPipelines } from "./memory-source.ts";
import type { NewPipeline } from "./new-rows.ts";
import { projectNamed } from "./project-named.ts";
import type { PipelinesAccess, PipelineSite } from "./site.ts";
import type { PipelineRow, PipelineSource } from "./source.ts";

/** What tests read and change about a forge's pipelines. */
export interface PipelineSettings {
  /** The pipelines in memory, which the forge starts with. */
  readonly pipelines: MemoryPipelines;
  /** Where pipelines are read from: those in memory, unless something else is put here. */
  pipelineSource: PipelineSource;
  /** What the forge takes for its own URL, in links and in pages' addresses; no slash at the end. */
  externalUrl: string;
  /** What the forge takes for the time, of changes of pipelines in memory and of how long a job runs. */
  now: () => Date;
  setPipelinesAccess(project: string, access: PipelinesAccess): void;
  /** Whether lists show a pipeline only to developers; its own page is not hidden. */
  setHidden(pipelineId: number, hidden: boolean): void;
  /** Adds a pipeline in memory, for the commit that its ref stands for where no `sha` is given. */
  addPipeline(project: string, pipeline?: Omit<NewPipeline, "projectId">): Promise<PipelineRow>;
}

/** The pipelines of a forge that is about to start; its URL has to be set once it is known. */
export function createPipelineSettings(
  projects: readonly Project[],
  jobs: Jobs,
): {
  readonly settings: PipelineSettings;
  readonly site: PipelineSite;
  readonly bind: (forge: PipelineSettings) => void;
} {
  const accesses = new Map<string, PipelinesAccess>();
  const hidden = new Set<number>();
  const pipelines = createMemoryPipelines(() => live.forge.now());

  async function addPipeline(name: string, pipeline: Omit<NewPipeline, "projectId"> = {}) {
    const { id: projectId, repository } = projectNamed(projects, name);
    const { ref = repository.defaultBranch, tag = false } = pipeline;
    const sha = await resolveRevision(repository, ref, [tag ? "refs/tags/" : "refs/heads/"]);
    return pipelines.add({ ...(sha === undefined ? {} : { sha }), ...pipeline, projectId, ref });
  }

  const settings: PipelineSettings = {
    pipelines,
    pipelineSource: pipelines,
    externalUrl: "",
    now: () => new Date(),
    setPipelinesAccess: (name, access) => void accesses.set(projectNamed(projects, name).name, access),
    setHidden: (id, isHidden) => void (isHidden ? hidden.add(id) : hidden.delete(id)),
    addPipeline,
  };
  // What tests set, they set on the forge, so that is where it is read from.
  const live = { forge: settings };
  const site: PipelineSite = {
    source: () => live.forge.pipelineSource,
    access: (name) => accesses.get(name) ?? "everyone",
    hidden: () => [...hidden],
    externalUrl: () => live.forge.externalUrl,
    now: () => live.forge.now(),
    jobs,
    readCommit: createCommitReader(),
  };
  return { settings, site, bind: (forge) => void (live.forge = forge) };
}
