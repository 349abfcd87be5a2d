import type { Access } from "./access.ts";
import { startForge } from "./forge.ts";
import type { Forge } from "./forge.ts";
import type { Project } from "./gate.ts";
import { gitea } from "./gitea.ts";
import { createActionsSettings } from "./pipelines/actions-settings.ts";
import type { ActionsSettings } from "./pipelines/actions-settings.ts";
import { createGiteaHooks } from "./pipelines/gitea-hooks.ts";
import type { HookSettings } from "./pipelines/hooks.ts";

/** The Gitea-shaped forge, which alone has actions. */
export interface GiteaForge extends Forge, ActionsSettings, HookSettings {}

export interface GiteaForgeOptions {
  readonly projects: readonly Project[];
  readonly access: Access;
  readonly authMs: number;
  /** 0 takes any free port. */
  readonly port: number;
}

export async function startGiteaForge(options: GiteaForgeOptions): Promise<GiteaForge> {
  const { settings, site, bind } = createActionsSettings(options.projects);
  const hooks = createGiteaHooks(options.projects, options.access, settings.actions);
  const started = await startForge({ ...options, dialect: gitea(site, hooks.watch) });
  // The very same object, since what tests set on it is read from there.
  const forge: GiteaForge = Object.assign(started, settings, hooks.settings, {
    externalUrl: started.url,
  });
  bind(forge);
  hooks.bind(forge);
  return forge;
}
