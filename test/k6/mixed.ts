import { sleep } from "k6";
import {
  ENTRIES,
  fileIndex,
  FILES,
  JOBS,
  OBJECTS,
  PROJECTS,
  type Unit,
} from "../../scripts/load/catalogue.ts";
import type { StoreAsker } from "../../scripts/load/plan.ts";
import { zipf } from "../../scripts/load/zipf.ts";
import { askArtifacts } from "./vu/artifacts.ts";
import { USUAL_WAYS } from "./vu/content-question.ts";
import { between, byWeight, oneOf } from "./vu/dice.ts";
import { catchUp, chosenRight, control, truth } from "./vu/journal.ts";
import { askObject } from "./vu/objects.ts";
import { atRate, optionsOf } from "./vu/options.ts";
import { pollList } from "./vu/pipelines.ts";
import { PLAN } from "./vu/plan.ts";
import { askFile } from "./vu/raw.ts";
import { countFromNothing, tally } from "./vu/tally.ts";

export { handleSummary } from "./vu/summary.ts";

/** One question in a hundred has a push beside it, and one a right that is withdrawn. */
const CHANGE_SHARE = 0.01;
const STATUS_CHANGES_PER_S = 1;
const KINDS = { file: 63, large: 3, object: 8, artifact: 7, list: 7, withdrawn: 6, pushed: 6 } as const;
/** Of a thousand files the last is one of several megabytes. */
const LARGE_FILE = { first: 999, step: 1000, count: 10 } as const;
const LARGE_WAYS = { ...USUAL_WAYS, whole: 5, conditional: 2, range: 40, leaving: 30 };

/** As many of a unit's things are asked for around the withdrawal of a right, and as often before it. */
const VISITED = 3;
const VISITS = 6;
const AFTER_BOUND_MS = 200;
/** As many wait at once for a right to be past its bound. */
const WITHDRAWERS = Math.ceil((PLAN.rate * CHANGE_SHARE * PLAN.bounds.grantMs) / 1000) + 4;

const file = zipf(FILES);
const object = zipf(OBJECTS);
const entry = zipf(ENTRIES);
const project = zipf(PROJECTS);

export const options = optionsOf({
  questions: atRate("askAnything", PLAN.rate, PLAN.clients),
  pushes: atRate("push", PLAN.rate * CHANGE_SHARE, 4),
  withdrawals: atRate("withdraw", PLAN.rate * CHANGE_SHARE, WITHDRAWERS),
  statuses: atRate("changePipeline", STATUS_CHANGES_PER_S, 1),
});
export const setup = countFromNothing;

export function askAnything(): void {
  switch (byWeight(KINDS)) {
    case "file":
      return askFile(file(Math.random()));
    case "large":
      return askFile(
        LARGE_FILE.first + LARGE_FILE.step * between(0, LARGE_FILE.count),
        undefined,
        LARGE_WAYS,
      );
    case "object":
      return askObject(object(Math.random()));
    case "artifact":
      return askArtifacts(between(0, JOBS), entry(Math.random()));
    case "list":
      return pollList(project(Math.random()));
    case "withdrawn":
      return askWithoutRight();
    case "pushed":
      return askPushed();
  }
}

/** Somebody who was allowed to, until lately, tries again. */
function askWithoutRight(): void {
  catchUp();
  const lost = truth.withdrawn(Date.now());
  if (lost.length === 0) askFile(file(Math.random()));
  else visit(oneOf(lost));
}

/** What has just changed is asked for again. */
function askPushed(): void {
  catchUp();
  const pushed = truth.pushed();
  if (pushed.length === 0) return askFile(file(Math.random()));
  const { unit, path } = oneOf(pushed);
  askFile(fileIndex(unit, path));
}

/** Asks for one of a few things in a unit, through one of the doors. */
function visit({ who, unit }: { readonly who: string; readonly unit: Unit }): void {
  if (unit.startsWith("b-")) return askObject(between(0, VISITED), storeAsker(who), unit.slice(2));
  const number = Number(unit.slice(1));
  const asker = PLAN.askers.find((candidate) => candidate.who === who);
  const kind = byWeight({ file: 6, list: 2, artifact: number < JOBS ? 2 : 0 });
  if (kind === "list") pollList(number, asker);
  else if (kind === "artifact") askArtifacts(number, entry(Math.random()), asker);
  else askFile(number + PROJECTS * between(0, VISITED), asker);
}

function storeAsker(who: string): StoreAsker | undefined {
  return PLAN.storeAskers.find((asker) => asker.who === who);
}

export function push(): void {
  control(`/push?file=${file(Math.random())}&told=${Math.random() < 0.5}`);
  tally.pushes.add(1);
}

/**
 * A right is made use of before it is withdrawn, or there would be nothing that could be believed for too long, and
 * again as soon as it must not be believed any more.
 */
export function withdraw(): void {
  const right = chosenRight();
  for (let visits = 0; visits < VISITS; visits++) visit(right);
  control(`/withdraw?fact=${encodeURIComponent(right.fact)}`);
  tally.withdrawals.add(1);
  sleep((PLAN.bounds.grantMs + AFTER_BOUND_MS) / 1000);
  for (let visits = 0; visits < VISITS; visits++) visit(right);
}

export function changePipeline(): void {
  control(`/pipeline?project=${between(0, PROJECTS)}`);
}
