import fc from "fast-check";
import { expect, it } from "vitest";
import { readEvent } from "../../../src/core/events/read-event.ts";
import { SITE_KINDS, type SiteKind } from "../../../src/core/site.ts";

const OID = "da1560886d4f094c3e6c9ef40349f7d38b5d27d7";
const MOVED = { ref: "refs/heads/main", before: OID, after: OID };

const BODIES: Readonly<Record<SiteKind, object>> = {
  gitlab: { ...MOVED, event_name: "push", project: { id: 1, path_with_namespace: "a/b" } },
  gitea: { ...MOVED, repository: { full_name: "a/b" } },
  s3: {
    Records: [{ eventName: "ObjectCreated:Put", s3: { bucket: { name: "a" }, object: { key: "b" } } }],
  },
};

function header(name: string): string | null {
  return { "x-gitlab-event": "Push Hook", "x-gitea-event": "push" }[name] ?? null;
}

it.each(SITE_KINDS)("readEvent() does read what is sent to a site of %s, and what to no other", (kind) => {
  for (const [other, body] of Object.entries(BODIES))
    expect([other, readEvent(kind, header, JSON.stringify(body)).kind]).toEqual([
      other,
      other === kind ? "events" : "malformed",
    ]);
});

const DEEP = 300_000;

it.each([
  ["nothing", ""],
  ["text", "payload={}"],
  ["half of it", '{"Records":['],
  ["null", "null"],
  ["a number", "1"],
  ["a text", '"{}"'],
  ["a list", "[{}]"],
  ["what is wrapped too deeply", `${"[".repeat(DEEP)}${"]".repeat(DEEP)}`],
])("readEvent() does call %s malformed", (_case, text) => {
  const detail = "The body must be a JSON object";
  for (const kind of SITE_KINDS) expect(readEvent(kind, header, text)).toEqual({ kind: "malformed", detail });
});

it("readEvent() does answer an object that is wrapped deeply", () => {
  const text = `{"Records":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  for (const kind of SITE_KINDS) expect(readEvent(kind, header, text).kind).toBe("malformed");
});

it("readEvent() does answer any text", () => {
  fc.assert(
    fc.property(fc.constantFrom(...SITE_KINDS), fc.oneof(fc.string(), fc.json()), (kind, text) => {
      expect(readEvent(kind, header, text).kind).not.toBe("events");
    }),
    { numRuns: 300 },
  );
});
