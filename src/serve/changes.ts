import {
  lastPushAt,
  pipelineChangedAt,
  withGroups,
  type Changes,
  type GroupChanges,
} from "../core/events/changes.ts";
import type { Target } from "../core/target.ts";
import { groupsKey } from "./change-keys.ts";
import { changesKeyOf } from "./keys.ts";
import type { Visit } from "./visit.ts";
import { bringUpToDate, isUpToDate, isWatched } from "./watch.ts";

/** Accounts are made one once, and remembered with the target they are of. */
const accounts = new WeakMap<Target, Account>();

type Account = {
  readonly own: Changes | undefined;
  readonly groups: GroupChanges;
  readonly all: Changes | undefined;
};

/** What was told of the target's project, as far as this isolate knows. */
export function changesOf(visit: Visit): Changes | undefined {
  const { isolate, site, target } = visit;
  if (target.lane === "object" || !isWatched(isolate.ports)) return undefined;
  const own = isolate.ports.changes.hot(changesKeyOf(visit, target));
  const groups = isolate.ports.groups.hot(groupsKey(site));
  if (groups === undefined) return own;
  const known = accounts.get(target);
  if (known?.own === own && known?.groups === groups) return known.all;
  const all = withGroups(own, groups, target.project);
  accounts.set(target, { own, groups, all });
  return all;
}

/** Whether this isolate knows all that was told of the target's project. */
export function isProjectUpToDate(visit: Visit): boolean {
  const { isolate, site, target } = visit;
  if (target.lane === "object") return true;
  return isUpToDate(isolate, site, changesKeyOf(visit, target)) && isUpToDate(isolate, site, groupsKey(site));
}

/** Learns what was told of the target's project elsewhere. */
export async function findChanges(visit: Visit): Promise<void> {
  const { isolate, site, target } = visit;
  if (target.lane === "object") return;
  const { changes, groups } = isolate.ports;
  await bringUpToDate(isolate, site, { log: changes, key: changesKeyOf(visit, target) });
  await bringUpToDate(isolate, site, { log: groups, key: groupsKey(site) });
}

/** When it was last told that there may be what the origin has said is not there; in milliseconds. */
export function mayBeThereAt(changes: Changes | undefined, target: Target): number {
  if (changes === undefined) return 0;
  if (target.lane === "raw") return Math.max(lastPushAt(changes), changes.filesAt);
  return target.lane === "artifact" ? changes.listsAt : listChangedAt(changes, target);
}

/** From when on what the origin said of a target's name may still be so, as far as pipelines go; in milliseconds. */
export function listChangedAt(changes: Changes | undefined, target: Target): number {
  if (changes === undefined || target.lane !== "pipelines") return 0;
  const { resource } = target;
  if (resource.kind === "pipeline") return pipelineChangedAt(changes, resource.id);
  return resource.kind === "jobs" ? pipelineChangedAt(changes, resource.pipeline) : changes.listsAt;
}
