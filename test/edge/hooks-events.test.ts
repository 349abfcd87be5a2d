import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  gitLabJob,
  gitLabMemberRemoved,
  gitLabPipeline,
  gitLabProjectEvent,
} from "../../scripts/demo/pipelines/gitlab-webhooks.ts";
import type { Delivery } from "../../scripts/demo/pipelines/webhooks.ts";
import { SECRET_PROJECT, startHooksScene, WHO, type HooksScene } from "./hooks-scene.ts";
import { API, DEVELOPER, OTHER, READER } from "./pipelines-scene.ts";
import { SECRET } from "./scene.ts";

let scene: HooksScene;
beforeAll(async () => {
  scene = await startHooksScene();
});
beforeEach(async () => await scene.again());
afterAll(async () => await scene.harness.close());

describe("an event of a pipeline", () => {
  const base = `${API}/2/pipelines`;

  it.each(["gitlab", "gitea"] as const)("of %s is in the next poll, a job's too", async (forge) => {
    const { gitlab, gitea } = scene.harness.demo;
    const row = await gitlab.addPipeline("demo/nested/secret", { status: "running" });
    const job = gitlab.pipelines.addJob({ pipelineId: row.id, name: "build", status: "running" });
    const run = await gitea.addRun("demo/secret", { status: "running" });
    await scene.told();
    await scene.told("gitea");
    const paths =
      forge === "gitlab"
        ? [base, `${base}/${row.id}`, `${base}/${row.id}/jobs`, `${base}/latest`, `${base}?status=running`]
        : ["runs", "tasks", "runs?status=in_progress"].map(
            (list) => `/api/v1/repos/demo/secret/actions/${list}`,
          );
    const changes =
      forge === "gitlab"
        ? [
            () => gitlab.pipelines.setJobStatus(job.id, "failed", "script_failure"),
            () => gitlab.pipelines.retryJob(job.id),
            () => gitlab.pipelines.setStatus(row.id, "success"),
            () => gitlab.pipelines.setStatus(row.id, "running"),
          ]
        : [
            () => gitea.actions.setRunStatus(run.id, "failure"),
            () => gitea.actions.setRunStatus(run.id, "running"),
          ];
    const own = scene.forge(forge).url;
    const normal = (text: string) =>
      text.replaceAll(scene.harness[forge], own).replaceAll(/"duration":[\d.]+/g, "");
    for (const change of changes) {
      for (const path of paths) expect((await scene.get(path, WHO[forge], { forge })).status).toBe(200);
      change();
      await scene.told(forge);
      for (const path of paths) {
        const [got, direct] = [
          await scene.get(path, WHO[forge], { forge }),
          await scene.direct(path, WHO[forge], { forge }),
        ];
        expect([path, normal(got.body.toString())]).toEqual([path, normal(direct.body.toString())]);
      }
    }
    gitlab.pipelines.remove(row.id);
    gitea.actions.removeRun(run.id);
  });

  it("that was not there before is found where it was missing", async () => {
    const { gitlab } = scene.harness.demo;
    const ref = scene.name("first");
    await gitlab.commit(SECRET.gitlab, ref, { "a.txt": "x" });
    await scene.told();
    const latest = `${base}/latest?ref=${ref}`;
    expect((await scene.get(latest, READER)).status).toBe(403);
    const row = await gitlab.addPipeline("demo/nested/secret", { ref });
    await scene.told();
    expect((await scene.get(latest, READER)).status).toBe(200);
    const following = `${base}/${row.id + 1}`;
    expect((await scene.get(`${following}/jobs`, READER)).status).toBe(404);
    expect((await scene.get(following, READER)).status).toBe(404);
    const second = await gitlab.addPipeline("demo/nested/secret", { ref });
    await scene.told();
    expect((await scene.get(following, READER)).status).toBe(200);
    expect((await scene.get(`${following}/jobs`, READER)).status).toBe(200);
    for (const { id } of [row, second]) gitlab.pipelines.remove(id);
  });

  it("says nothing of another project, nor of another pipeline", async () => {
    const { gitlab } = scene.harness.demo;
    const row = await gitlab.addPipeline("demo/hello", { status: "running" });
    await scene.told();
    const untouched = [base, `${base}/21`, `${API}/1/pipelines/11`, `${API}/1/pipelines/12/jobs`];
    for (const path of untouched) await scene.get(path, READER);
    const questions = await scene.questions(async () => {
      gitlab.pipelines.setStatus(row.id, "success");
      await scene.told();
      for (const path of untouched) expect((await scene.get(path, READER)).status).toBe(200);
    });
    expect(questions).toBe(0);
    gitlab.pipelines.remove(row.id);
  });
});

/** Everything of the private project that is asked for. */
const NAMES = [
  `${API}/2/pipelines`,
  `${API}/demo%2Fnested%2Fsecret/pipelines/21`,
  `${API}/2/pipelines/21/jobs`,
  `/demo/nested/secret/-/raw/main/README.md`,
  `${API}/2/repository/files/README.md/raw?ref=main`,
] as const;

type Told = { readonly name: string; readonly make: () => Delivery };

function systemHook(payload: object): Delivery {
  const { webhookSecret } = scene.harness;
  const headers = {
    "content-type": "application/json",
    "x-gitlab-event": "System Hook",
    "x-gitlab-token": webhookSecret,
  };
  return { headers, body: JSON.stringify(payload) };
}

