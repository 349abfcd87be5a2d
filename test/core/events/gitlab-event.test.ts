import { describe, expect, it } from "vitest";
import {
  AFTER,
  BEFORE,
  GROUP_RENAMED,
  JOB,
  MEMBER,
  OLD_JOB,
  PIPELINE,
  PROJECT,
  PUSH,
  read,
  RENAMED,
  SUBGROUP,
  TAG,
  TAG_PUSH,
  TEAM,
  UPDATE,
  USER_RENAMED,
  ZEROS,
} from "./gitlab-payloads.ts";

const LONG = "a".repeat(64);
const NAMES = ["mike/diaspora", "15"];

function push(members: object) {
  const known = {
    kind: "push",
    project: NAMES,
    ref: "refs/heads/master",
    before: BEFORE,
    after: AFTER,
    isOfCommits: true,
    defaultBranch: "master",
  };
  return { ...known, ...members };
}

function access(...project: readonly string[]) {
  return { kind: "access", project };
}

function pipeline(id: string, project = NAMES) {
  return { kind: "pipeline", project, pipeline: id };
}

describe("what changed", () => {
  it.each<[string, string, object, object[]]>([
    ["a push", "Push Hook", PUSH, [push({})]],
    ["a push told to the whole site", "System Hook", { ...PUSH, object_kind: undefined }, [push({})]],
    ["the test of a tag's hook, which sends a push", "Tag Push Hook", PUSH, [push({})]],
    ["a new branch", "Push Hook", { ...PUSH, before: ZEROS }, [push({ before: undefined })]],
    [
      "a deleted branch",
      "Push Hook",
      { ...PUSH, after: ZEROS, checkout_sha: null },
      [push({ after: undefined })],
    ],
    [
      "a push to a SHA-256 repository",
      "Push Hook",
      { ...PUSH, before: "0".repeat(64), after: LONG },
      [push({ before: undefined, after: LONG })],
    ],
    [
      "a push to a repository that has no branch yet",
      "Push Hook",
      { ...PUSH, project: { ...PROJECT, default_branch: null } },
      [push({ defaultBranch: undefined })],
    ],
    [
      "a push whose number is beside the project",
      "Push Hook",
      { ...PUSH, project_id: 7, project: { path_with_namespace: "a/b/c" } },
      [push({ project: ["a/b/c", "7"], defaultBranch: undefined })],
    ],
    [
      "a push by a template that leaves out what it is",
      "Push Hook",
      { ...PUSH, object_kind: undefined, event_name: undefined },
      [push({})],
    ],
    [
      "a new tag, by the commit it stands for",
      "Tag Push Hook",
      TAG_PUSH,
      [push({ ref: "refs/tags/v1.0.0", before: undefined })],
    ],
    [
      "a new tag of what is no commit",
      "Tag Push Hook",
      { ...TAG_PUSH, checkout_sha: null },
      [push({ ref: "refs/tags/v1.0.0", before: undefined, after: TAG, isOfCommits: false })],
    ],
    [
      "a moved tag",
      "Tag Push Hook",
      { ...TAG_PUSH, before: BEFORE },
      [push({ ref: "refs/tags/v1.0.0", isOfCommits: false })],
    ],
    [
      "a deleted tag",
      "Tag Push Hook",
      { ...TAG_PUSH, before: BEFORE, after: ZEROS, checkout_sha: null },
      [push({ ref: "refs/tags/v1.0.0", after: undefined, isOfCommits: false })],
    ],
    [
      "all refs of a push",
      "System Hook",
      UPDATE,
      [push({}), push({ ref: "refs/tags/v1", before: undefined, after: TAG, isOfCommits: false })],
    ],
    ["a pipeline", "Pipeline Hook", PIPELINE, [pipeline("31")]],
    ["a job", "Job Hook", JOB, [pipeline("2366")]],
    ["a job of an older release", "Job Hook", OLD_JOB, [pipeline("2366", ["gitlab-org/gitlab-test", "380"])]],
    ["a renamed project", "System Hook", RENAMED, [access("jsmith/underscore", "73", "jsmith/overscore")]],
    [
      "a moved project",
      "System Hook",
      { ...RENAMED, event_name: "project_transfer", path_with_namespace: "scores/underscore" },
      [access("scores/underscore", "73", "jsmith/overscore")],
    ],
    ...["project_create", "project_destroy", "project_update"].flatMap((name) =>
      ["System Hook", "Project Hook"].map((hook): [string, string, object, object[]] => [
        name,
        hook,
        { ...RENAMED, event_name: name, old_path_with_namespace: undefined },
        [access("jsmith/underscore", "73")],
      ]),
    ),
    ...["user_add_to_team", "user_update_for_team", "user_remove_from_team"].map(
      (name): [string, string, object, object[]] => [
        name,
        "System Hook",
        { ...TEAM, event_name: name },
        [access("jsmith/storecloud", "74")],
      ],
    ),
    ...["user_add_to_group", "user_update_for_group", "user_remove_from_group"].flatMap((name) =>
      ["System Hook", "Member Hook"].map((hook): [string, string, object, object[]] => [
        name,
        hook,
        { ...MEMBER, event_name: name },
        [access("/storecloud/")],
      ]),
    ),
    [
      "a renamed group",
      "System Hook",
      GROUP_RENAMED,
      [access("parent-group/better-name/", "parent-group/old-name/")],
    ],
    [
      "a renamed group of an older release",
      "System Hook",
      { ...GROUP_RENAMED, full_path: undefined, old_full_path: undefined },
      [access("/better-name/", "/old-name/")],
    ],
    ["a deleted subgroup", "Subgroup Hook", SUBGROUP, [access("group1/subgroup1/")]],
    [
      "a deleted group",
      "System Hook",
      { event_name: "group_destroy", path: "storecloud", full_path: "storecloud", group_id: 78 },
      [access("storecloud/")],
    ],
    ["a renamed user", "System Hook", USER_RENAMED, [access("new/", "old/")]],
    ["a deleted user", "System Hook", { event_name: "user_destroy", username: "js" }, [access("js/")]],
  ])("readGitlabEvent() does tell of %s (%s)", (_case, hook, payload, events) => {
    expect(read(hook, payload)).toEqual({ kind: "events", events });
  });

  it("readGitlabEvent() does tell of more refs than a call may have arguments", () => {
    const many = Array.from({ length: 150_000 }, () => UPDATE.changes[0]);
    const answer = read("System Hook", { ...UPDATE, changes: many });
    expect(answer.kind === "events" && answer.events.length).toBe(many.length);
  });

  it.each<[string, object]>([
    ["Issue Hook", { object_kind: "issue", event_type: "issue", project: PROJECT }],
    ["Note Hook", { object_kind: "note", project: PROJECT }],
    ["Merge Request Hook", {}],
    ["System Hook", { object_kind: "merge_request", project: PROJECT }],
    ["System Hook", { event_name: "user_create", username: "js" }],
    ["System Hook", { event_name: "user_failed_login", username: "js" }],
    ["System Hook", { event_name: "key_create", username: "root", id: 4 }],
    ["System Hook", { ...TEAM, event_name: "user_access_request_to_project" }],
    ["Member Hook", { ...MEMBER, event_name: "user_access_request_denied_for_group" }],
    ["System Hook", { object_kind: "gitlab_subscription_member_approval", action: "enqueue" }],
    ["Resource Access Token Hook", { object_kind: "access_token", event_name: "expiring_access_token" }],
    ["Some New Hook", { event_name: "constructor" }],
    ["Push Hook", { ...PUSH, ref: "refs/merge-requests/1/head" }],
    ["System Hook", { ...UPDATE, changes: [] }],
  ])("readGitlabEvent() does ignore %s %j", (hook, payload) => {
    expect(read(hook, payload)).toEqual({ kind: "ignored" });
  });
});
