import { createHash } from "node:crypto";

/** What a run or a task of Gitea's actions can be (`actions_model.Status`). */
export type ActionStatus =
  | "waiting"
  | "running"
  | "success"
  | "failure"
  | "cancelled"
  | "skipped"
  | "blocked";

/** A run of a workflow as it is stored. */
export interface ActionRun {
  readonly id: number;
  readonly projectId: number;
  /** Its number within the project, from 1. */
  readonly runNumber: number;
  readonly title: string;
  /** The name of the workflow's file. */
  readonly workflowId: string;
  /** In full, such as `refs/heads/main`. */
  readonly ref: string;
  readonly sha: string;
  readonly event: string;
  readonly status: ActionStatus;
  readonly username: string;
  readonly startedAt: Date | undefined;
  readonly stoppedAt: Date | undefined;
}

/** A job of a run that a runner took. */
export interface ActionTask {
  readonly id: number;
  readonly runId: number;
  readonly name: string;
  readonly status: ActionStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly startedAt: Date | undefined;
}

export type NewActionRun = Pick<ActionRun, "projectId"> & Partial<Omit<ActionRun, "runNumber">>;

export type NewActionTask = Pick<ActionTask, "runId" | "name"> & Partial<ActionTask>;

/** What a list of runs may be narrowed to. */
export interface RunFilter {
  readonly ref?: string;
  readonly event?: string;
  readonly sha?: string;
  readonly username?: string;
  /** Any of these; every status, where there is none. */
  readonly statuses: readonly ActionStatus[];
}

/** The runs and tasks of a forge's projects, newest first; the setters are for tests. */
export interface Actions {
  /** Tells of every run that was added or changed; gives the way to stop. */
  onChange(listener: (run: ActionRun) => void): () => void;
  runs(projectId: number, filter: RunFilter): ActionRun[];
  tasks(projectId: number): { readonly task: ActionTask; readonly run: ActionRun }[];
  addRun(run: NewActionRun): ActionRun;
  setRunStatus(id: number, status: ActionStatus): ActionRun;
  removeRun(id: number): void;
  addTask(task: NewActionTask): ActionTask;
  setTaskStatus(id: number, status: ActionStatus): ActionTask;
}

const DONE: ReadonlySet<ActionStatus> = new Set(["success", "failure", "cancelled", "skipped"]);
const UNSTARTED: ReadonlySet<ActionStatus> = new Set(["waiting", "blocked", "skipped"]);

export function isDone(status: ActionStatus): boolean {
  return DONE.has(status);
}

/** No runs yet; `now` is what a change happens at. */
export function createActions(now: () => Date): Actions {
  const runs = new Map<number, ActionRun>();
  const tasks = new Map<number, ActionTask>();
  const lastNumbers = new Map<number, number>();
  const listeners = new Set<(run: ActionRun) => void>();

  const nextId = (rows: ReadonlyMap<number, unknown>) => Math.max(0, ...rows.keys()) + 1;

  function put(run: ActionRun): ActionRun {
    runs.set(run.id, run);
    for (const listener of listeners) listener(run);
    return run;
  }

  function addRun(given: NewActionRun): ActionRun {
    const { id = nextId(runs), projectId, status = "waiting" } = given;
    if (runs.has(id)) throw new Error(`Cannot add the run ${id}: there is one already`);
    const runNumber = (lastNumbers.get(projectId) ?? 0) + 1;
    lastNumbers.set(projectId, runNumber);
    return put({
      runNumber,
      title: `Run ${runNumber}`,
      workflowId: "build.yml",
      ref: "refs/heads/main",
      sha: createHash("sha1").update(`run ${id}`).digest("hex"),
      event: "push",
      username: "reader",
      ...instants(undefined, status, now()),
      ...given,
      id,
      status,
    });
  }

  function addTask(given: NewActionTask): ActionTask {
    const { id = nextId(tasks), runId, status = "running" } = given;
    if (tasks.has(id)) throw new Error(`Cannot add the task ${id}: there is one already`);
    known(runs, runId);
    const at = now();
    const { startedAt } = instants(undefined, status, at);
    const task = { createdAt: at, updatedAt: at, startedAt, ...given, id, status };
    tasks.set(id, task);
    return task;
  }

  const actions: Actions = {
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    runs: (projectId, filter) =>
      [...runs.values()]
        .filter((run) => run.projectId === projectId && matches(run, filter))
        .toSorted((a, b) => b.runNumber - a.runNumber),
    tasks: (projectId) =>
      [...tasks.values()]
        .toSorted((a, b) => b.id - a.id)
        .map((task) => ({ task, run: known(runs, task.runId) }))
        .filter(({ run }) => run.projectId === projectId),
    addRun,
    setRunStatus(id, status) {
      const run = known(runs, id);
      return put({ ...run, status, ...instants(run.startedAt, status, now()) });
    },
    removeRun(id) {
      known(runs, id);
      runs.delete(id);
      for (const task of tasks.values()) if (task.runId === id) tasks.delete(task.id);
    },
    addTask,
    setTaskStatus(id, status) {
      const task = known(tasks, id);
      const { startedAt } = instants(task.startedAt, status, now());
      const changed = { ...task, status, startedAt, updatedAt: now() };
      tasks.set(id, changed);
      return changed;
    },
  };
  return actions;
}

function matches(run: ActionRun, { ref, event, sha, username, statuses }: RunFilter): boolean {
  return (
    (ref === undefined || run.ref === ref) &&
    (event === undefined || run.event === event) &&
    (sha === undefined || run.sha === sha) &&
    (username === undefined || run.username === username) &&
    (statuses.length === 0 || statuses.includes(run.status))
  );
}

function instants(startedAt: Date | undefined, status: ActionStatus, at: Date) {
  return {
    startedAt: UNSTARTED.has(status) ? startedAt : (startedAt ?? at),
    stoppedAt: isDone(status) ? at : undefined,
  };
}

function known<Row>(rows: ReadonlyMap<number, Row>, id: number): Row {
  const row = rows.get(id);
  if (row === undefined) throw new Error(`Cannot find ${id}`);
  return row;
}
