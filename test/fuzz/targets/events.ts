import fc from "fast-check";
import { insist, type FuzzTarget } from "../../../scripts/fuzz/target.ts";
import type { ChangeEvent } from "../../../src/core/events/event.ts";
import { readEvent } from "../../../src/core/events/read-event.ts";
import { readPurge, type Selection } from "../../../src/core/purge.ts";
import type { SiteKind } from "../../../src/core/site.ts";

export type EventParts = { readonly readEvent: typeof readEvent; readonly readPurge: typeof readPurge };

/**
 * Input: the kind of site and the event's header field, a line each, then the body of a webhook, which is read as that of a purge
 * as well. Whatever is in it, it is read, ignored or refused; what is read was said in it; and a refusal shows nothing of it.
 */
export function eventsTarget(parts: EventParts = { readEvent, readPurge }): FuzzTarget {
  return {
    name: "events",
    holds: "text",
    mostBytes: 1200,
    fresh,
    words: [
      ...NAMES,
      ...'"project": "ref": "before": "after": "object_attributes": "Records": "s3": "key": null true 0 1e400 -1 {} [] "" "a/b" "__proto__": \\u0000 \\ud800 %2F + refs/heads/ refs/tags/'.split(
        " ",
      ),
    ],
    check: (input) => check(parts, Buffer.from(input).toString()),
  };
}

const NAMES = [
  "push",
  "tag_push",
  "repository_update",
  "pipeline",
  "build",
  "project_rename",
  "project_transfer",
  "user_add_to_team",
  "group_rename",
  "user_rename",
  "create",
  "delete",
  "repository",
  "status",
  "workflow_run",
  "action_run_success",
  "ObjectCreated:Put",
  "s3:ObjectRemoved:Delete",
  "s3:TestEvent",
];
const OID = "da1560886d4f094c3e6c9ef40349f7d38b5d27d7";
const text = fc.constantFrom<unknown>(
  "g/p",
  "g",
  "main",
  "refs/heads/main",
  "refs/tags/v1",
  OID,
  "0".repeat(40),
  "",
  "a//b",
  "/a/",
  "\ud800",
  "a+b%2Fc",
  "%",
  15,
  0,
  1.5,
  null,
  true,
  [],
  {},
  "15",
);
const project = fc.record(
  { id: text, path_with_namespace: text, default_branch: text, full_name: text },
  { requiredKeys: [] },
);
const forge = fc.record(
  {
    event_name: fc.constantFrom(...NAMES),
    object_kind: fc.constantFrom(...NAMES),
    project: fc.oneof({ weight: 4, arbitrary: project }, text),
    repository: fc.oneof({ weight: 4, arbitrary: project }, text),
    ref: text,
    ref_type: fc.constantFrom("branch", "tag", "x"),
    before: text,
    after: text,
    changes: fc.array(fc.record({ ref: text, before: text, after: text }, { requiredKeys: [] }), {
      maxLength: 2,
    }),
    object_attributes: fc.record({ id: text }, { requiredKeys: [] }),
    pipeline_id: text,
    project_id: text,
    path_with_namespace: text,
    old_path_with_namespace: text,
    project_path_with_namespace: text,
    full_path: text,
    old_full_path: text,
    group_path: text,
    username: text,
    old_username: text,
    group: text,
    dry_run: fc.constantFrom(true, false, 1),
  },
  { requiredKeys: [] },
);
const store = fc.record({
  Records: fc.array(
    fc.record(
      {
        eventName: fc.constantFrom(...NAMES),
        eventSource: fc.constantFrom("ceph:s3", "aws:s3"),
        s3: fc.record(
          { bucket: fc.record({ name: text }), object: fc.record({ key: text }) },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 3 },
  ),
});
const purge = fc.record(
  {
    project: text,
    ref: text,
    pipelines: text,
    pipeline: text,
    group: text,
    bucket: text,
    key: text,
    prefix: text,
  },
  { requiredKeys: [] },
);
const fresh = fc
  .tuple(
    fc.constantFrom("gitlab", "gitea", "s3"),
    fc.constantFrom("Push Hook", "System Hook", "Job Hook", ...NAMES),
    fc.oneof(forge, store, purge),
  )
  .map(
    ([kind, header, body]) => new Uint8Array(Buffer.from([kind, header, JSON.stringify(body)].join("\n"))),
  );

function check(parts: EventParts, input: string): string {
  const [site = "", header = "", ...rest] = input.split("\n");
  const kind: SiteKind = site === "gitea" || site === "s3" ? site : "gitlab";
  const body = rest.join("\n");
  const said = saidIn(body);
  const answer = parts.readEvent(kind, () => (header === "" ? null : header), body);
  if (answer.kind === "malformed") insistOnSilence(answer.detail, said);
  if (answer.kind === "events") for (const event of answer.events) insistOnSaid(event, said);
  const asked = parts.readPurge(kind, body);
  if (asked.kind === "malformed") insist(asked.detail.length < 200, "says little of a purge", () => asked);
  else insistOnSelection(asked.selection, said);
  const event = answer.kind === "events" ? (answer.events[0]?.kind ?? "") : answer.kind;
  return `${kind} ${event}, ${asked.kind === "purge" ? asked.selection.kind : "no purge"}`;
}

/** Every text and number anywhere in a JSON document. */
function saidIn(body: string): ReadonlySet<string> {
  const said = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === "string" || typeof value === "number") said.add(String(value));
    else if (typeof value === "object" && value !== null)
      for (const each of Object.values(value)) collect(each);
  };
  try {
    collect(JSON.parse(body));
  } catch {
    return said; // no JSON says nothing
  }
  return said;
}

