import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/core/dialect.ts";
import type { Entry } from "../../src/core/entry.ts";
import { ANONYMOUS, type Principal } from "../../src/core/principal.ts";
import { askArtifact } from "../../src/origin/artifact-ask.ts";
import type { ArtifactAsking } from "../../src/origin/artifact-parts.ts";
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
import { MODIFIED, type Step } from "./scripted-origin.ts";
import { NOW } from "./store-scene.ts";

const ASKING: ArtifactAsking = {
  question: { via: "object" },
  target: ARTIFACT,
  principal: TOKEN,
  etag: undefined,
  known: undefined,
  wanted: undefined,
};
const BY_NAME = { target: { ...ARTIFACT, channel: "web", job: LATEST } } as const;
const DATE = encodeURIComponent(MODIFIED);
const JOB_7 = `${FORGE}/g/p/-/jobs/7/artifacts/download`;
const ONE_BYTE = ["Range", "bytes=0-0"];

const ENTRY: Entry = {
  at: NOW,
  identity: `5:::10::${DATE}`,
  size: 10,
  etag: `"5-10-${DATE}"`,
  lastModified: MODIFIED,
  originEtag: undefined,
  headers: [["content-type", "application/zip"]],
  job: "5",
};

async function told(steps: readonly Step[], asking: Partial<ArtifactAsking> = {}) {
  const scene = artifactScene(steps);
  const outcome: { answer?: Answer; error?: unknown } = {};
  try {
    outcome.answer = await askArtifact(scene.artifacts, { ...ASKING, ...asking });
  } catch (error) {
    outcome.error = error;
  }
  expect(scene.openBodies()).toBe(0);
  expect(scene.asked).toHaveLength(steps.length);
  return { ...outcome, entry: entryOf(outcome.answer), asked: scene.asked, addresses: scene.addresses };
}

function entryOf(answer: Answer | undefined): Entry | undefined {
  const revision = answer?.kind === "admitted" ? answer.revision : undefined;
  return revision?.kind === "object" ? revision.entry : undefined;
}

function admitted(entry: Entry) {
  return { kind: "admitted", revision: { at: NOW, kind: "object", entry, freshS: undefined } };
}

describe("an artifact that the forge has itself", () => {
  it("askArtifact() does learn all of it from one byte", async () => {
    const { answer, asked } = await told([partOfZip(0, 1)]);
    expect(answer).toEqual(admitted(ENTRY));
    expect(asked).toEqual([
      {
        method: "GET",
        url: ARTIFACT_URL,
        headers: [["private-token", "glpat-1"], ONE_BYTE],
        deadline: "start",
        coding: "as stored",
      },
    ]);
  });

  it("askArtifact() does learn from the whole that there are no ranges, and let it go", async () => {
    const { answer } = await told([wholeZip()]);
    expect(answer).toEqual(admitted({ ...ENTRY, isRangeless: true }));
  });

  it.each<[string, Principal, string, string[][]]>([
    ["nobody", ANONYMOUS, "", []],
    ["a session", SESSION, "", [["cookie", "_gitlab_session=s1"]]],
    ["a token in the query", IN_QUERY, "?private_token=glpat-1", []],
  ])("askArtifact() does ask as %s", async (_case, principal, query, headers) => {
    const { asked } = await told([partOfZip(0, 1)], { principal });
    expect(asked.map(({ url }) => url)).toEqual([ARTIFACT_URL + query]);
    expect(asked[0]?.headers).toEqual([...headers, ONE_BYTE]);
  });

  it.each<[string, Step]>([
    ["a part without a size", partOfZip(0, 1, { "content-range": "bytes 0-0/*" })],
    ["a part without a place", partOfZip(0, 1, { "content-range": undefined })],
    ["a part of another length", partOfZip(0, 1, { "content-length": "2" })],
    ["a whole without a length", wholeZip({ "content-length": undefined })],
    ["a coded whole", wholeZip({ "content-encoding": "gzip" })],
    ["a coded part", partOfZip(0, 1, { "content-encoding": "br" })],
    ["a page", wholeZip({ "content-type": "Text/HTML; charset=utf-8" })],
    ["a page as a part", partOfZip(0, 1, { "content-type": "text/html" })],
    ["an odd yes", { status: 203, body: "a" }],
    ["nothing", { status: 204 }],
    ["an unsatisfiable range", { status: 416, headers: { "content-range": "bytes */0" }, body: "a" }],
    ["a bad request", { status: 400, body: "a" }],
    ["something gone", { status: 410, body: "a" }],
  ])("askArtifact() does make neither a yes nor a no of %s", async (_case, step) => {
    expect((await told([step])).answer).toEqual({ kind: "unclear" });
  });

  it("askArtifact() does not take no coding for one", async () => {
    expect((await told([partOfZip(0, 1, { "content-encoding": "identity" })])).entry).toEqual(ENTRY);
  });
});

