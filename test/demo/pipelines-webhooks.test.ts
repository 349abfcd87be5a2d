import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, it, test } from "vitest";
import {
  gitLabMemberRemoved,
  gitLabProjectEvent,
  gitLabPush,
} from "../../scripts/demo/pipelines/gitlab-webhooks.ts";
import { NO_OBJECT } from "../../scripts/demo/pipelines/webhooks.ts";
import type { Delivery } from "../../scripts/demo/pipelines/webhooks.ts";
import { useDemo } from "./running-demo.ts";

interface Told {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const running = useDemo();
const told: Told[] = [];
const server = createServer((request, response) => {
  void text(request).then((body) => {
    told.push({ headers: request.headers, body, payload: JSON.parse(body) as Told["payload"] });
    response.writeHead(202).end();
  });
});

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  running.demo.gitlab.hooks = [{ url, secret: "gitlab-secret" }];
  running.demo.gitea.hooks = [{ url, secret: "gitea-secret" }];
});
beforeEach(() => void told.splice(0));
afterAll(() => void server.close());

const PROJECT = { id: 1, path: "group/nested/hello", isPublic: false, defaultBranch: "main" };
const SENDER = { externalUrl: "https://gitlab.example", secret: "secret" };
const OID = "a".repeat(40);
const payloadOf = ({ body }: Delivery) => JSON.parse(body) as Record<string, unknown>;

test.for<[string, string, string, object]>([
  ["refs/heads/main", OID, "Push Hook", { object_kind: "push", ref_protected: true, checkout_sha: OID }],
  [
    "refs/heads/dev",
    NO_OBJECT,
    "Push Hook",
    { object_kind: "push", ref_protected: false, checkout_sha: null },
  ],
  ["refs/tags/v1", OID, "Tag Push Hook", { object_kind: "tag_push", checkout_sha: "b".repeat(40) }],
])("gitLabPush() of %s to %s", ([ref, after, event, expected]) => {
  const isTag = ref.startsWith("refs/tags/");
  const delivery = gitLabPush(
    SENDER,
    PROJECT,
    { ref, before: OID, after },
    isTag ? { commit: "b".repeat(40) } : {},
  );
  expect(delivery.headers).toMatchObject({
    "X-Gitlab-Event": event,
    "X-Gitlab-Token": "secret",
    "X-Gitlab-Instance": "https://gitlab.example",
  });
  expect(payloadOf(delivery)).toMatchObject({
    ...expected,
    ref,
    before: OID,
    after,
    project_id: 1,
    project: {
      path_with_namespace: "group/nested/hello",
      namespace: "nested",
      visibility_level: 0,
      git_ssh_url: "git@gitlab.example:group/nested/hello.git",
    },
  });
});

it("gitLabProjectEvent() says where a project was", () => {
  const delivery = gitLabProjectEvent(SENDER, PROJECT, "project_rename", "group/nested/hallo");
  expect(delivery.headers["X-Gitlab-Event"]).toBe("System Hook");
  expect(payloadOf(delivery)).toMatchObject({
    event_name: "project_rename",
    path_with_namespace: "group/nested/hello",
    old_path_with_namespace: "group/nested/hallo",
    project_id: 1,
    project_visibility: "private",
  });
  expect(payloadOf(gitLabProjectEvent(SENDER, PROJECT, "project_destroy"))).not.toHaveProperty(
    "old_path_with_namespace",
  );
});

it("gitLabMemberRemoved() names the user and the project", () => {
  expect(payloadOf(gitLabMemberRemoved(SENDER, PROJECT, "reader"))).toMatchObject({
    event_name: "user_remove_from_team",
    project_path_with_namespace: "group/nested/hello",
    user_username: "reader",
    user_id: 2,
  });
});

it("GitLab tells of pushes, after them", async () => {
  const { gitlab } = running.demo;
  const before = await gitlab.objectId("demo/other", "main");
  const after = await gitlab.commit("demo/other", "main", { "a.txt": "a" });
  await gitlab.createTag("demo/other", "v9", "refs/heads/main", true);
  await gitlab.deleteRef("demo/other", "refs/tags/v9");
  expect(await gitlab.delivered()).toMatchObject([{ status: 202 }, { status: 202 }, { status: 202 }]);
  const [moved, created, deleted] = told
    .toSorted((a, b) => order(a) - order(b))
    .map(({ payload }) => payload);
  expect(moved).toMatchObject({ ref: "refs/heads/main", before, after, project_id: 3 });
  expect(created).toMatchObject({ ref: "refs/tags/v9", before: NO_OBJECT, checkout_sha: after });
  expect(created?.["after"]).not.toBe(after);
  expect(deleted).toMatchObject({ ref: "refs/tags/v9", before: created?.["after"], after: NO_OBJECT });
});

