import { setTimeout as sleep } from "node:timers/promises";
import { KEYS, PEOPLE } from "./askers.ts";
import { bucketUnit, isOpenProject, projectName, PROJECTS, projectUnit } from "./catalogue.ts";
import type { Origins } from "./origins.ts";
import { picker } from "./picker.ts";
import { ANYBODY, credentialFact, memberFact, openFact, type Change, type Right } from "./truth.ts";

/** Takes rights away and gives them back, and writes down when. */
export type Rights = {
  /** Picks a right that could be withdrawn, so that it can be made use of first. */
  choose(): Right;
  /** Withdraws what was chosen, to be given back later; what is away already stays so. */
  withdraw(fact: string): void;
  /** Ends what would be given back. */
  close(): Promise<void>;
};

type Options = {
  readonly origins: Origins;
  /** How long a right is away. */
  readonly awayMs: number;
  readonly random: () => number;
  readonly write: (change: Change) => void;
};

/** A right, and how the origin is made to have it or not. */
type Choice = { readonly right: Right; readonly set: (isThere: boolean) => void };

export function createRights({ origins, awayMs, random, write }: Options): Rights {
  const choices = allChoices(origins);
  const away = new Set<string>();
  const returning = new Set<Promise<void>>();
  const stop = new AbortController();
  const pick = picker(random);

  const fact = (name: string, value: boolean) => write({ kind: "fact", name, value, atMs: Date.now() });

  function withdraw(name: string): void {
    const choice = choices.flatMap(({ all }) => all).find(({ right }) => right.fact === name);
    if (choice === undefined) throw new Error(`Nobody has the right ${name}`);
    if (away.has(name)) return;
    away.add(name);
    choice.set(false);
    fact(name, false);
    const back = sleep(awayMs, undefined, { signal: stop.signal }).then(
      () => giveBack(name, choice),
      () => {}, // all ends
    );
    returning.add(back);
    void back.then(() => returning.delete(back));
  }

  function giveBack(name: string, { set }: Choice): void {
    fact(name, true); // written down first: nobody may see what is not known yet
    set(true);
    away.delete(name);
  }

  function choose(): Right {
    const { all } = pick(choices.flatMap((kind) => Array<typeof kind>(kind.weight).fill(kind)));
    const there = all.filter(({ right }) => !away.has(right.fact));
    return pick(there.length > 0 ? there : all).right;
  }

  async function close(): Promise<void> {
    stop.abort();
    await Promise.all(returning);
  }

  return { choose, withdraw, close };
}

/** Everything that can be withdrawn, by kind, and how often each kind is. */
function allChoices({
  forge,
  store,
}: Origins): { readonly weight: number; readonly all: readonly Choice[] }[] {
  const members = PEOPLE.filter(({ projects }) => projects.length > 0);
  return [
    { weight: 7, all: members.flatMap((member) => memberships(forge, member)) },
    { weight: 1, all: members.map((member) => credential(forge, member)) },
    { weight: 1, all: openProjects().map((project) => visibility(forge, project)) },
    { weight: 1, all: (["first", "second"] as const).map((who) => bucketAccess(store, who)) },
  ];
}

function memberships(forge: Origins["forge"], { account, projects }: (typeof PEOPLE)[number]): Choice[] {
  return projects.map((project) => {
    const [who, unit] = [account.user, projectUnit(project)];
    return {
      right: { fact: memberFact(who, unit), who, unit },
      set: (isThere) => forge.setMember(who, projectName(project), isThere),
    };
  });
}

/** Seen on the first project of its owner. */
function credential(forge: Origins["forge"], { account, projects }: (typeof PEOPLE)[number]): Choice {
  const { user, secret } = account;
  return {
    right: { fact: credentialFact(user), who: user, unit: projectUnit(projects[0] ?? 0) },
    set: (isThere) => (isThere ? forge.restoreToken(secret) : forge.revokeToken(secret)),
  };
}

function visibility(forge: Origins["forge"], project: number): Choice {
  const unit = projectUnit(project);
  return {
    right: { fact: openFact(unit), who: ANYBODY, unit },
    set: (isThere) => forge.setVisibility(projectName(project), isThere ? "public" : "private"),
  };
}

function bucketAccess(store: Origins["store"], who: "first" | "second"): Choice {
  const { id, read } = KEYS[who];
  const unit = bucketUnit("closed");
  return {
    right: { fact: memberFact(who, unit), who, unit },
    set: (isThere) => store.setAccess(id, { read: isThere ? [...read] : ["open"] }),
  };
}

function openProjects(): number[] {
  return Array.from({ length: PROJECTS }, (_, project) => project).filter(isOpenProject);
}