describe("a no, or trouble", () => {
  it.each<[string, Step, object]>([
    [
      "an unknown token",
      { status: 401, headers: { "www-authenticate": "Basic" } },
      { refusal: { status: 401 } },
    ],
    [
      "a no",
      { status: 403, headers: { "content-type": "text/plain" }, body: "no" },
      { refusal: { body: "no" } },
    ],
    [
      "nothing there",
      { status: 404, headers: { "content-type": "application/json" }, body: "{}" },
      { refusal: { status: 404 } },
    ],
    ["the way to sign in", sendsTo("/users/sign_in"), { refusal: { status: 302 } }],
    ["the whole way to sign in", sendsTo(`${FORGE}/users/sign_in?a=b`, 303), { refusal: { status: 303 } }],
  ])("askArtifact() does hand on %s, as said of the whole scope", async (_case, step, refusal) => {
    const { answer, addresses } = await told([step]);
    expect(answer).toMatchObject({ kind: "refused", about: "scope", ...refusal });
    expect(addresses.count).toBe(0);
  });

  it("askArtifact() does not hand on a cookie with a no", async () => {
    const step = {
      ...sendsTo("/users/sign_in"),
      headers: { location: "/users/sign_in", "set-cookie": "a=b" },
    };
    const { answer } = await told([step]);
    expect(answer).toMatchObject({ refusal: { headers: [["location", "/users/sign_in"]] } });
  });

  it.each<[string | undefined, number]>([
    ["7", 7],
    [undefined, 10],
  ])("askArtifact() does stay away when it is told to, for %s", async (retryAfter, seconds) => {
    const { answer } = await told([{ status: 429, headers: { "retry-after": retryAfter }, body: "a" }]);
    expect(answer).toMatchObject({ kind: "busy", seconds, refusal: { status: 429 } });
  });

  it.each([500, 502, 503])("askArtifact() does fail with a forge that failed by %d", async (status) => {
    const { error } = await told([{ status, body: "a" }]);
    expect(error).toMatchObject({ problem: "origin_error" });
  });
});

describe("the latest job of a name", () => {
  it("askArtifact() does follow to the job itself, as the same asker", async () => {
    const { answer, asked } = await told([sendsTo(JOB_7), partOfZip(0, 1)], {
      ...BY_NAME,
      principal: SESSION,
    });
    const headers = [["cookie", "_gitlab_session=s1"], ONE_BYTE];
    expect(asked.map(({ url }) => url)).toEqual([LATEST_URL, JOB_7]);
    expect(asked.map((each) => each.headers)).toEqual([headers, headers]);
    const identity = `7:::10::${DATE}`;
    expect(answer).toEqual(admitted({ ...ENTRY, identity, etag: `"7-10-${DATE}"`, job: "7" }));
  });

  it("askArtifact() does take a token in the query along", async () => {
    const asking = { ...BY_NAME, principal: IN_QUERY };
    const { asked } = await told(
      [sendsTo("/g/p/-/jobs/7/artifacts/download?job=j"), partOfZip(0, 1)],
      asking,
    );
    expect(asked[0]?.url).toBe(`${LATEST_URL}&private_token=glpat-1`);
    expect(asked[1]?.url).toBe(`${JOB_7}?job=j&private_token=glpat-1`);
  });

  it("askArtifact() does follow on to where the storage has it, without the asker's credential", async () => {
    const { entry, asked, addresses } = await told(
      [sendsTo(JOB_7), sendsTo(SIGNED), partOfZip(0, 1)],
      BY_NAME,
    );
    expect(asked[2]).toMatchObject({ url: SIGNED, headers: [ONE_BYTE] });
    expect(entry).toMatchObject({ identity: `7:${PLACED}:10::${DATE}`, job: "7" });
    expect(addresses.get(LATEST_URL)?.url).toBe(SIGNED);
  });

  it("askArtifact() does hand on the no that the job itself brings", async () => {
    const { answer } = await told([sendsTo(JOB_7), sendsTo("/users/sign_in")], BY_NAME);
    expect(answer).toMatchObject({ kind: "refused", about: "scope" });
  });

  it.each<[string, readonly Step[]]>([
    ["from job to job", [sendsTo(JOB_7), sendsTo(JOB_7)]],
    ["to another page of the forge", [sendsTo(`${FORGE}/g/p`)]],
    ["to a project that has moved", [sendsTo(`${FORGE}/g/moved/-/jobs/artifacts/main/download?job=j`, 301)]],
    ["nowhere", [{ status: 302, body: "a" }]],
    ["to what is no web address", [sendsTo("ftp://forge.example/a")]],
    ["to what is no address", [sendsTo("https://[")]],
    ["to its own other port", [sendsTo(`${FORGE}:444/g/p/-/jobs/7/artifacts/download`)]],
  ])("askArtifact() does not follow one who sends %s", async (_case, steps) => {
    expect((await told(steps, BY_NAME)).answer).toEqual({ kind: "unclear" });
  });
});

