import type { Defer } from "../core/defer.ts";
import { withPipelineAskedAgain, withRefAskedAgain } from "../core/events/asked-again.ts";
import {
  NO_CHANGES,
  withEverything,
  withGroup,
  withGroups,
  withPipeline,
  type Changes,
} from "../core/events/changes.ts";
import { lastWritten } from "../core/events/written.ts";
import { readPurge, type Purge, type Selection } from "../core/purge.ts";
import { readBounded } from "../core/read-bounded.ts";
import type { Site } from "../core/site.ts";
import type { ListKeys } from "../core/store.ts";
import { wholeNumber } from "../core/whole-number.ts";
import { readHeldKey } from "./held-keys.ts";
import { changesKey, groupsKey, numberKeyOf, writtenKey } from "./change-keys.ts";
import type { Ports } from "./ports.ts";
import { problemResponse } from "./problem-response.ts";
import { itemsOfKv, itemsOfMemory, prefixesOf, shownOf, type Outlook } from "./purge-items.ts";
import type { Isolate } from "./visit.ts";
import { beat } from "./watch.ts";
import { notePrefixWritten, noteWritten } from "./written.ts";

const MOST_BYTES = 64 * 1024;

export type PurgeParts = {
  readonly isolate: Isolate;
  /** Lists keys of KV; absent where no namespace is bound. */
  readonly listKv: ListKeys | undefined;
};

/**
 * Makes the edge ask its origin again for what is selected, and tells what this isolate's memory and KV had of it. As after an
 * event, what was learned before is not believed any more: here at once, in the colo before the answer, elsewhere when KV
 * brings it. It is not deleted: everything says when it was learned.
 *
 * Bodies are not purged: they are kept by their content, and nothing leads to one without a grant and a revision. Neither
 * is what an origin asked for itself (429 with Retry-After), nor who may read an object: such a grant lives to its end.
 * All projects that are known by a number go with any group, as it is not known which is below it.
 */
export async function takePurge(
  parts: PurgeParts,
  site: Site,
  request: Request,
  defer: Defer,
): Promise<Response> {
  const length = wholeNumber(request.headers.get("content-length")) ?? 0;
  if (length > MOST_BYTES) return problemResponse("purge_too_large");
  const body = request.body === null ? new Uint8Array() : await readBounded(request.body, MOST_BYTES);
  if (body === undefined) return problemResponse("purge_too_large");
  const purge = readPurge(site.kind, new TextDecoder().decode(body));
  if (purge.kind === "malformed") return problemResponse("purge_malformed", {}, purge.detail);
  const answer = await carryOut(parts, site, purge, defer);
  return Response.json(answer, { headers: { "Cache-Control": "no-store" } });
}

async function carryOut(
  { isolate, listKv }: PurgeParts,
  site: Site,
  purge: Purge,
  defer: Defer,
): Promise<object> {
  const { ports } = isolate;
  const { selection, spelled, isDryRun } = purge;
  const names = "project" in selection ? await namesOf(ports, site, selection.project) : [];
  const at = ports.now();
  const outlook = outlookOf(ports, site, { selection, names, at });
  const near = itemsOfMemory(ports, site, outlook);
  if (!isDryRun) await note(isolate, site, { selection, names, at }, defer);
  const prefixes = prefixesOf(site, selection, names);
  const far =
    listKv && prefixes.length > 0 ? await itemsOfKv(listKv, site, { prefixes, at, outlook }) : NOTHING;
  return {
    purged: spelled,
    dry_run: isDryRun,
    ...toldOfNames(site, names),
    ...shownOf([...near, ...far.items], far.isAll),
  };
}

const NOTHING = { items: [], isAll: true };

function toldOfNames({ kind }: Site, names: readonly string[]): object {
  if (names.length === 0) return {};
  if (kind !== "gitlab" || names.length > 1) return { names };
  return { names, note: "Only this name of the project was purged: no other is known here" };
}

