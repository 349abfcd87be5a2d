import {
  ENTRIES,
  entryContent,
  entryPath,
  JOB_NAME,
  jobId,
  projectId,
  projectName,
  projectUnit,
} from "../../../scripts/load/catalogue.ts";
import type { Asker, Door } from "../../../scripts/load/plan.ts";
import type { Finding } from "../../../scripts/load/verdict.ts";
import { someAsker } from "./askers.ts";
import { ask, type JudgeBody } from "./ask.ts";
import { askContent } from "./content-question.ts";
import { byWeight } from "./dice.ts";
import { PLAN } from "./plan.ts";
import { withQuery } from "./urls.ts";

const FORMS = { entry: 60, latest: 20, tree: 12, browse: 8 } as const;

/** Asks for an entry of a job's archive, by the job or as the latest of its branch, for the list of all, or for a page of it. */
export function askArtifacts(project: number, index: number, given?: Asker): void {
  const wanted = byWeight(FORMS);
  const door: Door = wanted === "browse" ? "pages" : "api";
  const asker = given ?? someAsker(door);
  const form = asker.doors.includes(door) ? wanted : "entry";
  if (!asker.doors.includes("api")) return;
  if (form === "tree") askTree(project, asker);
  else if (form === "browse") askBrowse(project, asker);
  else askEntry(project, index, asker, form === "latest");
}

function askEntry(project: number, index: number, asker: Asker, isLatest: boolean): void {
  const content = entryContent(project, index);
  const jobs = `${apiOf(project)}/jobs`;
  const path = entryPath(index);
  const url = isLatest
    ? `${jobs}/artifacts/main/raw/${path}?job=${JOB_NAME}`
    : `${jobs}/${jobId(project)}/artifacts/${path}`;
  askContent({
    who: asker.who,
    unit: projectUnit(project),
    url: withQuery(url, asker.query),
    headersFor: () => asker.headers,
    leastBytes: content.bytes,
    contents: () => [content],
  });
}

function askTree(project: number, asker: Asker): void {
  const url = `${apiOf(project)}/jobs/${jobId(project)}/artifacts/tree?recursive=true&per_page=100`;
  askList(project, asker, withQuery(url, asker.query), ({ body }) => judgeTree(project, body));
}

function askBrowse(project: number, asker: Asker): void {
  const url = `${PLAN.forge}/${projectName(project)}/-/jobs/${jobId(project)}/artifacts/browse/report`;
  askList(project, asker, url, ({ body }) =>
    [0, 1, 2, 3, 4].every((part) => body.includes(`part-${part}`))
      ? undefined
      : { kind: "wrong-bytes", text: `No page of the directory: ${body.slice(0, 120)}` },
  );
}

function askList(project: number, { who, headers }: Asker, url: string, judge: JudgeBody): void {
  ask({ who, unit: projectUnit(project), url, headers }, judge);
}

type TreeItem = { readonly path: string; readonly type: string; readonly size?: number };

function judgeTree(project: number, body: string): Finding | undefined {
  const files = (JSON.parse(body) as TreeItem[]).filter(({ type }) => type === "file");
  const sizes = new Map(files.map(({ path, size }) => [path, size]));
  const indices = Array.from({ length: ENTRIES }, (_, index) => index);
  const isRight =
    files.length === ENTRIES &&
    indices.every((index) => sizes.get(entryPath(index)) === entryContent(project, index).bytes);
  return isRight
    ? undefined
    : { kind: "wrong-bytes", text: `Not the entries of ${project}: ${body.slice(0, 200)}` };
}

function apiOf(project: number): string {
  return `${PLAN.forge}/api/v4/projects/${projectId(project)}`;
}
