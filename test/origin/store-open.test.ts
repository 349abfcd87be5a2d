import { describe, expect, it } from "vitest";
import type { Opened } from "../../src/core/dialect.ts";
import { keyPrincipal } from "../../src/core/store-principal.ts";
import { openStore } from "../../src/origin/store-open.ts";
import type { ObjectOpening } from "../../src/origin/store-parts.ts";
import {
  CONTENT,
  ENTRY,
  MODIFIED,
  part,
  plainHeaders,
  scriptedOrigin,
  type Step,
  whole,
} from "./scripted-origin.ts";
import { ACCESS_KEY, TARGET } from "./store-scene.ts";

const OPENING: ObjectOpening = {
  target: TARGET,
  pin: { kind: "object", entry: ENTRY },
  principal: keyPrincipal(ACCESS_KEY),
  method: "GET",
  known: undefined,
  from: 4,
  until: 8,
};
const SMALL = { etag: 'W/"e"', date: "Sun, 06 Nov 1994 09:00:00 GMT" };

async function opened(step: Step, opening: Partial<ObjectOpening> = {}) {
  const origin = scriptedOrigin([step]);
  const outcome: { answer?: Opened; error?: unknown; text?: string } = {};
  try {
    outcome.answer = await openStore(origin.parts, { ...OPENING, ...opening });
    if (outcome.answer.kind === "entry") outcome.text = await new Response(outcome.answer.body).text();
  } catch (error) {
    outcome.error = error;
  }
  expect(origin.openBodies()).toBe(0);
  return { ...outcome, asked: origin.asked };
}

describe("a range of an object that is known", () => {
  it.each<[string, Step, number, number, number, number]>([
    ["just that", part(4, 8), 4, 8, 4, 8],
    ["up to the object's end", part(8, 10), 8, 12, 8, 10],
    ["all of it", part(0, 10), 0, 10, 0, 10],
    ["the whole, from a store that knows no ranges", whole(), 4, 8, 0, 10],
  ])("openStore() does read %s", async (_case, step, from, until, offset, end) => {
    const { answer, text, asked } = await opened(step, { from, until });
    expect(answer).toMatchObject({ kind: "entry", entry: ENTRY, offset, until: end });
    expect(text).toBe(CONTENT.slice(offset, end));
    expect(asked.map(plainHeaders)).toEqual([{ range: `bytes=${from}-${until - 1}`, "if-match": '"e"' }]);
  });

  it("openStore() does keep what is known, not what this answer says besides", async () => {
    const { answer } = await opened(part(4, 8, { "x-amz-meta-new": "1", "cache-control": "max-age=1" }));
    expect(answer?.kind === "entry" && answer.entry).toBe(ENTRY);
  });

  it.each<[string, Step]>([
    ["a tag that no longer matches", { status: 412, body: "<Error/>" }],
    ["a range past its end", { status: 416, body: "<Error/>" }],
    ["another tag", part(4, 8, { etag: '"f"' })],
    ["another size", part(4, 8, { "content-range": "bytes 4-7/11" })],
    ["another date", part(4, 8, { "last-modified": "Sun, 06 Nov 1994 08:49:38 GMT" })],
    ["another version", part(4, 8, { "x-amz-version-id": "2" })],
    ["a weak tag", part(4, 8, { etag: 'W/"e"' })],
    ["no tag", part(4, 8, { etag: undefined })],
    ["another part", part(0, 4)],
    ["a part that begins before", part(0, 8)],
    ["a part that begins later", part(5, 8)],
    ["less", part(4, 7)],
    ["more", part(4, 9)],
    ["a part that does not say which", part(4, 8, { "content-range": undefined })],
    ["what may not be cached any more", part(4, 8, { "cache-control": "no-store" })],
    ["nothing", { ...part(4, 8), body: null }],
    ["another whole", whole({ etag: '"f"' })],
  ])("openStore() does not join it with %s", async (_case, step) => {
    const { answer, error } = await opened(step);
    expect(answer).toBeUndefined();
    expect(error).toMatchObject({ problem: "origin_changed" });
  });

  it.each<[string, Step, object]>([
    [
      "a no",
      { status: 403, headers: { "content-type": "text/xml" }, body: "<E/>" },
      { kind: "refused", refusal: { status: 403, body: "<E/>" } },
    ],
    ["nothing there any more", { status: 404, body: "a" }, { kind: "refused", refusal: { status: 404 } }],
    [
      "too much to do",
      { status: 503, headers: { "retry-after": "7" }, body: "a" },
      { kind: "busy", seconds: 7 },
    ],
    ["a redirect", { status: 307, body: "a" }, { kind: "unclear" }],
  ])("openStore() does hand on %s", async (_case, step, wanted) => {
    expect((await opened(step)).answer).toMatchObject(wanted);
  });

  it("openStore() does fail with an origin that failed", async () => {
    expect((await opened({ status: 500, body: "a" })).error).toMatchObject({ problem: "origin_error" });
  });
});

describe("an object without a strong tag", () => {
  const entry = {
    ...ENTRY,
    size: 3,
    etag: SMALL.etag,
    originEtag: undefined,
    identity: `:3:${encodeURIComponent(MODIFIED)}:`,
  };
  const answer = { ...whole({ ...SMALL, "content-length": "3" }), body: "abc" };
  const pin = { kind: "object", entry } as const;

  it("openStore() does ask for it without a condition, and know it again", async () => {
    const { text, asked } = await opened(answer, { pin, from: 0, until: 3 });
    expect(text).toBe("abc");
    expect(asked.map(plainHeaders)).toEqual([{ range: "bytes=0-2" }]);
  });

  it("openStore() does not take one of another date for it", async () => {
    const step = {
      ...answer,
      headers: { ...answer.headers, "last-modified": "Sun, 06 Nov 1994 08:49:36 GMT" },
    };
    expect((await opened(step, { pin, from: 0, until: 3 })).error).toMatchObject({
      problem: "origin_changed",
    });
  });
});

describe("what cannot be opened", () => {
  it.each<[string, Partial<ObjectOpening>]>([
    ["without an end", { until: undefined }],
    ["of a commit", { pin: { kind: "commit", oid: "a".repeat(40), path: "a" } }],
    ["of a name", { pin: { kind: "named", etag: '"e"' } }],
    ["of nothing known", { pin: { kind: "unknown" } }],
  ])("openStore() does refuse a range %s, and ask nobody", async (_case, opening) => {
    const { error, asked } = await opened(part(4, 8), opening);
    expect(error).toBeInstanceOf(TypeError);
    expect(asked).toEqual([]);
  });
});
