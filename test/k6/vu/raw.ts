import { fileAt, fileContent, projectId, projectName, projectUnit } from "../../../scripts/load/catalogue.ts";
import type { Asker } from "../../../scripts/load/plan.ts";
import { someAsker } from "./askers.ts";
import { askContent, USUAL_WAYS, type Way } from "./content-question.ts";
import { byWeight } from "./dice.ts";
import { truth } from "./journal.ts";
import { PLAN } from "./plan.ts";
import { withQuery } from "./urls.ts";

const FORMS = { web: 70, api: 20, commit: 10 } as const;
type Form = keyof typeof FORMS;

/** Asks for a file of a branch, as the web or the API has it, or of the commit that its branch began with. */
export function askFile(
  index: number,
  given?: Asker,
  ways: Readonly<Record<Way, number>> = USUAL_WAYS,
): void {
  const wanted = byWeight(FORMS);
  const asker = given ?? someAsker(wanted === "api" ? "api" : "web");
  const form: Form = asker.doors.includes("api") ? wanted : "web";
  const file = fileAt(index);
  const unit = projectUnit(file.project);
  askContent(
    {
      who: asker.who,
      unit,
      url: withQuery(fileUrl(form, file), asker.query),
      headersFor: () => asker.headers,
      leastBytes: file.bytes,
      contents: (asked) => {
        const revisions = form === "commit" ? [0] : truth.revisions(unit, file.path, asked);
        return revisions.map((revision) => fileContent(file, revision));
      },
    },
    ways,
  );
}

function fileUrl(form: Form, { project, path }: ReturnType<typeof fileAt>): string {
  if (form === "api")
    return `${PLAN.forge}/api/v4/projects/${projectId(project)}/repository/files/${encodeURIComponent(path)}/raw?ref=main`;
  const revision = form === "commit" ? PLAN.commits[project] : "main";
  return `${PLAN.forge}/${projectName(project)}/-/raw/${revision}/${path}`;
}
