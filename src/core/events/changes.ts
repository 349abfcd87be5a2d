import { isProjectNumber } from "../project-number.ts";
import type { PushEvent } from "./event.ts";

/*
 * What events and purges have told of a project. Facts learned from the origin before are not believed any more, or are
 * brought up to date; those asked for later know it all. So a delivery that comes late, twice or out of order changes nothing,
 * or makes the origin be asked again: it never brings back what was.
 */

/** A branch or tag moved from one commit to another, as an event told at `at`, in milliseconds. */
export type Push = Pick<PushEvent, "ref" | "before" | "after"> & {
  readonly at: number;
  /** When the very same was told again, last: what was learned in between knows it already. */
  readonly againAt?: number;
  /** Whether the ids may be others than those of the commits. */
  readonly isVague?: true;
};

export type PipelineChange = { readonly id: string; readonly at: number };

/** All times are in milliseconds; 0 for what never happened. */
export type Changes = {
  /** When the last of it was told. */
  readonly at: number;
  /** Who may read, and what the project's name stands for, was not yet so before. */
  readonly accessAt: number;
  /** Of files, what was known before is over. */
  readonly filesAt: number;
  /** Of refs, what was known before is over. */
  readonly refsAt: number;
  /** Of lists of pipelines, what was known before is over. */
  readonly listsAt: number;
  /** Of every pipeline, what was known before is over. */
  readonly pipelinesAt: number;
  readonly pushes: readonly Push[];
  readonly pipelines: readonly PipelineChange[];
  /** The branch that HEAD is, by its short name. */
  readonly defaultBranch?: string;
  /** When that was told. */
  readonly defaultAt?: number;
};

/** What was told of groups of a site's projects: of everything below a name (`ChangeEvent`, names that end in "/"). */
export type GroupChanges = { readonly groups: readonly GroupChange[]; readonly allAt: number };

type GroupChange = { readonly name: string; readonly at: number };

export const NO_CHANGES: Changes = {
  at: 0,
  accessAt: 0,
  filesAt: 0,
  refsAt: 0,
  listsAt: 0,
  pipelinesAt: 0,
  pushes: [],
  pipelines: [],
};

/** How many pushes and pipelines are told apart; what is more makes all before it be asked for again. */
const MOST = 64;

/** A push is told. */
export function withPush(changes: Changes, event: PushEvent, at: number): Changes {
  const { ref, before, after, isOfCommits, defaultBranch } = event;
  const push: Push = isOfCommits ? { ref, before, after, at } : { ref, before, after, at, isVague: true };
  const more = newerDefault(changes, defaultBranch === undefined ? {} : { defaultBranch, defaultAt: at });
  return bounded({ ...changes, ...more, at: latest(changes.at, at), pushes: withOne(changes.pushes, push) });
}

/** Something of a pipeline is told; without a number, of any. */
export function withPipeline(changes: Changes, pipeline: string | undefined, at: number): Changes {
  const all = { ...changes, at: latest(changes.at, at), listsAt: latest(changes.listsAt, at) };
  if (pipeline === undefined) return { ...all, pipelinesAt: latest(changes.pipelinesAt, at) };
  return bounded({ ...all, pipelines: withPipelineAt(changes.pipelines, { id: pipeline, at }) });
}

/** Nothing that was known of a project before is believed any more. A push is still known where it is told once more. */
export function withEverything(changes: Changes, at: number): Changes {
  const now = latest(changes.at, at);
  return {
    ...changes,
    at: now,
    accessAt: now,
    filesAt: now,
    refsAt: now,
    listsAt: now,
    pipelinesAt: now,
    pipelines: [],
  };
}

/** Who may read below a group, or what its name stands for, is not what it was. */
export function withGroup(changes: GroupChanges | undefined, name: string, at: number): GroupChanges {
  return mergedGroups(changes ?? { groups: [], allAt: 0 }, { groups: [{ name, at }], allAt: 0 });
}

/** Two accounts of a site's groups made one. */
export function mergedGroups(one: GroupChanges, other: GroupChanges): GroupChanges {
  const allAt = latest(one.allAt, other.allAt);
  const byName = new Map<string, number>();
  for (const { name, at } of [...one.groups, ...other.groups])
    if (at > allAt) byName.set(name, latest(byName.get(name) ?? 0, at));
  if (byName.size > MOST) return { groups: [], allAt: Math.max(...byName.values()) };
  return { groups: [...byName].map(([name, at]) => ({ name, at })), allAt };
}

/** What was told of a project, by itself and with its groups. Of which group a number is, is not known: it may be of any. */
export function withGroups(
  own: Changes | undefined,
  { groups, allAt }: GroupChanges,
  project: string,
): Changes | undefined {
  const isNumber = isProjectNumber(project);
  const at = groups.reduce(
    (last, group) => (isNumber || isBelow(project, group.name) ? latest(last, group.at) : last),
    allAt,
  );
  return at === 0 ? own : merged(own ?? NO_CHANGES, withEverything(NO_CHANGES, at));
}