/** A refusal names fields in the words of the product. */
function insistOnSilence(detail: string, said: ReadonlySet<string>): void {
  const isPlain = /^[A-Za-z][\w.[\]-]*(?: [\w.[\]-]+)* must be [\w.,/ -]+$|^X-[A-Za-z-]+ must be set$/.test(
    detail,
  );
  const shown = [...said].find(
    (each) => each.length > 7 && !/^[a-z_. A-Z]+$/.test(each) && detail.includes(each),
  );
  insist(isPlain && shown === undefined && detail.length < 120, "shows nothing of a payload", () => ({
    detail,
    shown,
  }));
}

/** No event is about what the payload does not say, and everything in it can stand in a key. */
function insistOnSaid(event: ChangeEvent, said: ReadonlySet<string>): void {
  insist(JSON.stringify(event).isWellFormed(), "tells texts", () => event);
  if (event.kind === "object") {
    const spellings = [...said].flatMap((each) => [each, decoded(each.replaceAll("+", " "))]);
    insist(
      said.has(event.bucket) && spellings.includes(event.key),
      "tells of objects that are named",
      () => event,
    );
    return;
  }
  insist(event.project.length > 0, "tells which project", () => event);
  const bare = new Set([...said].map((each) => each.replaceAll(/^\/|\/$/g, "")));
  for (const name of event.project)
    insist(bare.has(name.replaceAll(/^\/|\/$/g, "")), "tells of projects that are named", () => event);
  if (event.kind !== "push") return;
  const { ref, before, after } = event;
  const short = ref.replace(/^refs\/(?:heads|tags)\//, "");
  insist(
    short !== ref && short !== "" && (said.has(ref) || said.has(short)),
    "tells of refs that are named",
    () => event,
  );
  for (const oid of [before, after])
    insist(
      oid === undefined ||
        (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(oid) && !/^0+$/.test(oid) && said.has(oid)),
      "tells commits by their ids",
      () => event,
    );
}

function decoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

function insistOnSelection(selection: Selection, said: ReadonlySet<string>): void {
  const texts = Object.entries(selection).flatMap(([name, value]) => (name === "kind" ? [] : [value]));
  const bare = new Set([...said].map((each) => each.replaceAll(/^\/|\/$/g, "")));
  for (const each of texts)
    insist(said.has(each) || bare.has(each), "purges what is named", () => ({ selection, each }));
}
