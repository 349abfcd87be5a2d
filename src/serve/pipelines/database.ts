import { byNumber } from "./by-number.ts";
import { newestKey } from "../keys.ts";
import { shareWork } from "../shared-work.ts";
import type { Learned } from "../visit.ts";
import type { ListDatabase } from "../../core/pipelines/list-database.ts";
import type { Rendering } from "../../core/pipelines/rendering.ts";
import type { ListVisit } from "./list-visit.ts";
import { shownOfDatabase, type Shown } from "./shown.ts";
import { rememberMade } from "./told.ts";

/** Whether a list is made of the forge's database now, and only asked of the forge who may read it. */
export function isMadeHere({ isolate, site, target }: ListVisit): boolean {
  return target.resource.kind === "list" && isolate.ports.listDatabase(site)?.isAvailable(target) === true;
}

/** Makes a list of the database, once for everyone; `undefined` where it cannot be made so. */
export async function makeShared(visit: ListVisit): Promise<Rendering | undefined> {
  const { joined, shown } = await makeOnce(visit);
  if (!joined || shown?.state !== "over") return shown?.rendering;
  return (await makeOnce(visit)).shown?.rendering; // what was waited for was begun before something was told
}

async function makeOnce(visit: ListVisit): Promise<{ joined: boolean; shown: Shown | undefined }> {
  const { isolate, site } = visit;
  const database = isolate.ports.listDatabase(site);
  if (database === undefined) return { joined: false, shown: undefined };
  const { joined, result } = shareWork(visit, isolate.asked, makingKey(visit), () => make(visit, database));
  const made = await result;
  visit.trace.revision = { kind: "forwarded", reason: "miss", collapsed: joined };
  const shown = made.kind === "admitted" ? shownOfDatabase(byNumber(visit)) : undefined; // it may have told the number
  return { joined, shown };
}

/** What making a list is shared under. */
export function makingKey(visit: ListVisit): string {
  return `make ${newestKey(visit, visit.target, "database")}`;
}

async function make(visit: ListVisit, database: ListDatabase): Promise<Learned> {
  const at = visit.isolate.ports.now();
  const list = await database.make(visit.target, visit.defer);
  if (list === undefined) return { kind: "unclear" };
  await rememberMade(visit, list, at);
  return { kind: "admitted", at };
}
