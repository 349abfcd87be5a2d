import { describe, expect, it } from "vitest";
import type { Answer, Wanted } from "../../src/core/dialect.ts";
import { ANONYMOUS } from "../../src/core/principal.ts";
import type { StoreSite } from "../../src/core/site.ts";
import { keyPrincipal, signedPrincipal } from "../../src/core/store-principal.ts";
import { askStore } from "../../src/origin/store-ask.ts";
import type { ObjectAsking } from "../../src/origin/store-parts.ts";
import { CONTENT, ENTRY, part, plainHeaders, scriptedOrigin, type Step, whole } from "./scripted-origin.ts";
import { ACCESS_KEY, NOW, TARGET } from "./store-scene.ts";

const KEY = keyPrincipal(ACCESS_KEY);
const REQUEST = { method: "GET", host: "bucket.s3.example", path: "/key", search: "", headers: [] };
const SIGNED = signedPrincipal(REQUEST);
const SIGNED_HEAD = signedPrincipal({ ...REQUEST, method: "HEAD" });
const ASKING: ObjectAsking = {
  question: { via: "object" },
  target: TARGET,
  principal: KEY,
  etag: undefined,
  known: undefined,
  wanted: undefined,
};
const WHOLE: Wanted = { kind: "whole" };
const range = (start: number, end: number): Wanted => ({ kind: "range", start, end });
const REFUSED: Step = { status: 403, headers: { "content-type": "application/xml" }, body: "<Error/>" };
const CHECKSUM = { "x-amz-checksum-crc32": "AAAAAA==" };

type Told = {
  readonly answer: Answer | undefined;
  readonly error: unknown;
  readonly text: string | undefined;
};

/** What the steps of an origin lead to; the body that comes along is read, and no other may be left open. */
async function told(
  steps: readonly Step[],
  asking: Partial<ObjectAsking> = {},
  site: Partial<StoreSite> = {},
) {
  const origin = scriptedOrigin(steps, site);
  const outcome: { -readonly [name in keyof Told]: Told[name] } = {
    answer: undefined,
    error: undefined,
    text: undefined,
  };
  try {
    outcome.answer = await askStore(origin.parts, { ...ASKING, ...asking });
    if (outcome.answer.kind === "admitted" && outcome.answer.body !== undefined)
      outcome.text = await new Response(outcome.answer.body.stream).text();
  } catch (error) {
    outcome.error = error;
  }
  expect(origin.openBodies()).toBe(0);
  expect(origin.asked).toHaveLength(steps.length);
  return { ...outcome, asked: origin.asked };
}

function admittedAs(changes: object = {}, freshS?: number) {
  return { kind: "admitted", revision: { at: NOW, kind: "object", entry: { ...ENTRY, ...changes }, freshS } };
}

describe("a question for an object alone", () => {
  it.each<[string, Step]>([
    ["the first byte", part(0, 1)],
    ["the whole, from a store that knows no ranges", whole()],
  ])("askStore() does learn it from %s, which it lets go", async (_case, step) => {
    const { answer, asked } = await told([step]);
    expect(answer).toEqual(admittedAs());
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET http://origin.example:7480/bucket/key",
    ]);
    expect(asked.map(plainHeaders)).toEqual([{ range: "bytes=0-0" }]);
  });

  it("askStore() does tell for how long the object says it may be believed", async () => {
    const { answer } = await told([part(0, 1, { "cache-control": "max-age=7" })]);
    expect(answer).toMatchObject({ revision: { freshS: 7 } });
  });

  it("askStore() does take what may not be cached for admitted", async () => {
    const { answer } = await told([part(0, 1, { "cache-control": "no-store" })]);
    expect(answer).toEqual({ kind: "admitted", revision: { at: NOW, kind: "uncacheable" } });
  });

  it("askStore() does sign it for a key, and send nothing for nobody", async () => {
    const byKey = await told([part(0, 1)]);
    expect(byKey.asked[0]?.headers.map(([name]) => name)).toContain("authorization");
    const byNobody = await told([part(0, 1)], { principal: ANONYMOUS });
    expect(byNobody.asked[0]?.headers).toEqual([["range", "bytes=0-0"]]);
  });
});

