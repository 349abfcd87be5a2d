import { PIPELINES, projectId, projectName, projectUnit } from "../../../scripts/load/catalogue.ts";
import { judgeList } from "../../../scripts/load/judge-list.ts";
import type { Asker } from "../../../scripts/load/plan.ts";
import { someAsker } from "./askers.ts";
import { ask } from "./ask.ts";
import { oneOf } from "./dice.ts";
import { truth } from "./journal.ts";
import { PLAN } from "./plan.ts";
import { withQuery } from "./urls.ts";

type Held = { readonly etag: string; readonly body: string };

/** The lists that this client was given last, by asker and URL. */
const held = new Map<string, Held>();

/** Polls a project's list of pipelines, under the entity tag of what it was before where that is known. */
export function pollList(project: number, asker: Asker = someAsker("api")): void {
  if (!asker.doors.includes("api")) return;
  const url = withQuery(oneOf(listUrls(project)), asker.query);
  const name = `${asker.who} ${url}`;
  const before = held.get(name);
  const headers = { ...asker.headers, ...(before !== undefined && { "If-None-Match": before.etag }) };
  ask({ who: asker.who, unit: projectUnit(project), url, headers }, ({ status, body, header }, asked) => {
    const etag = header("etag");
    const isSame = status === 304 && before !== undefined;
    const text = judgeList(truth, { project, site: PLAN.forge }, isSame ? before.body : body, asked);
    if (text !== undefined) return { kind: "wrong-bytes", text: `${status} ${text}` };
    if (!isSame && etag !== undefined) held.set(name, { etag, body });
    return undefined;
  });
}

/** Three names of one list. */
function listUrls(project: number): string[] {
  const api = `${PLAN.forge}/api/v4/projects`;
  return [
    `${api}/${projectId(project)}/pipelines?per_page=${PIPELINES}`,
    `${api}/${projectId(project)}/pipelines`,
    `${api}/${encodeURIComponent(projectName(project))}/pipelines?page=1`,
  ];
}