describe("an artifact in object storage", () => {
  const identity = `5:${PLACED}:10::${DATE}`;

  it("askArtifact() does ask for the byte there, with no credential but the address", async () => {
    for (const principal of [TOKEN, SESSION, IN_QUERY]) {
      const { answer, asked } = await told([sendsTo(SIGNED), partOfZip(0, 1)], { principal });
      expect(answer).toEqual(admitted({ ...ENTRY, identity }));
      expect(asked[1]).toEqual({
        method: "GET",
        url: SIGNED,
        headers: [ONE_BYTE],
        deadline: "start",
        coding: "as stored",
      });
    }
  });

  it.each([301, 302, 303, 307, 308])("askArtifact() does take %d to there for a yes", async (status) => {
    expect((await told([sendsTo(SIGNED, status), partOfZip(0, 1)])).entry).toMatchObject({ identity });
  });

  it("askArtifact() does remember the address, for as long as it is good", async () => {
    const { addresses } = await told([sendsTo(SIGNED), partOfZip(0, 1)]);
    expect(addresses.get(ARTIFACT_URL)).toEqual({ url: SIGNED, until: NOW + 580_000 });
    expect(addresses.count).toBe(1);
  });

  it("askArtifact() does not ask again for what is known at that place", async () => {
    const known = { ...ENTRY, at: NOW - 60_000, identity };
    const { answer, addresses } = await told([sendsTo(SIGNED.replace("=s", "=another"))], { known });
    expect(answer).toEqual(admitted(known));
    expect(addresses.get(ARTIFACT_URL)?.url).toContain("=another");
  });

  it.each<[string, string]>([
    ["at another place", SIGNED.replace("/ab/5/", "/ab/6/")],
    ["at a place that begins alike", SIGNED.replace("a.zip", "a.zip.zip")],
    ["at a place that is spelled alike", SIGNED.replace("a.zip", "a.zip:10::")],
  ])("askArtifact() does ask again for what is %s", async (_case, location) => {
    const { entry } = await told([sendsTo(location), partOfZip(0, 1)], { known: { ...ENTRY, identity } });
    expect(entry?.identity).not.toBe(identity);
  });

  it("askArtifact() does ask again for what is known at a place whose name goes on", async () => {
    const further = identity.replace("a.zip", "a.zip.zip");
    const known = { ...ENTRY, identity: further };
    const { entry } = await told([sendsTo(SIGNED), partOfZip(0, 1)], { known });
    expect(entry?.identity).toBe(identity);
  });

  it("askArtifact() does ask again for what is known as another job's, or as another artifact of the job", async () => {
    for (const other of [identity.replace("5:", "55:"), identity.replace("5::", "5:junit:")]) {
      const { entry } = await told([sendsTo(SIGNED), partOfZip(0, 1)], {
        known: { ...ENTRY, identity: other },
      });
      expect(entry?.identity).toBe(identity);
    }
  });

  it("askArtifact() does know the latest job by its place where nothing else tells it", async () => {
    const target = { ...ARTIFACT, job: LATEST };
    const { entry } = await told([sendsTo(SIGNED), partOfZip(0, 1)], { target });
    expect(entry).toEqual({
      ...withoutJob(ENTRY),
      identity: `latest%20main%20j:${PLACED}:10::${DATE}`,
      etag: `"latest-10-${DATE}"`,
    });
    await told([sendsTo(SIGNED)], { target, known: entry });
  });

  it.each<[string, Step]>([
    ["refuses", { status: 403, body: "<Error/>" }],
    ["has lost it", { status: 404, body: "<Error/>" }],
    ["has too much to do", { status: 429, body: "a" }],
    ["has failed", { status: 503, body: "a" }],
    ["sends elsewhere", sendsTo("https://elsewhere.example/a.zip?X-Amz-Signature=s")],
  ])("askArtifact() does fail with a storage that %s", async (_case, step) => {
    expect((await told([sendsTo(SIGNED), step])).error).toMatchObject({ problem: "origin_error" });
  });

  it.each<[string, Step]>([
    ["a page", wholeZip({ "content-type": "text/html" })],
    ["a whole without a length", wholeZip({ "content-length": undefined })],
    ["an unsatisfiable range", { status: 416, body: "<Error/>" }],
  ])("askArtifact() does make nothing of %s from there", async (_case, step) => {
    expect((await told([sendsTo(SIGNED), step])).answer).toEqual({ kind: "unclear" });
  });
});

