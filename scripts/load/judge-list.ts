import { PIPELINES, projectId } from "./catalogue.ts";
import { statusFact, type Asked, type Truth } from "./truth.ts";

type Item = {
  readonly id?: unknown;
  readonly project_id?: unknown;
  readonly status?: unknown;
  readonly web_url?: unknown;
};

/** What is wrong with a project's list of all its pipelines: another project's, or one that says what was not so lately. */
export function judgeList(
  truth: Truth,
  { project, site }: { readonly project: number; readonly site: string },
  body: string,
  asked: Asked,
): string | undefined {
  const items = readItems(body);
  if (items === undefined) return `No list: ${body.slice(0, 120)}`;
  if (items.length !== PIPELINES) return `${items.length} pipelines, not ${PIPELINES}`;
  const wrong = items.find(
    ({ id, project_id: of, status, web_url: url }) =>
      of !== projectId(project) ||
      !truth.values(statusFact(Number(id)), asked).includes(String(status)) ||
      !String(url).startsWith(`${site}/`),
  );
  return wrong && `Not what a pipeline of project ${project} was lately: ${JSON.stringify(wrong)}`;
}

function readItems(body: string): readonly Item[] | undefined {
  try {
    const read: unknown = JSON.parse(body);
    return Array.isArray(read) ? read : undefined;
  } catch {
    return undefined; // the caller says what it was instead
  }
}
