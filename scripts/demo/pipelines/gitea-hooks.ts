import type { Access } from "../access.ts";
import type { Project } from "../gate.ts";
import type { Actions } from "./actions.ts";
import { giteaCreate, giteaDelete, giteaPush, giteaWorkflowRun } from "./gitea-webhooks.ts";
import { createHooks } from "./hooks.ts";
import type { Hooks } from "./hooks.ts";
import { NO_OBJECT } from "./webhooks.ts";

/** The hooks of the Gitea-shaped forge: of pushes, and of what they make and delete, and of runs. */
export function createGiteaHooks(projects: readonly Project[], access: Access, actions: Actions): Hooks {
  const hooks = createHooks({
    projects,
    mostRefs: Number.POSITIVE_INFINITY,
    push(sender, project, pushed) {
      const context = { project, isPublic: access.isPublic(project.name) };
      const push = giteaPush(sender, context, pushed);
      if (pushed.before === NO_OBJECT) return [giteaCreate(sender, context, pushed), push];
      return pushed.after === NO_OBJECT ? [giteaDelete(sender, context, pushed), push] : [push];
    },
  });
  actions.onChange((run) => {
    const project = projects.find(({ id }) => id === run.projectId);
    if (project === undefined) return;
    const context = { project, isPublic: access.isPublic(project.name) };
    hooks.tell(async (sender) => [giteaWorkflowRun(sender, context, run)]);
  });
  return hooks;
}