describe("a question for bytes", () => {
  it.each<[string, Wanted, Step, number, number]>([
    ["all of it", WHOLE, whole(), 0, 10],
    ["the first blocks", range(0, 8), part(0, 8), 0, 8],
    ["blocks in the middle", range(4, 8), part(4, 8), 4, 8],
    ["blocks past its end", range(8, 16), part(8, 10), 8, 10],
    ["more than there is", range(0, 16), part(0, 10), 0, 10],
    ["a part, of a store that knows no ranges", range(4, 8), whole(), 0, 10],
  ])("askStore() does bring %s along", async (_case, wanted, step, offset, until) => {
    const { answer, text, asked } = await told([step], { wanted });
    expect(answer).toEqual({
      ...admittedAs(),
      body: { entry: ENTRY, stream: expect.any(ReadableStream), offset, until },
    });
    expect(text).toBe(CONTENT.slice(offset, until));
    const header = wanted.kind === "whole" ? undefined : `bytes=${wanted.start}-${wanted.end - 1}`;
    expect(asked.map(plainHeaders)).toEqual([
      header === undefined ? { "x-amz-checksum-mode": "ENABLED" } : { range: header },
    ]);
  });

  it.each<[string, Wanted | undefined, Step]>([
    ["a part of all", WHOLE, part(0, 4)],
    ["another part", range(4, 8), part(0, 4)],
    ["a part that begins before", range(4, 8), part(0, 8)],
    ["a part that begins later", range(4, 8), part(5, 8)],
    ["less", range(0, 8), part(0, 4)],
    ["more", range(0, 4), part(0, 8)],
    ["another byte", undefined, part(1, 2)],
    ["two bytes", undefined, part(0, 2)],
    ["a part of unknown place", range(0, 4), part(0, 4, { "content-range": undefined })],
    ["a part of unknown size", range(0, 4), part(0, 4, { "content-range": "bytes 0-3/*" })],
  ])("askStore() does fail with an origin that sends %s", async (_case, wanted, step) => {
    const { answer, error } = await told([step], { wanted });
    expect(answer).toBeUndefined();
    expect(error).toMatchObject({ problem: "origin_error" });
  });

  it("askStore() does let the bytes go of what may not be cached", async () => {
    const { answer } = await told([whole({ etag: undefined, "last-modified": undefined })], {
      wanted: WHOLE,
    });
    expect(answer).toEqual({ kind: "admitted", revision: { at: NOW, kind: "uncacheable" } });
  });
});

describe("checksums of the whole", () => {
  const known = { ...ENTRY, headers: [...ENTRY.headers, ...Object.entries(CHECKSUM)] };

  it.each<[string, Step, Wanted | undefined]>([
    ["a byte", part(0, 1), undefined],
    ["blocks", part(0, 4), range(0, 4)],
    ["all of it", whole(), WHOLE],
  ])("askStore() does still know them after an answer with %s", async (_case, step, wanted) => {
    const { answer } = await told([step], { known, wanted });
    expect(answer).toMatchObject({ revision: { entry: { headers: known.headers } } });
    if (answer?.kind === "admitted" && answer.body !== undefined)
      expect(answer.body.entry.headers).toEqual(known.headers);
  });

  it("askStore() does forget those of another object, and believe new ones", async () => {
    const other = await told([part(0, 1, { etag: '"f"' })], { known });
    expect(other.answer).toMatchObject({ revision: { entry: { headers: ENTRY.headers } } });
    const renewed = await told([whole({ "x-amz-checksum-crc32": "BBBBBB==" })], { known, wanted: WHOLE });
    expect(renewed.answer).toMatchObject({
      revision: { entry: { headers: [...ENTRY.headers, ["x-amz-checksum-crc32", "BBBBBB=="]] } },
    });
  });

  it("askStore() does add nothing else of what was known", async () => {
    const more = { ...known, headers: [...known.headers, ["x-amz-meta-old", "1"] as const] };
    const { answer } = await told([part(0, 1)], { known: more });
    expect(answer).toMatchObject({ revision: { entry: { headers: known.headers } } });
  });
});

describe("no object, or not for everybody", () => {
  it.each<[string, Step, object]>([
    ["a no", REFUSED, { kind: "refused", about: "scope", refusal: { status: 403, body: "<Error/>" } }],
    ["nothing there", { ...REFUSED, status: 404 }, { kind: "refused", refusal: { status: 404 } }],
    ["too much to do", { ...REFUSED, status: 503 }, { kind: "busy", seconds: 1 }],
    ["a redirect", { status: 307, headers: { location: "https://a.example" } }, { kind: "unclear" }],
    ["an odd yes", { status: 203, body: "a" }, { kind: "unclear" }],
  ])("askStore() does hand on %s", async (_case, step, wanted) => {
    for (const asking of [{}, { wanted: WHOLE }, { principal: SIGNED }, { principal: SIGNED_HEAD }])
      expect((await told([step], asking)).answer).toMatchObject(wanted);
    expect((await told([step], { principal: SIGNED }, { auth: "rgw" })).answer).toMatchObject(wanted);
  });

  it("askStore() does fail with an origin that failed", async () => {
    const { error } = await told([{ status: 500, body: "a" }]);
    expect(error).toMatchObject({ problem: "origin_error" });
  });
});

