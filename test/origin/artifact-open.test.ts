import { describe, expect, it } from "vitest";
import type { Opened } from "../../src/core/dialect.ts";
import type { Entry } from "../../src/core/entry.ts";
import type { ObjectPin } from "../../src/core/pin.ts";
import type { ArtifactOpening } from "../../src/origin/artifact-parts.ts";
import { openArtifact } from "../../src/origin/artifact-open.ts";
import type { StorageAddress } from "../../src/origin/storage-address.ts";
import { memoryStore } from "../../src/store/memory.ts";
import {
  ARTIFACT,
  ARTIFACT_URL,
  artifactScene,
  FORGE,
  IN_QUERY,
  LATEST,
  LATEST_URL,
  partOfZip,
  PLACED,
  sendsTo,
  SESSION,
  SIGNED,
  TOKEN,
  withoutJob,
  wholeZip,
} from "./artifact-scene.ts";
import { CONTENT, MODIFIED, type Step } from "./scripted-origin.ts";
import { NOW } from "./store-scene.ts";

const DATE = encodeURIComponent(MODIFIED);
const JOB_7 = `${FORGE}/g/p/-/jobs/7/artifacts/download`;
const RANGE = ["Range", "bytes=4-7"];

const ENTRY: Entry = {
  at: NOW - 5000,
  identity: `5:::10::${DATE}`,
  size: 10,
  etag: `"5-10-${DATE}"`,
  lastModified: MODIFIED,
  originEtag: undefined,
  headers: [["content-type", "application/zip"]],
  job: "5",
};
const STORED: Entry = { ...ENTRY, identity: `5:${PLACED}:10::${DATE}` };
const ADDRESS: StorageAddress = { url: SIGNED, until: NOW + 60_000 };

const pin = (entry: Entry): ObjectPin => ({ kind: "object", entry });

const OPENING: ArtifactOpening = {
  target: ARTIFACT,
  pin: pin(ENTRY),
  principal: TOKEN,
  method: "GET",
  known: undefined,
  from: 4,
  until: 8,
};
const STORED_OPENING = { pin: pin(STORED) };

/** What the steps of an origin lead to, `address` being remembered; the body that is brought is read, and no other may be left open. */
async function opened(
  steps: readonly Step[],
  opening: Partial<ArtifactOpening> = {},
  { address, key = ARTIFACT_URL }: { address?: StorageAddress; key?: string } = {},
) {
  const addresses = memoryStore<StorageAddress>(10);
  if (address !== undefined) addresses.set(key, address);
  const scene = artifactScene(steps, addresses);
  const outcome: { answer?: Opened; error?: unknown; text?: string } = {};
  try {
    outcome.answer = await openArtifact(scene.artifacts, { ...OPENING, ...opening });
    if (outcome.answer.kind === "entry") outcome.text = await new Response(outcome.answer.body).text();
  } catch (error) {
    outcome.error = error;
  }
  expect(scene.openBodies()).toBe(0);
  expect(scene.asked).toHaveLength(steps.length);
  return { ...outcome, asked: scene.asked, addresses };
}

