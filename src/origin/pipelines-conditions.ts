import { SOURCES } from "../core/pipelines/sources.ts";
import { type ListParameters, presentText, readInstant } from "./pipelines-parameters.ts";

/** Takes a value into a query and says what stands for it there (`$1`). */
export type Bind = (value: string | number) => string;

const PARENT_PIPELINE = SOURCES.indexOf("parent_pipeline") + 1;
/** GitLab: `HasStatus.finished`. */
const FINISHED = "('success', 'failed', 'canceled')";

/** The filters of `Ci::PipelinesFinder` over `p` (a pipeline) and, where one asks for a name, `named` (its metadata). */
export function conditions(parameters: ListParameters, bind: Bind): string[] | undefined {
  const present = (name: string) => presentText(parameters, name);
  const given = (name: string, condition: (text: string) => string | undefined) => {
    const text = present(name);
    return text === undefined ? [] : [condition(text)];
  };
  const equal = (column: string) => (text: string) => `${column} = ${bind(text)}::text`;
  const found = [
    // Of pipelines that have no source, a comparison with one says nothing: only those are shown that have one.
    ...(present("source") === "parent_pipeline" ? [] : [`p.source <> ${PARENT_PIPELINE}`]),
    ...given("scope", ofScope),
    ...given("status", equal("p.status")),
    ...given("ref", equal("p.ref")),
    ...given("sha", equal("p.sha")),
    ...given("username", (text) => `p.user_id = ${userNamed(bind(text))}`),
    ...given("yaml_errors", (text) => `p.yaml_errors IS ${text === "true" ? "NOT " : ""}NULL`),
    ...given("source", (text) => ofSource(text, bind)),
    ...given("name", equal("named.name")),
    // Those of creation leave out the instant itself (`Ci::Pipeline.created_after`), the others do not.
    ...given("updated_after", (text) => ofInstant("p.updated_at >=", text, bind)),
    ...given("updated_before", (text) => ofInstant("p.updated_at <=", text, bind)),
    ...given("created_after", (text) => ofInstant("p.created_at >", text, bind)),
    ...given("created_before", (text) => ofInstant("p.created_at <", text, bind)),
  ];
  return found.every((condition) => condition !== undefined) ? found : undefined;
}

/** Which branches and tags there are, only the repository knows. */
function ofScope(scope: string): string | undefined {
  if (scope === "finished") return `p.status IN ${FINISHED}`;
  return scope === "running" || scope === "pending" ? `p.status = '${scope}'` : undefined;
}

function ofSource(source: string, bind: Bind): string | undefined {
  if (source === "unknown") return "p.source IS NULL";
  const number = SOURCES.indexOf(source) + 1;
  return number === 0 ? undefined : `p.source = ${bind(number)}::integer`;
}

function userNamed(name: string): string {
  return `(SELECT users.id FROM users WHERE lower(users.username) = lower(${name}::text) LIMIT 1)`;
}

function ofInstant(comparison: string, text: string, bind: Bind): string | undefined {
  const instant = readInstant(text);
  return instant && `${comparison} ${bind(instant.utc)}::text::timestamp`;
}
