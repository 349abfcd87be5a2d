import type { ReadHeader } from "../header-fields.ts";
import type { EventAnswer, ProjectNames } from "./event.ts";
import { hookOid, isHeadOrTag, isTag } from "./moved-ref.ts";
import {
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

type Repository = { readonly project: ProjectNames; readonly defaultBranch: string | undefined };

const READERS: ReadonlyMap<string, (payload: Members, repository: Repository) => EventAnswer> = new Map([
  ["push", readPush],
  ["create", readCreate],
  ["delete", readDelete],
  ["repository", (_payload, { project }) => told({ kind: "access", project })],
  ["status", (_payload, { project }) => told({ kind: "pipeline", project, pipeline: undefined })],
]);

/** Gitea has two such events; Forgejo one for each state, and `action_run_failure`, `…_recover`, `…_success`. */
const OF_PIPELINES = /^(?:workflow_run|workflow_job|action_run)(?:_|$)/;

/**
 * What a delivery of Gitea or Forgejo says has changed (Gitea: modules/structs/hook.go). They tell of neither a renamed,
 * a moved nor a hidden repository, and of no members.
 */
export function readGiteaEvent(header: ReadHeader, payload: unknown): EventAnswer {
  const name = ["x-forgejo-event", "x-gitea-event", "x-github-event"]
    .map((field) => textOf(header(field)))
    .find((value) => value !== undefined);
  if (name === undefined) return malformed("X-Gitea-Event", "set");
  if (!isMembers(payload)) return malformed("The payload", "an object");
  const read = OF_PIPELINES.test(name) ? readRun : READERS.get(name);
  if (read === undefined) return IGNORED;
  const repository = repositoryOf(payload);
  return repository === undefined
    ? malformed("repository.full_name", "an owner and a name")
    : read(payload, repository);
}

/** The repository of an event; Forgejo's `action_run_*` have it in the run. */
function repositoryOf(payload: Members): Repository | undefined {
  const repository = membersOf(payload["repository"] ?? membersOf(payload["run"])["repository"]);
  const path = projectPath(repository["full_name"]);
  return path === undefined
    ? undefined
    : { project: [path], defaultBranch: textOf(repository["default_branch"]) };
}

function readPush(payload: Members, repository: Repository): EventAnswer {
  const ref = textOf(payload["ref"]);
  if (!ref?.startsWith("refs/")) return malformed("ref", "the full name of a ref");
  const before = hookOid(payload["before"]);
  if (before === undefined) return malformed("before", "an object id");
  const after = hookOid(payload["after"]);
  if (after === undefined) return malformed("after", "an object id");
  return moved(ref, before.oid, after.oid, repository);
}

/** The ids of a tag may be those of tag objects: no field has the commit. */
function moved(
  ref: string,
  before: string | undefined,
  after: string | undefined,
  { project, defaultBranch }: Repository,
): EventAnswer {
  if (!isHeadOrTag(ref)) return IGNORED;
  return told({ kind: "push", project, ref, before, after, isOfCommits: !isTag(ref), defaultBranch });
}

function readCreate(payload: Members, repository: Repository): EventAnswer {
  const ref = shortRef(payload);
  if (typeof ref !== "string") return ref;
  const after = hookOid(payload["sha"])?.oid;
  return after === undefined ? malformed("sha", "an object id") : moved(ref, undefined, after, repository);
}

/** What a deleted ref was is not told; a `push` of the same tells it. */
function readDelete(payload: Members, { project, defaultBranch }: Repository): EventAnswer {
  const ref = shortRef(payload);
  if (typeof ref !== "string") return ref;
  const gone = { before: undefined, after: undefined, isOfCommits: false };
  return told({ kind: "push", project, ref, ...gone, defaultBranch });
}

/** A ref of which the short name and the type are told. */
function shortRef(payload: Members): string | EventAnswer {
  const ref = textOf(payload["ref"]);
  if (ref === undefined) return malformed("ref", "a text");
  if (payload["ref_type"] === "branch") return `refs/heads/${ref}`;
  if (payload["ref_type"] === "tag") return `refs/tags/${ref}`;
  return malformed("ref_type", "branch or tag");
}

function readRun(payload: Members, { project }: Repository): EventAnswer {
  const run = membersOf(payload["workflow_run"])["id"];
  const ofJob = membersOf(payload["workflow_job"])["run_id"];
  const pipeline = numberOf(run ?? ofJob ?? membersOf(payload["run"])["id"]);
  return told({ kind: "pipeline", project, pipeline });
}
