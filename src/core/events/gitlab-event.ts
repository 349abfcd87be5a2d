import type { ReadHeader } from "../header-fields.ts";
import type { ChangeEvent, EventAnswer, ProjectNames } from "./event.ts";
import { hookOid, isHeadOrTag, isTag } from "./moved-ref.ts";
import {
  allTold,
  groupPath,
  IGNORED,
  isMembers,
  malformed,
  type Members,
  membersOf,
  numberOf,
  projectPath,
  textOf,
  told,
} from "./payload.ts";

/** What a payload that does not name its own event is by its header (one made by a custom template may not). */
const BY_HEADER: ReadonlyMap<string, string> = new Map([
  ["Push Hook", "push"],
  ["Tag Push Hook", "tag_push"],
  ["Pipeline Hook", "pipeline"],
  ["Job Hook", "build"],
]);

/** Headers of events whose payload alone says what they are. */
const NAMED_WITHIN: ReadonlySet<string> = new Set([
  "System Hook",
  "Project Hook",
  "Member Hook",
  "Subgroup Hook",
]);

const READERS: ReadonlyMap<string, (payload: Members) => EventAnswer> = new Map([
  ["push", readPush],
  ["tag_push", readPush],
  ["repository_update", readRepositoryUpdate],
  ["pipeline", (payload) => readPipeline(payload, membersOf(payload["object_attributes"])["id"])],
  ["build", readJob],
  ["project_create", readProject],
  ["project_destroy", readProject],
  ["project_rename", readProject],
  ["project_transfer", readProject],
  ["project_update", readProject],
  ["user_add_to_team", readProjectMember],
  ["user_update_for_team", readProjectMember],
  ["user_remove_from_team", readProjectMember],
  ["user_add_to_group", (payload) => readGroup(payload, ["group"])],
  ["user_update_for_group", (payload) => readGroup(payload, ["group"])],
  ["user_remove_from_group", (payload) => readGroup(payload, ["group"])],
  ["group_create", (payload) => readGroup(payload, [""])],
  ["group_destroy", (payload) => readGroup(payload, [""])],
  ["group_rename", (payload) => readGroup(payload, ["", "old"])],
  ["subgroup_create", (payload) => readGroup(payload, [""])],
  ["subgroup_destroy", (payload) => readGroup(payload, [""])],
  ["user_destroy", (payload) => readNamespace(payload, ["username"])],
  ["user_rename", (payload) => readNamespace(payload, ["username", "old_username"])],
]);

/**
 * What a delivery of GitLab says has changed (GitLab: "Webhook events", "System hooks").
 *
 * The payload's own name of the event counts before the header's: only the payload is signed, and the "Test" button
 * sends a push as a `Tag Push Hook`.
 */
export function readGitlabEvent(header: ReadHeader, payload: unknown): EventAnswer {
  const hook = textOf(header("x-gitlab-event"));
  if (hook === undefined) return malformed("X-Gitlab-Event", "set");
  if (!isMembers(payload)) return malformed("The payload", "an object");
  const name = textOf(payload["event_name"]) ?? textOf(payload["object_kind"]) ?? BY_HEADER.get(hook);
  if (name === undefined) return NAMED_WITHIN.has(hook) ? malformed("event_name", "a text") : IGNORED;
  return READERS.get(name)?.(payload) ?? IGNORED;
}

/** A path and a number, each where it is one; two that are the same are one. */
function named(...names: readonly (string | undefined)[]): ProjectNames {
  return [...new Set(names)].filter((name) => name !== undefined);
}

/** A project as most events carry it: older ones have its number only outside of `project`. */
function projectOf(payload: Members): { readonly names: ProjectNames; readonly defaultBranch?: string } {
  const project = membersOf(payload["project"]);
  const path = projectPath(project["path_with_namespace"]);
  if (path === undefined) return { names: [] };
  const defaultBranch = textOf(project["default_branch"]);
  const names = named(path, numberOf(project["id"] ?? payload["project_id"]));
  return { names, ...(defaultBranch !== undefined && { defaultBranch }) };
}

const NO_PROJECT = malformed("project.path_with_namespace", "the path of a project");

type Moved = {
  readonly ref: unknown;
  readonly before: unknown;
  readonly after: unknown;
  /** The commit that `after` stands for; told by pushes alone. */
  readonly checkoutSha: unknown;
};

function readPush(payload: Members): EventAnswer {
  const { ref, before, after, checkout_sha: checkoutSha } = payload;
  return readMoved(payload, [{ ref, before, after, checkoutSha }], () => "");
}

function readRepositoryUpdate(payload: Members): EventAnswer {
  const moved = payload["changes"];
  if (!Array.isArray(moved)) return malformed("changes", "a list");
  const refs = moved.map((change) => {
    const { ref, before, after } = membersOf(change);
    return { ref, before, after, checkoutSha: undefined };
  });
  return readMoved(payload, refs, (index) => `changes[${index}].`);
}