function isBelow(project: string, group: string): boolean {
  const [path, name] = [project.toLowerCase(), group.toLowerCase()];
  return name.startsWith("/") ? `/${path}`.includes(name) : path.startsWith(name);
}

/** Two accounts of one project made one: nothing that either tells is lost. */
export function merged(one: Changes, other: Changes): Changes {
  return bounded({
    ...one,
    ...newerDefault(one, other),
    at: latest(one.at, other.at),
    accessAt: latest(one.accessAt, other.accessAt),
    filesAt: latest(one.filesAt, other.filesAt),
    refsAt: latest(one.refsAt, other.refsAt),
    listsAt: latest(one.listsAt, other.listsAt),
    pipelinesAt: latest(one.pipelinesAt, other.pipelinesAt),
    pushes: other.pushes.reduce(mergePush, one.pushes),
    pipelines: other.pipelines.reduce(withPipelineAt, one.pipelines),
  });
}

/** When a pipeline, and its jobs, were last told to be others. */
export function pipelineChangedAt({ pipelinesAt, pipelines }: Changes, id: string): number {
  return latest(pipelinesAt, pipelines.find((each) => each.id === id)?.at ?? 0);
}

/** When any ref was last told to be moved. */
export function lastPushAt({ refsAt, pushes }: Changes): number {
  return pushes.reduce((last, push) => latest(last, toldAt(push)), refsAt);
}

/** When a push was last told. */
export function toldAt({ at, againAt }: Push): number {
  return againAt ?? at;
}

type Default = Pick<Changes, "defaultBranch" | "defaultAt">;

/** Of two told at one time, always the same one, whichever account comes first. */
function newerDefault(one: Default, other: Default): Default {
  const { defaultBranch: name = "", defaultAt: at = -1 } = one;
  const { defaultBranch = "", defaultAt = -1 } = other;
  const isNewer = defaultAt === at ? defaultBranch > name : defaultAt > at;
  return isNewer ? { defaultBranch, defaultAt } : {};
}

function withOne(pushes: readonly Push[], push: Push): readonly Push[] {
  const known = pushes.find((each) => isSame(each, push));
  if (known === undefined) return [...pushes, push];
  const at = Math.min(known.at, push.at);
  const again = { ...known, at, againAt: latest(toldAt(known), push.at) };
  return pushes.map((each) => (each === known ? again : each));
}

/** The same push in two accounts is one push, unless they tell of it at different times. */
function mergePush(pushes: readonly Push[], push: Push): readonly Push[] {
  const known = pushes.find((each) => isSame(each, push));
  if (known === undefined) return [...pushes, push];
  const at = Math.min(known.at, push.at);
  const last = latest(toldAt(known), toldAt(push));
  const isAgain = last > at || known.againAt !== undefined || push.againAt !== undefined;
  const one = isAgain ? { ...known, at, againAt: last } : known;
  return pushes.map((each) => (each === known ? one : each));
}

function isSame(one: Push, other: Push): boolean {
  return (
    one.ref === other.ref &&
    one.before === other.before &&
    one.after === other.after &&
    one.isVague === other.isVague
  );
}

function withPipelineAt(all: readonly PipelineChange[], change: PipelineChange): readonly PipelineChange[] {
  const known = all.find(({ id }) => id === change.id);
  if (known !== undefined && known.at >= change.at) return all;
  return [...all.filter(({ id }) => id !== change.id), change];
}

/** Forgets what was told first, at the price of asking again for whatever it told. */
function bounded(changes: Changes): Changes {
  const { pushes, pipelines } = changes;
  if (pushes.length <= MOST && pipelines.length <= MOST) return changes;
  const oldPushes = pushes
    .toSorted((one, other) => toldAt(one) - toldAt(other) || inOrder(one, other))
    .slice(0, -MOST);
  const oldPipelines = pipelines
    .toSorted((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1))
    .slice(0, -MOST);
  return {
    ...changes,
    refsAt: oldPushes.reduce((last, push) => latest(last, toldAt(push)), changes.refsAt),
    pipelinesAt: oldPipelines.reduce((last, { at }) => latest(last, at), changes.pipelinesAt),
    pushes: pushes.filter((push) => !oldPushes.includes(push)),
    pipelines: pipelines.filter((pipeline) => !oldPipelines.includes(pipeline)),
  };
}

/** Of pushes told at one time, the same ones are forgotten wherever they are made one account. */
function inOrder(one: Push, other: Push): number {
  return nameOf(one) < nameOf(other) ? -1 : 1;
}

function nameOf({ ref, before = "", after = "", isVague }: Push): string {
  return [ref, before, after, isVague ?? ""].join(" ");
}

function latest(one: number, other: number): number {
  return Math.max(one, other);
}
