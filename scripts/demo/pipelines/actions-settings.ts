import type { Project } from "../gate.ts";
import { resolveRevision } from "../revisions.ts";
import { createActions } from "./actions.ts";
import type { ActionRun, Actions, NewActionRun } from "./actions.ts";
import { projectNamed } from "./project-named.ts";
import type { PipelinesAccess } from "./site.ts";

/** What tests read and change about the actions of the Gitea-shaped forge. */
export interface ActionsSettings {
  readonly actions: Actions;
  /** What the forge takes for its own URL (`ROOT_URL`); no slash at the end. */
  externalUrl: string;
  /** What the forge takes for the time. */
  now: () => Date;
  setActionsAccess(project: string, access: PipelinesAccess): void;
  /** Adds a run, for the commit that its ref stands for where no `sha` is given. */
  addRun(project: string, run?: Omit<NewActionRun, "projectId">): Promise<ActionRun>;
}

/** What the actions of a forge are shown from; each is asked anew for every request. */
export interface ActionsSite {
  readonly actions: Actions;
  readonly access: (project: string) => PipelinesAccess;
  readonly externalUrl: () => string;
}

/** The actions of a forge that is about to start; its URL has to be set once it is known. */
export function createActionsSettings(projects: readonly Project[]): {
  readonly settings: ActionsSettings;
  readonly site: ActionsSite;
  readonly bind: (forge: ActionsSettings) => void;
} {
  const accesses = new Map<string, PipelinesAccess>();
  const actions = createActions(() => live.forge.now());
  const settings: ActionsSettings = {
    actions,
    externalUrl: "",
    now: () => new Date(),
    setActionsAccess: (name, access) => void accesses.set(projectNamed(projects, name).name, access),
    async addRun(name, run = {}) {
      const { id: projectId, repository } = projectNamed(projects, name);
      const { ref = `refs/heads/${repository.defaultBranch}` } = run;
      const sha = await resolveRevision(repository, ref, []);
      return actions.addRun({ ...(sha === undefined ? {} : { sha }), ...run, projectId, ref });
    },
  };
  // What tests set, they set on the forge, so that is where it is read from.
  const live = { forge: settings };
  const site: ActionsSite = {
    actions,
    access: (name) => accesses.get(name) ?? "everyone",
    externalUrl: () => live.forge.externalUrl,
  };
  return { settings, site, bind: (forge) => void (live.forge = forge) };
}