const group = (event_name: string, more: object) => () =>
  systemHook({
    event_name,
    created_at: "2026-01-05T10:00:00Z",
    group_id: 9,
    user_username: "reader",
    ...more,
  });

const ENDINGS: readonly Told[] = [
  ...(["project_update", "project_destroy"] as const).map((event) => ({
    name: event,
    make: () => gitLabProjectEvent(scene.sender(), SECRET_PROJECT, event),
  })),
  {
    name: "moved elsewhere",
    make: () =>
      gitLabProjectEvent(
        scene.sender(),
        { ...SECRET_PROJECT, path: "other/place" },
        "project_transfer",
        SECRET.gitlab,
      ),
  },
  { name: "member removed", make: () => gitLabMemberRemoved(scene.sender(), SECRET_PROJECT, "reader") },
  { name: "removed from its group", make: group("user_remove_from_group", { group_path: "nested" }) },
  { name: "removed from a group above", make: group("user_remove_from_group", { group_path: "demo" }) },
  { name: "a group destroyed", make: group("group_destroy", { path: "demo", full_path: "demo" }) },
  {
    name: "a group renamed",
    make: group("group_rename", {
      path: "new",
      full_path: "demo/new",
      old_path: "nested",
      old_full_path: "demo/nested",
    }),
  },
  { name: "a user renamed", make: group("user_rename", { username: "someone", old_username: "demo" }) },
];

describe("an event about who may read", () => {
  it.each(ENDINGS)("has the very next request of everyone asked: $name", async ({ make }) => {
    const { gitlab } = scene.harness.demo;
    const asked = [
      ...NAMES.map((path) => ({ path, headers: READER })),
      { path: NAMES[0], headers: DEVELOPER },
    ];
    for (const isolate of ["", "", "near"])
      for (const { path, headers } of asked)
        expect([path, (await scene.get(path, headers, { isolate })).status]).toEqual([path, 200]);
    await scene.settle();
    for (const user of ["reader", "developer"]) gitlab.setMember(user, SECRET.gitlab, false);
    await scene.post(make());
    for (const { path, headers } of asked) {
      const { status } = await scene.get(path, headers);
      expect([path, [302, 401, 404].includes(status)]).toEqual([path, true]);
    }
    await scene.advance(1000);
    for (const { path, headers } of asked) {
      const { status } = await scene.get(path, headers, { isolate: "near" });
      expect([path, [302, 401, 404].includes(status)]).toEqual([path, true]);
    }
    for (const user of ["reader", "developer"]) gitlab.setMember(user, SECRET.gitlab, true);
    await scene.post(make()); // who may again, may at once
    for (const path of NAMES) expect([path, (await scene.get(path, READER)).status]).toEqual([path, 200]);
  });

  it("made private is private at once, to all who saw it", async () => {
    const { gitlab } = scene.harness.demo;
    const names = [
      `${API}/1/pipelines`,
      `${API}/demo%2Fhello/pipelines/latest`,
      "/demo/hello/-/raw/main/README.md",
    ];
    for (const path of names)
      for (const headers of [{}, OTHER]) expect((await scene.get(path, headers)).status).toBe(200);
    gitlab.setVisibility("demo/hello", "private");
    await scene.post(
      gitLabProjectEvent(
        scene.sender(),
        { id: 1, path: "demo/hello", isPublic: false, defaultBranch: "main" },
        "project_update",
      ),
    );
    for (const path of names)
      for (const headers of [{}, OTHER])
        expect([path, (await scene.get(path, headers)).status === 200]).toEqual([path, false]);
  });

  it("of another project or group says nothing of this one", async () => {
    for (const path of NAMES) await scene.get(path, READER);
    await scene.get(`${API}/demo%2Fnested%2Fsecret/pipelines`, READER);
    const questions = await scene.questions(async () => {
      await scene.post(
        gitLabProjectEvent(
          scene.sender(),
          { ...SECRET_PROJECT, id: 77, path: "demo/nested/secret2" },
          "project_update",
        ),
      );
      await scene.post(
        gitLabMemberRemoved(scene.sender(), { ...SECRET_PROJECT, id: 3, path: "demo/other" }, "reader"),
      );
      await scene.post(
        gitLabJob(scene.sender(), { ...SECRET_PROJECT, id: 78, path: "demo/nested" }, ...sampleJob()),
      );
      await scene.post(
        gitLabPipeline(
          scene.sender(),
          { ...SECRET_PROJECT, id: 79, path: "x/demo/nested/secret" },
          sampleJob()[1],
        ),
      );
      for (const path of NAMES) expect((await scene.get(path, READER)).status).toBe(200);
    });
    expect(questions).toBe(0);
  });
});

/** A job and a pipeline as events have them; only their project matters. */
function sampleJob(): Parameters<typeof gitLabJob> extends readonly [
  unknown,
  unknown,
  infer Job,
  infer Pipeline,
]
  ? readonly [Job, Pipeline]
  : never {
  const { pipelines } = scene.harness.demo.gitlab;
  const pipeline = pipelines.add({ projectId: 99, status: "running" });
  const job = pipelines.addJob({ pipelineId: pipeline.id, name: "build" });
  pipelines.remove(pipeline.id);
  return [job, pipeline];
}