/**
 * A project by the name that is given and, at GitLab, by its others as far as memory (and of a path's number, the colo) knows
 * them from lists of pipelines.
 */
async function namesOf({ standings }: Ports, site: Site, project: string): Promise<readonly string[]> {
  await standings.find(numberKeyOf(site, project), () => false);
  const others: string[] = [];
  for (const text of standings.keys()) {
    const held = readHeldKey(site, text);
    if (held?.what.kind !== "number" || held.place.lane === "object") continue;
    const path = held.place.project;
    const number = standings.hot(text)?.tag;
    if (number === project) others.push(path);
    else if (number !== undefined && path.toLowerCase() === project.toLowerCase()) others.push(number);
  }
  const byName = new Map([...others, project].map((name) => [name.toLowerCase(), name]));
  return [project, ...[...byName.values()].filter((name) => name !== project)];
}

type Chosen = { readonly selection: Selection; readonly names: readonly string[]; readonly at: number };

/** What will be told of a project after a purge of it. */
function changed(before: Changes, selection: Selection, at: number): Changes {
  switch (selection.kind) {
    case "project":
      return withEverything(before, at);
    case "ref":
      return withRefAskedAgain(before, selection.ref, at);
    case "pipelines":
      return withPipeline(before, undefined, at);
    case "pipeline":
      return withPipelineAskedAgain(before, selection.pipeline, at);
    case "group":
    case "object":
    case "prefix":
      return before;
  }
}

async function note(
  isolate: Isolate,
  site: Site,
  { selection, names, at }: Chosen,
  defer: Defer,
): Promise<void> {
  const { ports } = isolate;
  if (selection.kind === "group") {
    const name = `${selection.group}/`;
    await ports.groups.note(groupsKey(site), (before) => withGroup(before, name, at), defer);
  } else if (selection.kind === "object") {
    await noteWritten(ports, site, selection, defer);
  } else if (selection.kind === "prefix") {
    const { bucket, prefix: key } = selection;
    await (key === "" ? noteWritten : notePrefixWritten)(ports, site, { bucket, key }, defer);
  } else {
    const change = (before: Changes = NO_CHANGES) => changed(before, selection, at);
    await Promise.all(names.map((name) => ports.changes.note(changesKey(site, name), change, defer)));
  }
  await beat(isolate, site, defer);
}

const NO_GROUPS = { groups: [], allAt: 0 };

function outlookOf(ports: Ports, site: Site, { selection, names, at }: Chosen): Outlook {
  const chosen = new Set(names.map((name) => name.toLowerCase()));
  const groups = ports.groups.hot(groupsKey(site)) ?? NO_GROUPS;
  const groupsAfter = selection.kind === "group" ? withGroup(groups, `${selection.group}/`, at) : groups;
  const known = new Map<string, ReturnType<Outlook["project"]>>();

  const look = (project: string): ReturnType<Outlook["project"]> => {
    const own = ports.changes.hot(changesKey(site, project));
    const isChosen = chosen.has(project.toLowerCase());
    const ownAfter = isChosen ? changed(own ?? NO_CHANGES, selection, at) : own;
    return {
      before: withGroups(own, groups, project),
      after: withGroups(ownAfter, groupsAfter, project),
    };
  };

  return {
    project(name) {
      const found = known.get(name) ?? look(name);
      known.set(name, found);
      return found;
    },
    object(bucket, key) {
      const hot = (of: string) => ports.writes.hot(writtenKey(site, bucket, of));
      const before = lastWritten(key, hot(key), hot(""));
      return { before, after: isSelected(selection, bucket, key) ? Math.max(before, at) : before };
    },
  };
}

function isSelected(selection: Selection, bucket: string, key: string): boolean {
  if (selection.kind === "object") return selection.bucket === bucket && selection.key === key;
  return selection.kind === "prefix" && selection.bucket === bucket && key.startsWith(selection.prefix);
}