describe("a range of what the forge has itself", () => {
  it.each<[string, Step, number, number, number, number]>([
    ["just that", partOfZip(4, 8), 4, 8, 4, 8],
    ["the first bytes", partOfZip(0, 4), 0, 4, 0, 4],
    ["up to the end", partOfZip(8, 10), 8, 12, 8, 10],
    ["the whole, from an origin that has lost its ranges", wholeZip(), 4, 8, 0, 10],
  ])("openArtifact() does read %s", async (_case, step, from, until, offset, end) => {
    const { answer, text, asked } = await opened([step], { from, until });
    expect(answer).toMatchObject({ kind: "entry", offset, until: end });
    expect(answer?.kind === "entry" && answer.entry).toBe(ENTRY);
    expect(text).toBe(CONTENT.slice(offset, end));
    expect(asked).toEqual([
      {
        method: "GET",
        url: ARTIFACT_URL,
        headers: [
          ["private-token", "glpat-1"],
          ["Range", `bytes=${from}-${until - 1}`],
        ],
        deadline: "start",
        coding: "as stored",
      },
    ]);
  });

  it("openArtifact() does ask for all of what is known to have no ranges", async () => {
    const entry = { ...ENTRY, isRangeless: true };
    const { answer, text, asked } = await opened([wholeZip()], { pin: pin(entry) });
    expect(answer).toMatchObject({ kind: "entry", entry, offset: 0, until: 10 });
    expect(text).toBe(CONTENT);
    expect(asked[0]?.headers).toEqual([["private-token", "glpat-1"]]);
  });

  it("openArtifact() does follow the latest job to the job it is", async () => {
    const entry = { ...ENTRY, identity: `7:::10::${DATE}`, job: "7" };
    const opening = { target: { ...ARTIFACT, channel: "web", job: LATEST }, pin: pin(entry) } as const;
    const { text, asked } = await opened([sendsTo(JOB_7), partOfZip(4, 8)], opening);
    expect(text).toBe("4567");
    expect(asked.map(({ url, headers }) => [url, headers.at(-1)])).toEqual([
      [LATEST_URL, RANGE],
      [JOB_7, RANGE],
    ]);
  });

  it("openArtifact() does not join what was known with the next latest job", async () => {
    const opening = { target: { ...ARTIFACT, channel: "web", job: LATEST }, pin: pin(ENTRY) } as const;
    const { error } = await opened([sendsTo(JOB_7), partOfZip(4, 8)], opening);
    expect(error).toMatchObject({ problem: "origin_changed" });
  });
});

const CHANGED: readonly [string, Step][] = [
  ["another size", partOfZip(4, 8, { "content-range": "bytes 4-7/11" })],
  ["another date", partOfZip(4, 8, { "last-modified": "Sun, 06 Nov 1994 08:49:38 GMT" })],
  ["no date", partOfZip(4, 8, { "last-modified": undefined })],
  ["another part", partOfZip(0, 4)],
  ["a part that begins before", partOfZip(0, 8)],
  ["a part that begins later", partOfZip(5, 8)],
  ["less", partOfZip(4, 7)],
  ["more", partOfZip(4, 9)],
  ["a part that does not say which", partOfZip(4, 8, { "content-range": undefined })],
  ["a part of another length", partOfZip(4, 8, { "content-length": "5" })],
  ["another whole", wholeZip({ "content-length": "11" })],
  ["a whole without a length", wholeZip({ "content-length": undefined })],
  ["a coded part", partOfZip(4, 8, { "content-encoding": "gzip" })],
  ["a page", wholeZip({ "content-type": "text/html" })],
  ["a range past its end", { status: 416, headers: { "content-range": "bytes */3" }, body: "a" }],
  ["nothing", { ...partOfZip(4, 8), body: null }],
];

describe("an archive that has changed", () => {
  it.each(CHANGED)("openArtifact() does not join it with %s of the forge", async (_case, step) => {
    const { answer, error } = await opened([step]);
    expect(answer).toBeUndefined();
    expect(error).toMatchObject({ problem: "origin_changed" });
  });

  it.each(CHANGED)("openArtifact() does not join it with %s of a storage", async (_case, step) => {
    const { answer, error } = await opened([sendsTo(SIGNED), step], STORED_OPENING);
    expect(answer).toBeUndefined();
    expect(error).toMatchObject({ problem: "origin_changed" });
  });

  it.each<[string, readonly Step[], Entry]>([
    ["from the forge to a storage", [sendsTo(SIGNED), partOfZip(4, 8)], ENTRY],
    ["from a storage to the forge", [partOfZip(4, 8)], STORED],
    ["to another place of the storage", [sendsTo(SIGNED.replace("/5/", "/6/")), partOfZip(4, 8)], STORED],
    ["to another tag", [sendsTo(SIGNED), partOfZip(4, 8, { etag: '"f"' })], STORED],
  ])("openArtifact() does not read on where it went %s", async (_case, steps, entry) => {
    expect((await opened(steps, { pin: pin(entry) })).error).toMatchObject({ problem: "origin_changed" });
  });
});