describe("a redirect to who knows where", () => {
  it.each([
    ["https://login.example/?return_to=a"],
    ["https://login.example/users/sign_in"],
    ["//storage.example/artifacts/ab/5/a.zip"],
    ["http://forge.example/users/sign_in"],
    ["https://storage.example/artifacts/ab/5/a.zip"],
    ["https://login.example/authorize?client_id=a&redirect_uri=b%3FX-Amz-Signature%3Ds&state=s"],
    ["https://login.example/saml?SAMLRequest=a&SigAlg=b&Signature=s"],
    ["https://login.example/sso?sso=a&sig=s"],
  ])("askArtifact() does take %s for no yes, and not go there", async (location) => {
    const { answer, addresses } = await told([sendsTo(location)]);
    expect(answer).toEqual({ kind: "unclear" });
    expect(addresses.count).toBe(0);
  });
});

describe("what tells one artifact from another", () => {
  async function identityOf(step: Step, asking: Partial<ArtifactAsking> = {}, place?: string) {
    const { entry } = await told(place === undefined ? [step] : [sendsTo(place), step], asking);
    return [entry?.identity, entry?.etag, entry?.originEtag];
  }

  it.each<[string, Step["headers"]]>([
    ["a weak tag", { etag: 'W/"a"' }],
    ["a strong tag, which it has sent for different ones", { etag: '"a"' }],
  ])("askArtifact() does not believe %s of the forge", async (_case, headers) => {
    expect(await identityOf(partOfZip(0, 1, headers))).toEqual(await identityOf(partOfZip(0, 1)));
  });

  it("askArtifact() does believe a strong tag of a storage, and no weak one", async () => {
    const tag = encodeURIComponent('"e"');
    expect(await identityOf(partOfZip(0, 1, { etag: '"e"' }), {}, SIGNED)).toEqual([
      `5:${PLACED}:10:${tag}:${DATE}`,
      '"e"',
      '"e"',
    ]);
    expect(await identityOf(partOfZip(0, 1, { etag: 'W/"e"' }), {}, SIGNED)).toEqual(
      await identityOf(partOfZip(0, 1), {}, SIGNED),
    );
  });

  it("askArtifact() does tell apart by size, date, job, type and place", async () => {
    const target = (changes: Partial<typeof ARTIFACT>) => ({ target: { ...ARTIFACT, ...changes } });
    const all = [
      await identityOf(partOfZip(0, 1)),
      await identityOf(partOfZip(0, 1, { "content-range": "bytes 0-0/11" })),
      await identityOf(partOfZip(0, 1, { "last-modified": undefined })),
      await identityOf(partOfZip(0, 1, { "last-modified": "Sun, 06 Nov 1994 08:49:38 GMT" })),
      await identityOf(partOfZip(0, 1), target({ job: { kind: "id", id: "6" } })),
      await identityOf(partOfZip(0, 1), target({ channel: "web", fileType: "junit" })),
      await identityOf(partOfZip(0, 1), {}, SIGNED),
      await identityOf(partOfZip(0, 1), {}, SIGNED.replace("/5/", "/6/")),
      await identityOf(partOfZip(0, 1, { etag: '"e"' }), {}, SIGNED),
      await identityOf(partOfZip(0, 1), target({ job: LATEST })),
      await identityOf(partOfZip(0, 1), target({ job: { kind: "latest", ref: "other", job: "j" } })),
      await identityOf(partOfZip(0, 1), target({ job: { kind: "latest", ref: "main", job: "other" } })),
    ];
    expect(new Set(all.map(([identity]) => identity)).size).toBe(all.length);
  });

  it("askArtifact() does know an artifact again by another door and another signature", async () => {
    const web = { target: { ...ARTIFACT, channel: "web" } } as const;
    expect(await identityOf(partOfZip(0, 1), web)).toEqual(await identityOf(wholeZip()));
    const later = SIGNED.replace("X-Amz-Signature=s", "X-Amz-Signature=t&a=b");
    expect(await identityOf(partOfZip(0, 1), web, later)).toEqual(await identityOf(wholeZip(), {}, SIGNED));
  });

  it("askArtifact() does leave to the forge what says neither job, date nor tag", async () => {
    const target = { ...ARTIFACT, job: LATEST };
    const { answer } = await told([partOfZip(0, 1, { "last-modified": undefined })], { target });
    expect(answer).toEqual({ kind: "unclear" });
    const numbered = await told([partOfZip(0, 1, { "last-modified": undefined })]);
    expect(numbered.entry).toMatchObject({ identity: "5:::10::", etag: '"5-10"' });
  });
});