function readMoved(payload: Members, all: readonly Moved[], where: (index: number) => string): EventAnswer {
  const { names: project, defaultBranch } = projectOf(payload);
  if (project.length === 0) return NO_PROJECT;
  const events: ChangeEvent[] = [];
  for (const [index, moved] of all.entries()) {
    const ref = textOf(moved.ref);
    if (!ref?.startsWith("refs/")) return malformed(`${where(index)}ref`, "the full name of a ref");
    const before = hookOid(moved.before);
    if (before === undefined) return malformed(`${where(index)}before`, "an object id");
    const after = hookOid(moved.after);
    if (after === undefined) return malformed(`${where(index)}after`, "an object id");
    if (!isHeadOrTag(ref)) continue; // no ref that is asked for by a name
    const commits = commitsOf(ref, before.oid, after.oid, moved.checkoutSha);
    events.push({ kind: "push", project, ref, ...commits, defaultBranch });
  }
  return allTold(events);
}

/**
 * The commits of a moved ref. `before` and `after` of a tag are those of the tag object, where it has one; the commit
 * that a new tag stands for is `checkout_sha`, and none is told for an old one.
 */
function commitsOf(
  ref: string,
  before: string | undefined,
  after: string | undefined,
  checkoutSha: unknown,
): {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly isOfCommits: boolean;
} {
  if (!isTag(ref)) return { before, after, isOfCommits: true };
  const commit = after === undefined ? undefined : hookOid(checkoutSha)?.oid;
  return {
    before,
    after: commit ?? after,
    isOfCommits: before === undefined && (commit !== undefined || after === undefined),
  };
}

function readPipeline(payload: Members, id: unknown): EventAnswer {
  const pipeline = numberOf(id);
  if (pipeline === undefined) return malformed("object_attributes.id", "a number");
  const { names: project } = projectOf(payload);
  return project.length === 0 ? NO_PROJECT : told({ kind: "pipeline", project, pipeline });
}

const HOMEPAGE_PATH = /^https?:\/\/[^/?#]+\/([^?#]+)$/i;

/** Job events of older releases have no `project`: its number is beside it, its path is that of the home page. */
function readJob(payload: Members): EventAnswer {
  const pipeline = numberOf(payload["pipeline_id"]);
  if (pipeline === undefined) return malformed("pipeline_id", "a number");
  const { names } = projectOf(payload);
  if (names.length > 0) return told({ kind: "pipeline", project: names, pipeline });
  const homepage = textOf(membersOf(payload["repository"])["homepage"]);
  const path = projectPath(homepage === undefined ? undefined : HOMEPAGE_PATH.exec(homepage)?.[1]);
  const number = numberOf(payload["project_id"]);
  if (path === undefined || number === undefined) return NO_PROJECT;
  return told({ kind: "pipeline", project: named(path, number), pipeline });
}

function readProject(payload: Members): EventAnswer {
  const path = projectPath(payload["path_with_namespace"]);
  if (path === undefined) return malformed("path_with_namespace", "the path of a project");
  const was = payload["old_path_with_namespace"] ?? undefined;
  const oldPath = projectPath(was);
  if (was !== undefined && oldPath === undefined)
    return malformed("old_path_with_namespace", "the path of a project");
  return told({ kind: "access", project: named(path, numberOf(payload["project_id"]), oldPath) });
}

function readProjectMember(payload: Members): EventAnswer {
  const path = projectPath(payload["project_path_with_namespace"]);
  if (path === undefined) return malformed("project_path_with_namespace", "the path of a project");
  return told({ kind: "access", project: named(path, numberOf(payload["project_id"])) });
}

/**
 * All projects below a group, by each of the prefixes that its fields have. Of a member's group, and of
 * every one in older releases, only the last name is told: that stands for all groups of this name.
 */
function readGroup(payload: Members, prefixes: readonly string[]): EventAnswer {
  const names: string[] = [];
  for (const prefix of prefixes) {
    const start = prefix === "" ? "" : `${prefix}_`;
    const full = groupPath(payload[`${start}full_path`]);
    const last = groupPath(payload[`${start}path`]);
    if (full !== undefined) names.push(`${full}/`);
    else if (last !== undefined) names.push(`/${last}/`);
    else return malformed(`${start}path`, "the path of a group");
  }
  return told({ kind: "access", project: named(...names) });
}

/** All projects of a user, by the names that the fields have. */
function readNamespace(payload: Members, fields: readonly string[]): EventAnswer {
  const names: string[] = [];
  for (const field of fields) {
    const name = groupPath(payload[field]);
    if (name === undefined) return malformed(field, "the name of a user");
    names.push(`${name}/`);
  }
  return told({ kind: "access", project: named(...names) });
}