describe("a no, or trouble", () => {
  it.each<[string, Step, object]>([
    ["an unknown token", { status: 401, body: "a" }, { kind: "refused", refusal: { status: 401 } }],
    ["a no", { status: 403, body: "a" }, { kind: "refused", refusal: { status: 403 } }],
    ["nothing there any more", { status: 404, body: "a" }, { kind: "refused", refusal: { status: 404 } }],
    ["the way to sign in", sendsTo("/users/sign_in"), { kind: "refused", refusal: { status: 302 } }],
    [
      "too much to do",
      { status: 429, headers: { "retry-after": "7" }, body: "a" },
      { kind: "busy", seconds: 7 },
    ],
    ["something gone", { status: 410, body: "a" }, { kind: "unclear" }],
    ["a page to log in elsewhere", sendsTo("https://login.example/?return_to=a"), { kind: "unclear" }],
    ["another page of the forge", sendsTo(`${FORGE}/g/p`), { kind: "unclear" }],
  ])("openArtifact() does hand on %s", async (_case, step, expected) => {
    const { answer } = await opened([step]);
    expect(answer).toMatchObject(expected);
    expect(answer).not.toHaveProperty("about");
  });

  it.each<[string, readonly Step[]]>([
    ["a forge", [{ status: 502, body: "a" }]],
    ["a storage", [sendsTo(SIGNED), { status: 503, body: "a" }]],
  ])("openArtifact() does fail with %s that failed", async (_case, steps) => {
    expect((await opened(steps, STORED_OPENING)).error).toMatchObject({ problem: "origin_error" });
  });
});

