import { PIPELINE_STATUSES } from "../demo/pipelines/source.ts";
import { PEOPLE, STORE_ASKERS } from "./askers.ts";
import { bucketUnit, isOpenProject, projectId, PROJECTS, projectUnit } from "./catalogue.ts";
import type { Origins } from "./origins.ts";
import { picker } from "./picker.ts";
import { createPushes, type Hooked, type Pushes } from "./pushes.ts";
import { createRights, type Rights } from "./rights.ts";
import { ANYBODY, credentialFact, memberFact, openFact, statusFact, type Change } from "./truth.ts";

/** Changes the origins and writes down when, in one list that only grows. */
export type Changes = Pick<Pushes, "push"> &
  Pick<Rights, "choose" | "withdraw"> & {
    /** All so far, the first ones being how things began. */
    readonly journal: readonly Change[];
    /** Gives a pipeline of a project another status. */
    changePipeline(project: number): void;
    /** Ends what is under way or would be given back. */
    close(): Promise<void>;
  };

type Options = {
  readonly origins: Origins;
  readonly hooked: Hooked;
  /** How long a right is away. */
  readonly awayMs: number;
  readonly random: () => number;
};

export async function createChanges({ origins, hooked, awayMs, random }: Options): Promise<Changes> {
  const { forge } = origins;
  const journal = await beginning(origins);
  const write = (change: Change) => void journal.push(change);
  const pushes = await createPushes({ forge, hooked, write });
  const rights = createRights({ origins, awayMs, random, write });
  const pick = picker(random);

  function changePipeline(project: number): void {
    const id = pick(origins.pipelines[project] ?? []);
    const status = pick(PIPELINE_STATUSES);
    write({ kind: "fact", name: statusFact(id), value: status, atMs: Date.now() });
    forge.pipelines.setStatus(id, status);
  }

  async function close(): Promise<void> {
    await Promise.all([pushes.close(), rights.close()]);
  }

  return { ...pushes, ...rights, journal, changePipeline, close };
}

/** How things are before anything changes. */
async function beginning({ forge, pipelines }: Origins): Promise<Change[]> {
  const facts: [string, string | boolean][] = [];
  for (let project = 0; project < PROJECTS; project++)
    facts.push([openFact(projectUnit(project)), isOpenProject(project)]);
  for (const { account, projects } of PEOPLE) {
    facts.push([credentialFact(account.user), true]);
    for (const project of projects) facts.push([memberFact(account.user, projectUnit(project)), true]);
  }
  for (const { who } of STORE_ASKERS.filter((asker) => asker.who !== ANYBODY))
    facts.push([credentialFact(who), true]);
  for (const who of ["first", "second"]) facts.push([memberFact(who, bucketUnit("closed")), true]);
  facts.push([openFact(bucketUnit("closed")), false], [openFact(bucketUnit("open")), true]);
  for (const [project, ids] of pipelines.entries())
    for (const id of ids) {
      const row = await forge.pipelines.find(projectId(project), id);
      facts.push([statusFact(id), row?.status ?? ""]);
    }
  return facts.map(([name, value]) => ({ kind: "fact", name, value, atMs: 0 }));
}
