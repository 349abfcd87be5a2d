import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readGitlabEvent } from "../../../src/core/events/gitlab-event.ts";
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
  TAG_PUSH,
  TEAM,
  UPDATE,
  USER_RENAMED,
} from "./gitlab-payloads.ts";

describe("what is wrong", () => {
  const without = (payload: object, field: string) => ({ ...payload, [field]: undefined });

  it.each<[string, string, unknown]>([
    ["The payload must be an object", "Push Hook", [PUSH]],
    ["event_name must be a text", "System Hook", { project: PROJECT }],
    ["event_name must be a text", "Member Hook", {}],
    ["project.path_with_namespace must be the path of a project", "Push Hook", without(PUSH, "project")],
    [
      "project.path_with_namespace must be the path of a project",
      "Push Hook",
      { ...PUSH, project: { ...PROJECT, path_with_namespace: "mike/" } },
    ],
    [
      "project.path_with_namespace must be the path of a project",
      "Push Hook",
      { ...PUSH, project: { ...PROJECT, path_with_namespace: "diaspora" } },
    ],
    ["ref must be the full name of a ref", "Push Hook", { ...PUSH, ref: "master" }],
    ["ref must be the full name of a ref", "Push Hook", { ...PUSH, ref: ["refs/heads/master"] }],
    ["before must be an object id", "Push Hook", without(PUSH, "before")],
    ["before must be an object id", "Push Hook", { ...PUSH, before: BEFORE.slice(1) }],
    ["after must be an object id", "Push Hook", { ...PUSH, after: null }],
    ["after must be an object id", "Tag Push Hook", { ...TAG_PUSH, after: AFTER.toUpperCase() }],
    ["changes must be a list", "System Hook", { ...UPDATE, changes: { 0: UPDATE.changes[0] } }],
    [
      "changes[1].after must be an object id",
      "System Hook",
      { ...UPDATE, changes: [UPDATE.changes[0], { ...UPDATE.changes[1], after: 1 }] },
    ],
    ["changes[0].ref must be the full name of a ref", "System Hook", { ...UPDATE, changes: [null] }],
    ["object_attributes.id must be a number", "Pipeline Hook", without(PIPELINE, "object_attributes")],
    ["object_attributes.id must be a number", "Pipeline Hook", { ...PIPELINE, object_attributes: { id: 0 } }],
    [
      "project.path_with_namespace must be the path of a project",
      "Pipeline Hook",
      without(PIPELINE, "project"),
    ],
    ["pipeline_id must be a number", "Job Hook", { ...JOB, pipeline_id: "31/../32" }],
    ["project.path_with_namespace must be the path of a project", "Job Hook", without(OLD_JOB, "repository")],
    ["project.path_with_namespace must be the path of a project", "Job Hook", without(OLD_JOB, "project_id")],
    [
      "path_with_namespace must be the path of a project",
      "System Hook",
      without(RENAMED, "path_with_namespace"),
    ],
    [
      "old_path_with_namespace must be the path of a project",
      "System Hook",
      { ...RENAMED, old_path_with_namespace: 5 },
    ],
    [
      "project_path_with_namespace must be the path of a project",
      "System Hook",
      without(TEAM, "project_path_with_namespace"),
    ],
    ["group_path must be the path of a group", "Member Hook", { ...MEMBER, group_path: "" }],
    ["path must be the path of a group", "Subgroup Hook", { event_name: "subgroup_create" }],
    [
      "old_path must be the path of a group",
      "System Hook",
      { ...GROUP_RENAMED, old_path: "/", old_full_path: undefined },
    ],
    ["old_username must be the name of a user", "System Hook", without(USER_RENAMED, "old_username")],
  ])("readGitlabEvent() does say %j (%s)", (detail, hook, payload) => {
    expect(read(hook, payload)).toEqual({ kind: "malformed", detail });
  });

  it("readGitlabEvent() does take nothing without the header", () => {
    const detail = "X-Gitlab-Event must be set";
    expect(readGitlabEvent(() => null, PUSH)).toEqual({ kind: "malformed", detail });
  });
});

describe("any payload", () => {
  const hooks = fc.constantFrom("Push Hook", "Pipeline Hook", "Job Hook", "System Hook");
  const names = fc.constantFrom(
    "push",
    "tag_push",
    "repository_update",
    "pipeline",
    "build",
    "project_transfer",
    "user_add_to_team",
    "user_add_to_group",
    "group_rename",
    "user_rename",
  );
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom("", "/", "a/", "/a", "a//b", "a/b", AFTER, 3),
  );

  it("readGitlabEvent() does neither throw nor tell of what has no name", () => {
    const base = {
      ...PUSH,
      ...PIPELINE,
      ...JOB,
      ...RENAMED,
      ...TEAM,
      ...MEMBER,
      ...GROUP_RENAMED,
      ...USER_RENAMED,
    };
    const fields = fc.dictionary(fc.constantFrom(...Object.keys(base), "changes"), odd, { maxKeys: 6 });
    const project = fc.option(fc.record({ path_with_namespace: odd, id: odd, default_branch: odd }), {
      nil: PROJECT,
    });
    let told = 0;
    fc.assert(
      fc.property(hooks, names, fields, project, (hook, name, changed, of) => {
        const answer = read(hook, { ...base, project: of, ...changed, event_name: name });
        if (answer.kind !== "events") return;
        told += 1;
        for (const event of answer.events) {
          if (event.kind === "object") throw new Error("no event of a forge");
          expect(event.project.length).toBeGreaterThan(0);
          for (const each of event.project)
            expect(each).toMatch(/^(?:\d+|[^/]+(?:\/[^/]+)+|\/?(?:[^/]+\/)+)$/);
          if (event.kind !== "access") expect(event.project[0]).not.toMatch(/^\/|\/$/);
        }
      }),
      { numRuns: 500 },
    );
    expect(told).toBeGreaterThan(50);
  });

  it("readGitlabEvent() does answer whatever JSON there is", () => {
    fc.assert(
      fc.property(hooks, fc.jsonValue(), (hook, payload) => {
        expect(read(hook, payload).kind).toMatch(/^(?:ignored|malformed)$/);
      }),
      { numRuns: 200 },
    );
  });

  it("readGitlabEvent() does repeat nothing of a payload that is wrong", () => {
    const secret = "s3cr3t-text";
    for (const name of ["push", "repository_update", "project_rename", "user_add_to_group", "group_rename"]) {
      const payload = {
        event_name: name,
        ref: secret,
        before: secret,
        project: secret,
        changes: [secret],
        path: 1,
      };
      expect(JSON.stringify(read("System Hook", payload))).not.toContain(secret);
    }
  });
});
