import { groupPath, isMembers, type Members, numberOf, projectPath, textOf } from "./events/payload.ts";
import { parseJson } from "./parse-json.ts";
import type { SiteKind } from "./site.ts";

/** What of a site is to be forgotten. A project is a path or, at GitLab, a number. */
export type Selection =
  /** Everything of a project. */
  | { readonly kind: "project"; readonly project: string }
  /** What a branch or tag is, by its short or full name, or what `HEAD` is. */
  | { readonly kind: "ref"; readonly project: string; readonly ref: string }
  /** All lists of pipelines, and all pipelines and their jobs. */
  | { readonly kind: "pipelines"; readonly project: string }
  /** One pipeline and its jobs. */
  | { readonly kind: "pipeline"; readonly project: string; readonly pipeline: string }
  /** Every project below a group or owner; without a slash at either end. */
  | { readonly kind: "group"; readonly group: string }
  | { readonly kind: "object"; readonly bucket: string; readonly key: string }
  /** All objects of a bucket whose keys begin like this; with an empty prefix, all of them. */
  | { readonly kind: "prefix"; readonly bucket: string; readonly prefix: string };

export type Purge = {
  readonly selection: Selection;
  /** The selection as it was spelled. */
  readonly spelled: Members;
  readonly isDryRun: boolean;
};

export type PurgeAnswer =
  | ({ readonly kind: "purge" } & Purge)
  | { readonly kind: "malformed"; readonly detail: string };

const FORGE_FIELDS = ["project", "group", "ref", "pipelines", "pipeline"] as const;
const STORE_FIELDS = ["bucket", "key", "prefix"] as const;

type Field = (typeof FORGE_FIELDS)[number] | (typeof STORE_FIELDS)[number];

/** The fields that each kind of site has: Gitea and Forgejo have no URL that names one pipeline. */
const FIELDS: Readonly<Record<SiteKind, readonly Field[]>> = {
  gitlab: FORGE_FIELDS,
  gitea: FORGE_FIELDS.filter((name) => name !== "pipeline"),
  s3: STORE_FIELDS,
};

/** Which other field each field goes with; exactly one selection is left. */
const BELONGS: Readonly<Record<Field, Field | undefined>> = {
  project: undefined,
  group: undefined,
  ref: "project",
  pipelines: "project",
  pipeline: "project",
  bucket: undefined,
  key: "bucket",
  prefix: "bucket",
};

/** How much of a field's name is shown again. */
const LONGEST_SHOWN = 40;

/** Reads the body of a purge; the detail of a malformed one names the field. */
export function readPurge(kind: SiteKind, text: string): PurgeAnswer {
  const body = parseJson(text);
  if (!isMembers(body)) return malformed("The body must be a JSON object");
  const { dry_run: dryRun = false, ...spelled } = body;
  if (typeof dryRun !== "boolean") return malformed("dry_run must be true or false");
  const problem = problemOfNames(kind, Object.keys(spelled));
  if (problem !== undefined) return malformed(problem);
  const selection = kind === "s3" ? readOfStore(spelled) : readOfForge(kind, spelled);
  if (typeof selection === "string") return malformed(selection);
  return { kind: "purge", selection, spelled, isDryRun: dryRun };
}

function malformed(detail: string): PurgeAnswer {
  return { kind: "malformed", detail };
}

function problemOfNames(kind: SiteKind, names: readonly string[]): string | undefined {
  const fields: readonly string[] = FIELDS[kind];
  const unfit = names.find((name) => !fields.includes(name));
  if (unfit !== undefined)
    return Object.hasOwn(BELONGS, unfit)
      ? `${unfit} does not fit a site of kind ${kind}`
      : `${JSON.stringify(unfit.slice(0, LONGEST_SHOWN))} is no field of a purge`;
  const given = FIELDS[kind].filter((name) => names.includes(name));
  const [first, second] = given.filter((name) => BELONGS[name] === undefined);
  if (second !== undefined) return `${first} and ${second} cannot go together`;
  if (first === undefined) return missing(kind);
  const [narrower, another] = given.filter((name) => BELONGS[name] !== undefined);
  if (narrower !== undefined && BELONGS[narrower] !== first) return `${narrower} cannot go with ${first}`;
  return another === undefined ? undefined : `${narrower} and ${another} cannot go together`;
}

function missing(kind: SiteKind): string {
  const wide = FIELDS[kind].filter((name) => BELONGS[name] === undefined);
  return `${wide.join(" or ")} must say what is to be purged`;
}

function readOfForge(kind: "gitlab" | "gitea", spelled: Members): Selection | string {
  if ("group" in spelled) {
    const group = groupPath(spelled["group"]);
    return group === undefined
      ? "group must be the path of a group or owner, without a slash at either end"
      : { kind: "group", group };
  }
  const project = readProject(kind, spelled["project"]);
  if (project === undefined)
    return kind === "gitlab"
      ? "project must be a path (group/project) or a number"
      : "project must be a path (owner/name)";
  if ("ref" in spelled) {
    const ref = textOf(spelled["ref"]);
    return ref === undefined ? "ref must be the name of a branch or tag" : { kind: "ref", project, ref };
  }
  if ("pipelines" in spelled)
    return spelled["pipelines"] === true ? { kind: "pipelines", project } : "pipelines must be true";
  if (!("pipeline" in spelled)) return { kind: "project", project };
  const pipeline = numberOf(spelled["pipeline"]);
  return pipeline === undefined ? "pipeline must be a number" : { kind: "pipeline", project, pipeline };
}

/** Gitea's and Forgejo's URLs know a project by its owner and name alone. */
function readProject(kind: "gitlab" | "gitea", value: unknown): string | undefined {
  const path = projectPath(value);
  if (kind === "gitlab") return path ?? numberOf(value);
  return path?.split("/").length === 2 ? path : undefined;
}

function readOfStore(spelled: Members): Selection | string {
  const bucket = textOf(spelled["bucket"]);
  if (bucket === undefined) return "bucket must be the name of a bucket";
  if ("key" in spelled) {
    const key = textOf(spelled["key"]);
    return key === undefined ? "key must be the key of an object" : { kind: "object", bucket, key };
  }
  if (!("prefix" in spelled)) return { kind: "prefix", bucket, prefix: "" };
  const prefix = textOf(spelled["prefix"]);
  return prefix === undefined ? "prefix must be what keys begin with" : { kind: "prefix", bucket, prefix };
}