describe("a range of what a storage has", () => {
  it.each([TOKEN, SESSION, IN_QUERY])(
    "openArtifact() does ask the forge first, and the storage with no credential",
    async (principal) => {
      const { text, asked, addresses } = await opened([sendsTo(SIGNED), partOfZip(4, 8)], {
        ...STORED_OPENING,
        principal,
      });
      expect(text).toBe("4567");
      expect(asked[0]?.headers).toEqual([...principal.headers, RANGE]);
      expect(asked[1]).toEqual({
        method: "GET",
        url: SIGNED,
        headers: [RANGE],
        deadline: "start",
        coding: "as stored",
      });
      expect(addresses.get(ARTIFACT_URL)).toEqual({ url: SIGNED, until: NOW + 580_000 });
    },
  );

  it("openArtifact() does go there at once where the address is remembered", async () => {
    const { answer, text, asked } = await opened([partOfZip(4, 8)], STORED_OPENING, { address: ADDRESS });
    expect(answer).toMatchObject({ kind: "entry", entry: STORED, offset: 4, until: 8 });
    expect(text).toBe("4567");
    expect(asked).toEqual([expect.objectContaining({ url: SIGNED, headers: [RANGE] })]);
  });

  it("openArtifact() does go there at once for the latest job of a name too, while it is the same one", async () => {
    const entry = { ...STORED, identity: `7:${PLACED}:10::${DATE}`, job: "7" };
    const target = { ...ARTIFACT, channel: "web", job: LATEST } as const;
    const remembered = { address: ADDRESS, key: LATEST_URL };
    const { text } = await opened([partOfZip(4, 8)], { target, pin: pin(entry) }, remembered);
    expect(text).toBe("4567");
    const moved = { address: { ...ADDRESS, url: SIGNED.replace("/5/", "/6/") }, key: LATEST_URL };
    const steps = [sendsTo(JOB_7), sendsTo(SIGNED), partOfZip(4, 8)];
    const again = await opened(steps, { target, pin: pin(entry) }, moved);
    expect(again.text).toBe("4567");
    expect(again.asked.map(({ url }) => url)).toEqual([LATEST_URL, JOB_7, SIGNED]);
  });

  it("openArtifact() does know by its place what has no number", async () => {
    const entry = { ...withoutJob(STORED), identity: `latest%20main%20j:${PLACED}:10::${DATE}` };
    const target = { ...ARTIFACT, job: LATEST };
    const key = `${FORGE}/api/v4/projects/g%2Fp/jobs/artifacts/main/download?job=j`;
    const { text } = await opened([partOfZip(4, 8)], { target, pin: pin(entry) }, { address: ADDRESS, key });
    expect(text).toBe("4567");
  });

  it.each<[string, StorageAddress | undefined, Entry]>([
    ["whose time has just come", { ...ADDRESS, until: NOW }, STORED],
    ["whose time is over", { ...ADDRESS, until: NOW - 1 }, STORED],
    ["of another place", { ...ADDRESS, url: SIGNED.replace("a.zip", "b.zip") }, STORED],
    ["that is not known", undefined, STORED],
  ])("openArtifact() does not use an address %s", async (_case, address, entry) => {
    const given = address === undefined ? {} : { address };
    const { text, asked } = await opened([sendsTo(SIGNED), partOfZip(4, 8)], { pin: pin(entry) }, given);
    expect(text).toBe("4567");
    expect(asked.map(({ url }) => url)).toEqual([ARTIFACT_URL, SIGNED]);
  });

  it("openArtifact() does use an address up to its last moment", async () => {
    const address = { ...ADDRESS, until: NOW + 1 };
    expect((await opened([partOfZip(4, 8)], STORED_OPENING, { address })).text).toBe("4567");
  });

  it("openArtifact() does not use an address for what the forge had itself", async () => {
    const { text, asked } = await opened([partOfZip(4, 8)], {}, { address: ADDRESS });
    expect(text).toBe("4567");
    expect(asked.map(({ url }) => url)).toEqual([ARTIFACT_URL]);
  });

  it.each<[string, Step]>([
    ["expired after all", { status: 403, body: "<Error/>" }],
    ["signed by a key that is gone", { status: 400, body: "<Error/>" }],
    ["of what is not there any more", { status: 404, body: "<Error/>" }],
    ["that is sent elsewhere", sendsTo("https://elsewhere.example/")],
    ["that is asked for too often", { status: 429, body: "a" }],
  ])("openArtifact() does ask the forge anew with an address that is %s", async (_case, step) => {
    const given = { address: { ...ADDRESS, url: `${SIGNED}old` } };
    const { text, asked, addresses } = await opened(
      [step, sendsTo(SIGNED), partOfZip(4, 8)],
      STORED_OPENING,
      given,
    );
    expect(text).toBe("4567");
    expect(asked.map(({ url }) => url)).toEqual([`${SIGNED}old`, ARTIFACT_URL, SIGNED]);
    expect(addresses.get(ARTIFACT_URL)?.url).toBe(SIGNED);
  });

  it("openArtifact() does forget an address that was refused, when the forge refuses too", async () => {
    const { answer, addresses } = await opened([{ status: 403 }, { status: 404 }], STORED_OPENING, {
      address: ADDRESS,
    });
    expect(answer).toMatchObject({ kind: "refused", refusal: { status: 404 } });
    expect(addresses.count).toBe(0);
  });

  it.each(CHANGED.filter(([, { status }]) => status < 300))(
    "openArtifact() does not join it with %s of a remembered address",
    async (_case, step) => {
      const { error } = await opened([step], STORED_OPENING, { address: ADDRESS });
      expect(error).toMatchObject({ problem: "origin_changed" });
    },
  );

  it("openArtifact() does fail with a storage that failed, and keep its address", async () => {
    const { error, addresses } = await opened([{ status: 500, body: "a" }], STORED_OPENING, {
      address: ADDRESS,
    });
    expect(error).toMatchObject({ problem: "origin_error" });
    expect(addresses.get(ARTIFACT_URL)).toBe(ADDRESS);
  });

  it("openArtifact() does ask a remembered address for all of what has no ranges", async () => {
    const entry = { ...STORED, isRangeless: true };
    const { text, asked } = await opened([wholeZip()], { pin: pin(entry) }, { address: ADDRESS });
    expect(text).toBe(CONTENT);
    expect(asked[0]?.headers).toEqual([]);
  });
});

describe("what cannot be opened", () => {
  it.each<[string, Partial<ArtifactOpening>]>([
    ["without an end", { until: undefined }],
    ["of a commit", { pin: { kind: "commit", oid: "a".repeat(40), path: "a" } }],
    ["of a name", { pin: { kind: "named", etag: '"e"' } }],
    ["of nothing known", { pin: { kind: "unknown" } }],
  ])("openArtifact() does refuse a range %s, and ask nobody", async (_case, opening) => {
    const { error } = await opened([], opening, { address: ADDRESS });
    expect(error).toBeInstanceOf(TypeError);
  });
});
