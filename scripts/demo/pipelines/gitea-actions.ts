import type { OutgoingHttpHeaders } from "node:http";
import { countDenial, send } from "../exchange.ts";
import type { Exchange } from "../exchange.ts";
import type { Gate } from "../gate.ts";
import { giteaClaims } from "../gitea-claims.ts";
import type { ActionsSite } from "./actions-settings.ts";
import type { ActionStatus, RunFilter } from "./actions.ts";
import { isGiteaUser, runInList, taskInList } from "./gitea-entities.ts";
import type { GiteaShowing } from "./gitea-entities.ts";
import { mayReadPipelines } from "./site.ts";

/** A list of a project's actions. */
export type ActionsRoute = {
  readonly kind: "api-actions";
  readonly project: string;
  readonly list: "runs" | "tasks";
};

const DEFAULT_PAGE_SIZE = 30;
const LARGEST_PAGE_SIZE = 50;

/** What the API calls statuses, with Gitea's own that each stands for (`convertToInternal`). */
const STATUSES: ReadonlyMap<string, readonly ActionStatus[]> = new Map<string, readonly ActionStatus[]>([
  ["pending", ["blocked"]],
  ["waiting", ["blocked"]],
  ["requested", ["blocked"]],
  ["action_required", ["blocked"]],
  ["queued", ["waiting"]],
  ["in_progress", ["running"]],
  ["completed", ["success", "failure", "skipped", "cancelled"]],
  ["failure", ["failure"]],
  ["success", ["success"]],
  ["skipped", ["skipped"]],
  ["neutral", ["skipped"]],
  ["cancelled", ["cancelled"]],
  ["timed_out", ["cancelled"]],
]);

/** The runs or the tasks of a project: the project first, then whether the asker may see its actions, and then parameters. */
export async function serveGiteaActions(
  exchange: Exchange,
  route: ActionsRoute,
  gate: Gate,
  site: ActionsSite,
): Promise<void> {
  const { request, address } = exchange;
  const externalUrl = site.externalUrl();
  const refuse = (status: number, message: string) =>
    sendGitea(exchange, status, { message, url: `${externalUrl}/api/swagger` });
  const deny = (status: number, message: string) => {
    countDenial(exchange);
    refuse(status, message);
  };
  const admission = await gate(giteaClaims(request, address.query), { name: route.project });
  if (admission.kind === "rejected") return deny(401, "invalid username, password or token");
  if (admission.kind !== "admitted") return deny(404, "The target couldn't be found.");
  const { project, isPublic } = admission;
  if (!mayReadPipelines(site.access(project.name), admission))
    return deny(403, "user should have specific read permission or be a repo admin or a site admin");
  const showing: GiteaShowing = { externalUrl, project, isPublic };
  if (route.list === "tasks") {
    const tasks = site.actions.tasks(project.id);
    return sendPage(exchange, externalUrl, tasks, ({ task, run }) => taskInList(task, run, showing));
  }
  const unknown = address.query.getAll("status").find((status) => !STATUSES.has(status));
  if (unknown !== undefined) return refuse(400, `Invalid status ${unknown}`);
  const actor = address.query.get("actor") ?? "";
  // A user who is not there is an error of Gitea's own, of which it tells nobody.
  if (actor !== "" && !isGiteaUser(actor)) return refuse(500, "");
  const runs = site.actions.runs(project.id, runFilter(address.query));
  return sendPage(exchange, externalUrl, runs, (run) => runInList(run, showing));
}

function runFilter(query: URLSearchParams): RunFilter {
  const { branch, event, actor, head_sha: sha } = Object.fromEntries(query);
  return {
    ...(branch ? { ref: `refs/heads/${branch}` } : {}),
    ...(event ? { event } : {}),
    ...(actor ? { username: actor } : {}),
    ...(sha ? { sha } : {}),
    statuses: query.getAll("status").flatMap((status) => STATUSES.get(status) ?? []),
  };
}

function sendPage<Row>(
  exchange: Exchange,
  externalUrl: string,
  rows: readonly Row[],
  describe: (row: Row) => unknown,
): void {
  const { query } = exchange.address;
  const limit = integer(query.get("limit"));
  const size = limit > 0 ? Math.min(limit, LARGEST_PAGE_SIZE) : DEFAULT_PAGE_SIZE;
  const page = Math.max(integer(query.get("page")), 1);
  const shown = rows.slice((page - 1) * size, page * size).map(describe);
  const path = `${externalUrl}${exchange.request.url ?? ""}`;
  const links = giteaLinks(path, { page, size, total: rows.length });
  const exposed = ["X-Total-Count", ...(links === "" ? [] : ["Link"])].toReversed().join(", ");
  sendGitea(
    exchange,
    200,
    { workflow_runs: shown, total_count: rows.length },
    {
      ...(links === "" ? {} : { Link: links }),
      "X-Total-Count": rows.length,
      "Access-Control-Expose-Headers": exposed,
    },
  );
}

/** What is no number is none, as `FormInt` has it. */
function integer(text: string | null): number {
  return /^[+-]?\d+$/.test(text ?? "") ? Number(text) : 0;
}

/** The pages beside this one; without the first on the first, and without the last on the last (`genAPILinks` of Gitea). */
export function giteaLinks(
  url: string,
  { page, size, total }: { readonly page: number; readonly size: number; readonly total: number },
): string {
  const last = Math.max(Math.ceil(total / size), 1);
  const current = Math.min(page, last);
  const links: [string, number][] = [];
  if (current < last) links.push(["next", current + 1], ["last", last]);
  if (current > 1) links.push(["first", 1], ["prev", current - 1]);
  return links.map(([relation, target]) => `<${withPage(url, target)}>; rel="${relation}"`).join(",");
}

function withPage(url: string, page: number): string {
  const [path = "", query = ""] = url.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  parameters.set("page", String(page));
  parameters.sort();
  return `${path}?${parameters.toString()}`;
}

/** JSON as Go writes it, with a line's end, and without an entity tag: Gitea sends none. */
function sendGitea(
  exchange: Exchange,
  status: number,
  value: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  const body = JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  send(
    exchange,
    status,
    {
      "Cache-Control": "max-age=0, private, must-revalidate, no-transform",
      "Content-Type": "application/json;charset=utf-8",
      "X-Content-Type-Options": "nosniff",
      ...headers,
    },
    `${body}\n`,
  );
}
