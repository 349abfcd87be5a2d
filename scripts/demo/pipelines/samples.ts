import type { ActionsSettings } from "./actions-settings.ts";
import type { PipelineSettings } from "./pipeline-settings.ts";

const MINUTE_MS = 60_000;
/** When the first sample pipeline started: later than the sample commits, and the same at every start. */
const FIRST_PIPELINE_AT = Date.UTC(2026, 0, 5, 10, 0, 0);

/** The pipelines that the GitLab-shaped forge has when it starts: finished, failed and running ones, with the sample artifacts' jobs. */
export async function addSamplePipelines(settings: PipelineSettings): Promise<void> {
  const { now } = settings;
  settings.now = () => at(40);
  await addSamples(settings);
  settings.now = now;
}

async function addSamples(settings: PipelineSettings): Promise<void> {
  const { pipelines } = settings;
  const built = await settings.addPipeline("demo/hello", {
    id: 11,
    status: "success",
    name: "Build of hello",
    ...span(at(0), at(4)),
    coverage: 87.5,
  });
  const job = { pipelineId: built.id, status: "success" } as const;
  pipelines.addJob({ ...job, id: 1001, name: "build", stage: "build", ...span(at(0), at(2)) });
  pipelines.addJob({ ...job, id: 1002, name: "coverage", ...span(at(2), at(4)), coverage: 87.5 });

  const failed = await settings.addPipeline("demo/hello", {
    id: 12,
    ref: "feature/login",
    status: "failed",
    username: "reader",
    ...span(at(10), at(12)),
  });
  pipelines.addJob({
    pipelineId: failed.id,
    id: 1101,
    name: "lint",
    status: "failed",
    ...span(at(10), at(12)),
  });

  const running = await settings.addPipeline("demo/hello", {
    id: 13,
    ref: "v1.0",
    tag: true,
    status: "running",
    createdAt: at(20),
  });
  const started = { pipelineId: running.id, createdAt: at(20) } as const;
  pipelines.addJob({ ...started, id: 1201, name: "build", stage: "build", status: "running" });
  pipelines.addJob({ ...started, id: 1202, name: "release", stage: "deploy", status: "created" });

  const secret = await settings.addPipeline("demo/nested/secret", {
    id: 21,
    status: "success",
    name: "Build of secret",
    ...span(at(30), at(33)),
  });
  pipelines.addJob({
    pipelineId: secret.id,
    id: 2001,
    name: "build",
    stage: "build",
    status: "success",
    ...span(at(30), at(33)),
  });
}

/** The runs that the Gitea-shaped forge has when it starts, of the same kinds. */
export async function addSampleRuns(forge: ActionsSettings): Promise<void> {
  const { now, actions } = forge;
  forge.now = () => at(0);
  const passed = await forge.addRun("demo/hello", { title: "Say hello", status: "running" });
  const failed = await forge.addRun("demo/hello", {
    ref: "refs/heads/feature/login",
    title: "Work on the login",
    status: "running",
  });
  await forge.addRun("demo/hello", { event: "workflow_dispatch", status: "running" });
  const secret = await forge.addRun("demo/secret", { title: "Keep a secret", status: "running" });
  const tasks = [passed, failed, secret].map(({ id }) => actions.addTask({ runId: id, name: "build" }));
  forge.now = () => at(4);
  for (const [index, run] of [passed, failed, secret].entries()) {
    const status = run === failed ? "failure" : "success";
    actions.setRunStatus(run.id, status);
    actions.setTaskStatus(tasks[index]?.id ?? 0, status);
  }
  forge.now = now;
}

function at(minutes: number): Date {
  return new Date(FIRST_PIPELINE_AT + minutes * MINUTE_MS);
}

function span(createdAt: Date, finishedAt: Date) {
  const duration = (finishedAt.getTime() - createdAt.getTime()) / 1000;
  return { createdAt, startedAt: createdAt, finishedAt, duration };
}
