import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventAnswer } from "../../../src/core/events/event.ts";
import { readGiteaEvent } from "../../../src/core/events/gitea-event.ts";

const ZEROS = "0".repeat(40);
const BEFORE = "28e1879d029cb852e4844d9c718537df08844e03";
const AFTER = "bffeb74224043ba2feb48d137756c8a9331c449a";

const REPOSITORY = { id: 140, name: "webhooks", full_name: "gitea/webhooks", default_branch: "main" };
const PUSH = { ref: "refs/heads/develop", before: BEFORE, after: AFTER, commits: [], repository: REPOSITORY };
const CREATE = { sha: AFTER, ref: "a/b", ref_type: "branch", repository: REPOSITORY };
const DELETE = { ref: "v1", ref_type: "tag", pusher_type: "user", repository: REPOSITORY };

function read(event: string, payload: unknown, field = "x-gitea-event"): EventAnswer {
  return readGiteaEvent((name) => (name === field ? event : null), payload);
}

const PROJECT = ["gitea/webhooks"];

function push(ref: string, before: string | undefined, after: string | undefined, isOfCommits = true) {
  return { kind: "push", project: PROJECT, ref, before, after, isOfCommits, defaultBranch: "main" };
}

function pipeline(id: string | undefined) {
  return { kind: "pipeline", project: PROJECT, pipeline: id };
}

describe("what changed", () => {
  it.each<[string, object, object]>([
    ["push", PUSH, push("refs/heads/develop", BEFORE, AFTER)],
    ["push", { ...PUSH, before: ZEROS }, push("refs/heads/develop", undefined, AFTER)],
    ["push", { ...PUSH, after: ZEROS }, push("refs/heads/develop", BEFORE, undefined)],
    ["push", { ...PUSH, ref: "refs/tags/v1" }, push("refs/tags/v1", BEFORE, AFTER, false)],
    ["create", CREATE, push("refs/heads/a/b", undefined, AFTER)],
    ["create", { ...CREATE, ref_type: "tag" }, push("refs/tags/a/b", undefined, AFTER, false)],
    ["delete", DELETE, push("refs/tags/v1", undefined, undefined, false)],
    ["delete", { ...DELETE, ref_type: "branch" }, push("refs/heads/v1", undefined, undefined, false)],
    ["repository", { action: "deleted", repository: REPOSITORY }, { kind: "access", project: PROJECT }],
    ["repository", { action: "created", repository: REPOSITORY }, { kind: "access", project: PROJECT }],
    ["workflow_run", { workflow_run: { id: 7, run_number: 2 }, repository: REPOSITORY }, pipeline("7")],
    ["workflow_job", { workflow_job: { id: 9, run_id: 7 }, repository: REPOSITORY }, pipeline("7")],
    ["workflow_job_waiting", { run: { id: 8 }, job: { id: 9 }, repository: REPOSITORY }, pipeline("8")],
    ["workflow_run_success", { run: { id: 8 }, repository: REPOSITORY }, pipeline("8")],
    ["action_run_failure", { action: "failure", run: { id: 8, repository: REPOSITORY } }, pipeline("8")],
    ["workflow_run", { repository: REPOSITORY }, pipeline(undefined)],
    ["status", { id: 3, sha: AFTER, state: "success", repository: REPOSITORY }, pipeline(undefined)],
  ])("readGiteaEvent() does tell of %s %j", (event, payload, wanted) => {
    expect(read(event, payload)).toEqual({ kind: "events", events: [wanted] });
  });

  it.each([["x-forgejo-event"], ["x-gitea-event"], ["x-github-event"]])(
    "readGiteaEvent() does know the event by %s",
    (field) => {
      expect(read("push", PUSH, field).kind).toBe("events");
    },
  );

  it("readGiteaEvent() does believe the forge's own field first", () => {
    const fields = new Map([
      ["x-forgejo-event", "issues"],
      ["x-gitea-event", "push"],
      ["x-github-event", "push"],
    ]);
    expect(readGiteaEvent((name) => fields.get(name) ?? null, PUSH)).toEqual({ kind: "ignored" });
  });

  it.each<[string, object]>([
    ["issues", { action: "opened", repository: REPOSITORY }],
    ["pull_request", { action: "synchronized", repository: REPOSITORY }],
    ["wiki", { action: "edited", repository: REPOSITORY }],
    ["release", { action: "published", repository: REPOSITORY }],
    ["fork", { forkee: REPOSITORY, repository: REPOSITORY }],
    ["package", { action: "created" }],
    ["workflow_dispatch", {}],
    ["constructor", {}],
    ["push", { ...PUSH, ref: "refs/pull/1/head" }],
  ])("readGiteaEvent() does ignore %s %j", (event, payload) => {
    expect(read(event, payload)).toEqual({ kind: "ignored" });
  });
});

describe("what is wrong", () => {
  it.each<[string, string, unknown]>([
    ["The payload must be an object", "push", "text"],
    ["repository.full_name must be an owner and a name", "push", { ...PUSH, repository: null }],
    ["repository.full_name must be an owner and a name", "repository", { repository: { full_name: "a" } }],
    ["repository.full_name must be an owner and a name", "status", { repository: { full_name: "a/" } }],
    ["ref must be the full name of a ref", "push", { ...PUSH, ref: "develop" }],
    ["before must be an object id", "push", { ...PUSH, before: "" }],
    ["after must be an object id", "push", { ...PUSH, after: undefined }],
    ["sha must be an object id", "create", { ...CREATE, sha: ZEROS }],
    ["ref must be a text", "create", { ...CREATE, ref: "" }],
    ["ref_type must be branch or tag", "create", { ...CREATE, ref_type: "repository" }],
    ["ref_type must be branch or tag", "delete", { ...DELETE, ref_type: undefined }],
  ])("readGiteaEvent() does say %j (%s)", (detail, event, payload) => {
    expect(read(event, payload)).toEqual({ kind: "malformed", detail });
  });

  it("readGiteaEvent() does take nothing without the header", () => {
    const detail = "X-Gitea-Event must be set";
    expect(readGiteaEvent(() => null, PUSH)).toEqual({ kind: "malformed", detail });
  });

  it("readGiteaEvent() does neither throw nor tell of what has no name, whatever there is", () => {
    const events = fc.constantFrom("push", "create", "delete", "repository", "workflow_run", "status");
    const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("/", "a/b", "a/", AFTER, "branch"));
    const fields = fc.dictionary(fc.constantFrom("ref", "before", "after", "sha", "ref_type"), odd, {
      maxKeys: 2,
    });
    const names = fc.oneof({ weight: 2, arbitrary: fc.constant("a/b") }, odd);
    let told = 0;
    fc.assert(
      fc.property(events, fields, names, (event, changed, name) => {
        const payload = { ...PUSH, ...CREATE, ...changed, repository: { full_name: name } };
        const answer = read(event, payload);
        if (answer.kind !== "events") return;
        told += 1;
        for (const each of answer.events)
          expect("project" in each && each.project.every((path) => /^[^/]+\/[^/].*$/.test(path))).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(told).toBeGreaterThan(50);
  });
});