describe("a range that nothing answers", () => {
  const NOTHING: Step = { status: 416, headers: { "content-range": "bytes */0" }, body: "<Error/>" };
  const EMPTY: Step = { ...whole({ "content-length": "0" }), body: null };

  it.each<[string, Wanted | undefined]>([
    ["an empty object", undefined],
    ["blocks past the end", range(400, 404)],
  ])("askStore() does ask for the head then: %s", async (_case, wanted) => {
    const { answer, asked } = await told([NOTHING, EMPTY], { wanted });
    expect(asked.map(({ method }) => method)).toEqual(["GET", "HEAD"]);
    expect(plainHeaders(asked[1] ?? asked[0]!)).toEqual({ "x-amz-checksum-mode": "ENABLED" });
    const entry = { ...ENTRY, at: NOW + 1000, size: 0, identity: ENTRY.identity.replace(":10:", ":0:") };
    expect(answer).toEqual({
      kind: "admitted",
      revision: { at: NOW + 1000, kind: "object", entry, freshS: undefined },
    });
  });

  it("askStore() does hand on what the head says", async () => {
    expect((await told([NOTHING, { status: 403 }])).answer).toMatchObject({ kind: "refused" });
    expect((await told([NOTHING, NOTHING])).answer).toEqual({ kind: "unclear" });
  });

  it("askStore() does not ask for the head by a signature that is for GET", async () => {
    expect((await told([NOTHING], { principal: SIGNED }, { auth: "probe" })).answer).toEqual({
      kind: "unclear",
    });
  });
});

describe("a signature that the origin judges", () => {
  it("askStore() does repeat a GET as a read of one byte", async () => {
    const { answer, asked } = await told([part(0, 1)], { principal: SIGNED }, { auth: "probe" });
    expect(answer).toEqual(admittedAs());
    expect(asked).toEqual([expect.objectContaining({ method: "GET", url: "http://bucket.s3.example/key" })]);
    expect(asked[0]?.headers).toEqual([["range", "bytes=0-0"]]);
  });

  it.each<StoreSite["auth"]>(["rgw", "probe"])(
    "askStore() does repeat a HEAD as it is with %s",
    async (auth) => {
      const head: Step = { ...whole(), body: null };
      for (const wanted of [undefined, WHOLE]) {
        const { answer, asked } = await told([head], { principal: SIGNED_HEAD, wanted }, { auth });
        expect(answer).toEqual(admittedAs());
        expect(asked).toEqual([expect.objectContaining({ method: "HEAD", headers: [] })]);
      }
    },
  );

  it("askStore() does ask Ceph's auth API, which sends no bytes", async () => {
    const verdict: Step = { ...part(0, 1), body: null };
    const { answer, asked } = await told([verdict], { principal: SIGNED }, { auth: "rgw" });
    expect(answer).toEqual(admittedAs());
    expect(asked.map(plainHeaders)).toEqual([{ range: "bytes=0-0", "x-rgw-auth": "yes" }]);
  });

  it("askStore() does take no more than the size from its Content-Range", async () => {
    for (const told_ of ["bytes 0-18446744073709551615/10", "bytes 5-4/10"]) {
      const step: Step = { ...whole({ "content-length": "0", "content-range": told_ }), body: null };
      const { answer } = await told([step], { principal: SIGNED }, { auth: "rgw" });
      expect(answer).toEqual(admittedAs());
    }
  });

  it.each([[undefined], ["bytes 0-0/*"], ["bytes 0-0/9999999999999999"]])(
    "askStore() does read a byte after an auth API that says %j",
    async (contentRange) => {
      const verdict: Step = { ...whole({ "content-range": contentRange }), body: null };
      const { answer, asked } = await told([verdict, part(0, 1)], { principal: SIGNED }, { auth: "rgw" });
      expect(answer).toMatchObject({ kind: "admitted", revision: { at: NOW + 1000, entry: { size: 10 } } });
      expect(asked.map((each) => plainHeaders(each)["x-rgw-auth"])).toEqual(["yes", undefined]);
    },
  );

  it("askStore() does not ask the auth API for bytes, nor for others than the holder of a signature", async () => {
    for (const asking of [
      { principal: SIGNED, wanted: range(0, 4) },
      { principal: ANONYMOUS, wanted: range(0, 4) },
    ]) {
      const { asked } = await told([part(0, 4)], asking, { auth: "rgw" });
      expect(asked.map(plainHeaders)).toEqual([{ range: "bytes=0-3" }]);
    }
    const { asked } = await told([part(0, 1)], { principal: ANONYMOUS }, { auth: "rgw" });
    expect(asked.map(plainHeaders)).toEqual([{ range: "bytes=0-0" }]);
  });
});