/** Pushes a new commit to branches, with git, and gives its id. */
async function push(url: string, branches: readonly string[]): Promise<string> {
  const work = await mkdtemp(join(tmpdir(), "forgefront-test-"));
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  const git = async (...args: string[]) =>
    (await promisify(execFile)("git", [...identity, ...args], { cwd: work })).stdout.trim();
  await git("init", "--quiet");
  await git("commit", "--quiet", "--allow-empty", "--message=Push me");
  await git("push", "--quiet", url, ...branches.map((branch) => `HEAD:refs/heads/${branch}`));
  const commit = await git("rev-parse", "HEAD");
  await rm(work, { recursive: true });
  return commit;
}

it.each(["gitlab", "gitea"] as const)("%s tells of a push by git", async (name) => {
  const forge = running.demo[name];
  const user = name === "gitlab" ? "oauth2:glpat-other" : "other:gitea-other";
  const url = `${forge.url.replace("//", `//${user}@`)}/demo/other.git`;
  const after = await push(url, [`by-${name}`]);
  const outcomes = await forge.delivered();
  expect(outcomes.every((outcome) => outcome.kind === "answered")).toBe(true);
  const pushes = told.filter(({ payload }) => payload["before"] !== undefined);
  expect(pushes.map(({ payload }) => payload)).toMatchObject([
    { ref: `refs/heads/by-${name}`, before: NO_OBJECT, after },
  ]);
});

it("GitLab tells nothing of a push of more than three refs", async () => {
  const { gitlab } = running.demo;
  const url = `${gitlab.url.replace("//", "//oauth2:glpat-other@")}/demo/other.git`;
  await push(
    url,
    [1, 2, 3, 4].map((number) => `of-many-${number}`),
  );
  expect(await gitlab.delivered()).toEqual([]);
  expect(await gitlab.objectId("demo/other", "refs/heads/of-many-4")).toBeDefined();
});

/** Deliveries may overtake each other. */
function order({ payload }: Told): number {
  return payload["object_kind"] === "push" ? 0 : payload["before"] === NO_OBJECT ? 1 : 2;
}

it("GitLab tells of pipelines and their jobs", async () => {
  const { gitlab } = running.demo;
  const { id } = await gitlab.addPipeline("demo/hello");
  const job = gitlab.pipelines.addJob({ pipelineId: id, name: "test" });
  await gitlab.delivered();
  gitlab.pipelines.setStatus(id, "running");
  expect(await gitlab.delivered()).toHaveLength(1);
  gitlab.pipelines.remove(id);
  expect(await gitlab.delivered()).toEqual([]);
  expect(told.map(({ headers }) => String(headers["x-gitlab-event"])).toSorted()).toEqual([
    "Job Hook",
    "Pipeline Hook",
    "Pipeline Hook",
  ]);
  expect(told.at(-1)?.payload).toMatchObject({
    object_kind: "pipeline",
    object_attributes: { id, status: "running", stages: ["test"] },
    project: { id: 1, path_with_namespace: "demo/hello", visibility_level: 20 },
    builds: [{ id: job.id, name: "test" }],
  });
});

it("Gitea signs what it tells", async () => {
  const { gitea } = running.demo;
  const sha = await gitea.commit("demo/hello", "told", { "a.txt": "a" });
  const { id } = await gitea.addRun("demo/hello", { status: "success" });
  expect(await gitea.delivered()).toHaveLength(3);
  const events = new Map(told.map((one) => [one.headers["x-gitea-event"], one]));
  expect(events.get("create")?.payload).toMatchObject({ sha, ref: "told", ref_type: "branch" });
  expect(events.get("push")?.payload).toMatchObject({
    ref: "refs/heads/told",
    before: NO_OBJECT,
    after: sha,
  });
  expect(events.get("workflow_run")?.payload).toMatchObject({
    action: "completed",
    workflow_run: { id, conclusion: "success" },
    repository: { full_name: "demo/hello" },
  });
  for (const { headers, body } of told)
    expect(headers["x-gitea-signature"]).toBe(
      createHmac("sha256", "gitea-secret").update(body).digest("hex"),
    );
  gitea.actions.removeRun(id);
  await gitea.deleteRef("demo/hello", "refs/heads/told");
  await gitea.delivered();
});

it("keeps what could not be delivered, and holds nobody up", async () => {
  const { gitlab } = running.demo;
  const { hooks } = gitlab;
  gitlab.hooks = [{ url: "http://127.0.0.1:1/hook" }];
  const { id } = await gitlab.addPipeline("demo/hello");
  expect(await gitlab.delivered()).toMatchObject([{ kind: "failed" }]);
  gitlab.hooks = hooks;
  gitlab.pipelines.remove(id);
});
