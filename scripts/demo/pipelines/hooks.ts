import type { Access } from "../access.ts";
import type { Forge } from "../forge.ts";
import type { Project } from "../gate.ts";
import { projectNamed } from "./project-named.ts";
import { createPushWatch } from "./pushes.ts";
import { deliver } from "./webhooks.ts";
import type { Delivery, Hook, HookSender, PushedRef } from "./webhooks.ts";

/** What became of one delivery. */
export type Delivered =
  | { readonly kind: "answered"; readonly url: string; readonly status: number }
  | { readonly kind: "failed"; readonly url: string; readonly error: unknown };

/** What tests read and change about whom a forge tells what happens. */
export interface HookSettings {
  /** Who is told of pushes, and of changes of pipelines or runs: after each, and without anybody waiting for it. */
  hooks: readonly Hook[];
  /** Waits for the deliveries so far, and gives what became of those that were not given before. */
  delivered(): Promise<readonly Delivered[]>;
}

type Changes = Pick<Forge, "commit" | "createTag" | "deleteRef">;

export interface Hooks {
  readonly settings: HookSettings & Changes;
  /** Makes one delivery, or several, for each hook that there is. */
  readonly tell: (build: (sender: HookSender) => Promise<readonly Delivery[]>) => void;
  /** Makes a change of a repository, and tells of the pushes that it was. */
  readonly watch: <T>(project: Project, change: () => Promise<T>) => Promise<T>;
  readonly bind: (forge: { readonly hooks: readonly Hook[]; readonly externalUrl: string }) => void;
}

export interface HookOptions {
  readonly projects: readonly Project[];
  /** The deliveries of one push; of a tag, `commit` is the one that it stands for. */
  readonly push: (
    sender: HookSender,
    project: Project,
    pushed: PushedRef,
    commit: string | undefined,
  ) => readonly Delivery[];
  /** Above so many refs in one push nobody is told anything. */
  readonly mostRefs: number;
}

/** Nobody is told anything until the forge has hooks. */
export function createHooks(options: HookOptions): Hooks {
  const pending: Promise<Delivered[]>[] = [];
  const watchPush = createPushWatch();
  const live: { forge: { readonly hooks: readonly Hook[]; readonly externalUrl: string } } = {
    forge: { hooks: [], externalUrl: "" },
  };

  function tell(build: (sender: HookSender) => Promise<readonly Delivery[]>): void {
    const { hooks, externalUrl } = live.forge;
    for (const { url, secret } of hooks) pending.push(send(url, build({ externalUrl, secret })));
  }

  function watch<T>(project: Project, change: () => Promise<T>): Promise<T> {
    if (live.forge.hooks.length === 0) return change();
    const watched = watchAndTell(project, change);
    // Of a failure whoever made the change hears.
    pending.push(
      watched.then(
        () => [],
        () => [],
      ),
    );
    return watched;
  }

  async function watchAndTell<T>(project: Project, change: () => Promise<T>): Promise<T> {
    const { repository } = project;
    const { result, pushed } = await watchPush(repository, change);
    if (pushed.length > options.mostRefs) return result;
    for (const ref of pushed) {
      const commit = (await repository.describe(`${ref.after}^{commit}`))?.oid;
      tell(async (sender) => options.push(sender, project, ref, commit));
    }
    return result;
  }

  const settings: HookSettings & Changes = {
    hooks: [],
    async delivered() {
      const outcomes: Delivered[] = [];
      // A push that is on its way adds deliveries of its own.
      while (pending.length > 0) outcomes.push(...(await Promise.all(pending.splice(0))).flat());
      return outcomes;
    },
    commit: (name, ...change) => {
      const project = projectNamed(options.projects, name);
      return watch(project, () => project.repository.commit(...change));
    },
    createTag: (name, ...change) => {
      const project = projectNamed(options.projects, name);
      return watch(project, () => project.repository.createTag(...change));
    },
    deleteRef: (name, ...change) => {
      const project = projectNamed(options.projects, name);
      return watch(project, () => project.repository.deleteRef(...change));
    },
  };
  return { settings, tell, watch, bind: (forge) => void (live.forge = forge) };
}

/** One after the other, as they were made; what fails is told to whoever asks what was delivered. */
async function send(url: string, built: Promise<readonly Delivery[]>): Promise<Delivered[]> {
  const outcomes: Delivered[] = [];
  try {
    for (const delivery of await built)
      outcomes.push({ kind: "answered", url, status: await deliver(url, delivery) });
  } catch (error) {
    outcomes.push({ kind: "failed", url, error });
  }
  return outcomes;
}

/** A project as GitLab's deliveries speak of it. */
export function hookProject(project: Project, access: Access) {
  return {
    id: project.id,
    path: project.name,
    isPublic: access.isPublic(project.name),
    defaultBranch: project.repository.defaultBranch,
  };
}
