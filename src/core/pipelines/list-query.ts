import { credentialParameters } from "../principal.ts";
import type { ForgeKind } from "../site.ts";
import type { PipelinesResource } from "../target.ts";
import { uriEncode } from "../uri-encode.ts";
import { count, oneOf, type Parameter, TEXT, TIMESTAMP, truth } from "./parameters.ts";
import { type QueryPair, readPairs } from "./query-pairs.ts";
import { SOURCES } from "./sources.ts";

type Parameters = ReadonlyMap<string, Parameter>;

/** Characters of a canonical query; a longer one is more than a list's filters need. */
const LONGEST = 2048;

/** GitLab: `Ci::HasStatus::AVAILABLE_STATUSES`, of pipelines and of jobs. */
const GITLAB_STATUSES =
  "created waiting_for_resource preparing waiting_for_callback pending running success failed canceling canceled " +
  "skipped manual scheduled";

/** Gitea: `routers/api/v1/shared/action.go`, and Forgejo's `StatusFromString`. Each takes some of them. */
const GITEA_STATUSES =
  "pending waiting requested action_required queued in_progress completed failure success skipped neutral cancelled " +
  "timed_out unknown running blocked";

/** GitLab: `lib/api/pagination_params.rb`, and Kaminari's `max_per_page`. */
const GITLAB_PAGES = { page: count(undefined, "1"), per_page: count(100, "20") };
/** How many there are on a page by default, and at most, is each installation's own setting. */
const GITEA_PAGES = { page: count(undefined, "1"), limit: count() };

const NONE: Parameters = new Map();

/** What can be asked of each resource (GitLab: `lib/api/ci/pipelines.rb`; Gitea, Forgejo: `routers/api/v1/repo/action.go`). */
const PARAMETERS: Record<ForgeKind, Partial<Record<PipelinesResource["kind"], Parameters>>> = {
  gitlab: {
    list: table({
      ...GITLAB_PAGES,
      scope: oneOf("running pending finished branches tags"),
      status: oneOf(GITLAB_STATUSES),
      ref: TEXT,
      sha: TEXT,
      yaml_errors: truth(),
      username: TEXT,
      updated_after: TIMESTAMP,
      updated_before: TIMESTAMP,
      created_after: TIMESTAMP,
      created_before: TIMESTAMP,
      order_by: oneOf("id status ref updated_at user_id", "id"),
      sort: oneOf("asc desc", "desc"),
      source: oneOf(["unknown", ...SOURCES].join(" ")),
      name: TEXT,
    }),
    latest: table({ ref: TEXT }),
    pipeline: NONE,
    jobs: table({
      ...GITLAB_PAGES,
      "scope[]": { ...oneOf(GITLAB_STATUSES), isSet: true },
      include_retried: truth("false"),
    }),
  },
  gitea: {
    list: table({
      ...GITEA_PAGES,
      event: TEXT,
      branch: TEXT,
      status: oneOf(GITEA_STATUSES),
      actor: TEXT,
      head_sha: TEXT,
      exclude_pull_requests: oneOf("true false", "false"),
      ref: TEXT,
      run_number: count(),
      workflow_id: TEXT,
    }),
    tasks: table({ ...GITEA_PAGES, status: oneOf(GITEA_STATUSES) }),
  },
};

/**
 * The query of a list in the one spelling that all of its meaning have: sorted by name, defaults left out, without
 * credentials; `undefined` where the origin may not take it, or could read it in another way.
 */
export function canonicalQuery(
  kind: ForgeKind,
  resource: PipelinesResource["kind"],
  search: string,
): string | undefined {
  const parameters = PARAMETERS[kind][resource];
  if (parameters === undefined || search === "") return parameters && "";
  const secrets = credentialParameters(kind);
  const pairs = readPairs(search)?.filter(([name]) => !secrets.includes(name));
  const read = pairs && readAll(parameters, resource === "jobs" ? scopeAsSet(pairs) : pairs);
  if (read === undefined) return undefined;
  const query = [...new Set(read)].toSorted().join("&");
  return query.length > LONGEST ? undefined : query;
}

/** `scope=a` is `scope[]=a` (GitLab: `optional_scope`); where both stand, or the former twice, it is nothing known. */
function scopeAsSet(pairs: readonly QueryPair[]): readonly QueryPair[] {
  const scopes = pairs.filter(([name]) => name === "scope" || name === "scope[]");
  if (scopes.length !== 1) return pairs;
  return pairs.map(([name, value]) => [name === "scope" ? "scope[]" : name, value]);
}

function readAll(parameters: Parameters, pairs: readonly QueryPair[]): string[] | undefined {
  const seen = new Set<string>();
  const spelled: string[] = [];
  for (const [name, text] of pairs) {
    const parameter = parameters.get(name);
    const value = parameter?.read(text);
    if (parameter === undefined || value === undefined) return undefined;
    if (seen.has(name) && parameter.isSet !== true) return undefined;
    seen.add(name);
    if (value !== parameter.fallback) spelled.push(`${uriEncode(name)}=${uriEncode(value)}`);
  }
  return spelled;
}

function table(parameters: Readonly<Record<string, Parameter>>): Parameters {
  return new Map(Object.entries(parameters));
}
