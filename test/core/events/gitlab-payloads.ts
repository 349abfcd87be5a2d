import type { EventAnswer } from "../../../src/core/events/event.ts";
import { readGitlabEvent } from "../../../src/core/events/gitlab-event.ts";

/*
 * Payloads as GitLab documents them ("Webhook events", "System hooks"), without what is not read.
 */

export const ZEROS = "0".repeat(40);
export const BEFORE = "95790bf891e76fee5e1747ab589903a6a1f80f22";
export const AFTER = "da1560886d4f094c3e6c9ef40349f7d38b5d27d7";
export const TAG = "82b3d5ae55f7080f1e6022629cdb57bfae7cccc7";

export const PROJECT = {
  id: 15,
  web_url: "http://example.com/mike/diaspora",
  visibility_level: 0,
  path_with_namespace: "mike/diaspora",
  default_branch: "master",
};

export const PUSH = {
  object_kind: "push",
  event_name: "push",
  before: BEFORE,
  after: AFTER,
  ref: "refs/heads/master",
  checkout_sha: AFTER,
  message: "Hello World",
  project_id: 15,
  project: PROJECT,
  commits: [{ id: AFTER, message: "fixed readme" }],
  total_commits_count: 1,
};

export const TAG_PUSH = {
  ...PUSH,
  object_kind: "tag_push",
  event_name: "tag_push",
  before: ZEROS,
  after: TAG,
  ref: "refs/tags/v1.0.0",
  checkout_sha: AFTER,
};

export const PIPELINE = {
  object_kind: "pipeline",
  object_attributes: { id: 31, iid: 3, ref: "master", status: "success" },
  project: PROJECT,
};

export const JOB = {
  object_kind: "build",
  build_id: 1977,
  pipeline_id: 2366,
  project_id: 15,
  project: PROJECT,
};

export const OLD_JOB = {
  object_kind: "build",
  pipeline_id: 2366,
  project_id: 380,
  project_name: "Gitlab Org / Gitlab Test",
  repository: { name: "gitlab_test", homepage: "http://192.168.64.1:3005/gitlab-org/gitlab-test" },
};

export const RENAMED = {
  event_name: "project_rename",
  name: "Underscore",
  path: "underscore",
  path_with_namespace: "jsmith/underscore",
  project_id: 73,
  project_visibility: "internal",
  old_path_with_namespace: "jsmith/overscore",
};

export const TEAM = {
  event_name: "user_add_to_team",
  access_level: "Maintainer",
  project_id: 74,
  project_name: "StoreCloud",
  project_path: "storecloud",
  project_path_with_namespace: "jsmith/storecloud",
  user_username: "johnsmith",
};

export const MEMBER = {
  event_name: "user_add_to_group",
  group_access: "Maintainer",
  group_id: 78,
  group_name: "StoreCloud",
  group_path: "storecloud",
  user_username: "johnsmith",
};

export const GROUP_RENAMED = {
  event_name: "group_rename",
  name: "Better Name",
  path: "better-name",
  full_path: "parent-group/better-name",
  group_id: 64,
  old_path: "old-name",
  old_full_path: "parent-group/old-name",
};

export const SUBGROUP = {
  event_name: "subgroup_destroy",
  name: "subgroup1",
  path: "subgroup1",
  full_path: "group1/subgroup1",
  group_id: 10,
  parent_full_path: "group1",
};

export const USER_RENAMED = { event_name: "user_rename", user_id: 58, username: "new", old_username: "old" };

export const UPDATE = {
  event_name: "repository_update",
  project_id: 15,
  project: { ...PROJECT, id: undefined },
  changes: [
    { before: BEFORE, after: AFTER, ref: "refs/heads/master" },
    { before: ZEROS, after: TAG, ref: "refs/tags/v1" },
    { before: ZEROS, after: AFTER, ref: "refs/merge-requests/1/head" },
  ],
  refs: ["refs/heads/master", "refs/tags/v1", "refs/merge-requests/1/head"],
};

/** What is read of a payload that came by this hook. */
export function read(hook: string, payload: unknown): EventAnswer {
  return readGitlabEvent((name) => (name === "x-gitlab-event" ? hook : null), payload);
}
