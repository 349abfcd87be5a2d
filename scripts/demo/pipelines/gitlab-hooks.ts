import type { Access } from "../access.ts";
import type { Project } from "../gate.ts";
import { gitLabJob, gitLabPipeline, gitLabPush } from "./gitlab-webhooks.ts";
import { createHooks, hookProject } from "./hooks.ts";
import type { Hooks } from "./hooks.ts";
import type { MemoryPipelines } from "./memory-source.ts";

/** `push_event_hooks_limit`, as GitLab is installed. */
const MOST_PUSHED_REFS = 3;
const MOST_JOBS = 100;

/** The hooks of the GitLab-shaped forge: of pushes, and of pipelines in memory with their jobs. */
export function createGitLabHooks(
  projects: readonly Project[],
  access: Access,
  pipelines: MemoryPipelines,
): Hooks {
  const hooks = createHooks({
    projects,
    mostRefs: MOST_PUSHED_REFS,
    push: (sender, project, pushed, commit) => [
      gitLabPush(sender, hookProject(project, access), pushed, commit === undefined ? {} : { commit }),
    ],
  });
  pipelines.onChange((change) => {
    const { pipeline } = change;
    const project = projects.find(({ id }) => id === pipeline.projectId);
    if (project === undefined) return;
    const named = hookProject(project, access);
    hooks.tell(async (sender) => {
      if (change.kind === "job") return [gitLabJob(sender, named, change.job, pipeline)];
      const page = await pipelines.jobs({
        projectId: project.id,
        pipelineId: pipeline.id,
        includeRetried: false,
        page: 1,
        perPage: MOST_JOBS,
      });
      return [gitLabPipeline(sender, named, pipeline, page.rows)];
    });
  });
  return hooks;
}
