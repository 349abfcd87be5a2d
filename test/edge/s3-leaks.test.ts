import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { S3_FORGERS, S3_READERS, S3_STRANGERS, type S3Asker } from "./s3-askers.ts";
import type { Answer, Asking } from "./s3-client.ts";
import {
  KEYS,
  MODES,
  PRIVATE,
  PUBLIC,
  startS3Scene,
  type Mode,
  type S3Scene,
  type StoredFile,
} from "./s3-scene.ts";

const BLOCK_BYTES = 64 * 1024;
const MARKER = "for the reader's eyes only ";

let scene: S3Scene;
beforeAll(async () => {
  scene = await startS3Scene({ vars: { BLOCK_BYTES, HOT_BODY_BYTES: 32 * 1024 } });
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.close());

/** Digits that appear in no other header. */
let smallSize = 20_003;
let bigSize = 3 * BLOCK_BYTES + 20_001;

function secretFile(size: "small" | "big", bucket = PRIVATE): StoredFile {
  const length = size === "small" ? (smallSize += 10) : (bigSize += 10);
  const name = scene.name("secret");
  return scene.object(`${MARKER}${name} `.padEnd(length, MARKER), { bucket, key: name });
}

type Kind = {
  readonly name: string;
  readonly method?: "HEAD";
  readonly headers?: (file: StoredFile) => Record<string, string>;
  readonly served: (answer: Answer, file: StoredFile) => void;
};

const KINDS: readonly Kind[] = [
  {
    name: "GET",
    served: ({ status, body }, { bytes }) => {
      expect(status).toBe(200);
      expect(body.equals(bytes)).toBe(true);
    },
  },
  {
    name: "HEAD",
    method: "HEAD",
    served: ({ status, headers }, { bytes }) =>
      expect([status, headers["content-length"]]).toEqual([200, String(bytes.length)]),
  },
  {
    name: "Range",
    headers: () => ({ range: "bytes=5-14" }),
    served: ({ status, body }, { bytes }) => {
      expect(status).toBe(206);
      expect(body.equals(bytes.subarray(5, 15))).toBe(true);
    },
  },
  {
    name: "Range beyond the end",
    headers: () => ({ range: "bytes=9999999-" }),
    served: ({ status }) => expect(status).toBe(416),
  },
  {
    name: "If-None-Match of the object",
    headers: ({ etag }) => ({ "if-none-match": etag }),
    served: ({ status }) => expect(status).toBe(304),
  },
  {
    name: "If-None-Match: *",
    headers: () => ({ "if-none-match": "*" }),
    served: ({ status }) => expect(status).toBe(304),
  },
  {
    name: "If-Match: *",
    headers: () => ({ "if-match": "*" }),
    served: ({ status, body }, { bytes }) => {
      expect(status).toBe(200);
      expect(body.equals(bytes)).toBe(true);
    },
  },
  {
    name: "If-Match of another",
    headers: () => ({ "if-match": '"another"' }),
    served: ({ status }) => expect(status).toBe(412),
  },
];

const FEW_KINDS = KINDS.filter(({ name }) => name === "GET" || name === "If-Match: *");

type Verdict = "served" | "refused" | "unreachable";
const REFUSALS: Readonly<Record<Exclude<Verdict, "served">, readonly number[]>> = {
  refused: [400, 403],
  unreachable: [400, 403, 502, 503, 504],
};
const TELLING = ["etag", "last-modified", "content-range", "accept-ranges", "age", "x-amz-version-id"];
const IDS = new Set(["x-amz-request-id", "x-amz-id-2"]);

/** A refusal that tells nothing of the object: none of its bytes, its validators, its size. */
function expectNothingTold(
  { status, headers, body }: Answer,
  file: StoredFile,
  allowed: readonly number[],
): void {
  expect(allowed).toContain(status);
  for (const name of TELLING) expect(headers).not.toHaveProperty(name);
  const told = JSON.stringify(Object.entries(headers).filter(([name]) => !IDS.has(name)));
  expect(told).not.toContain(String(file.bytes.length));
  const text = body.toString("latin1");
  expect(text).not.toContain(MARKER);
  // A refusal may repeat what it was asked: a tag that was sent is no secret.
  expect(text.replace(/<StringToSign>.*|<CanonicalRequest>.*/gs, "")).not.toContain(file.etag.slice(1, -1));
}

type Checking = {
  readonly mode: Mode;
  readonly file: StoredFile;
  readonly verdict: Verdict;
  readonly kinds?: readonly Kind[];
};

/** Asks in every way at once, and tells each answer that is not what this asker may see. */
async function check(asker: S3Asker, { mode, file, verdict, kinds = KINDS }: Checking): Promise<string[]> {
  const faults = kinds.map(async ({ name, method = "GET", headers, served }): Promise<string[]> => {
    const own: Partial<Asking> = asker.asking(method);
    const all = { ...own.headers, ...headers?.(file) };
    // Signed along in one way of asking, and not in the other: both are done
    const unsigned = [...(own.unsigned ?? []), "range", "if-match", "if-none-match"];
    const answer = await scene.ask(mode, { path: file.path, method, ...own, headers: all, unsigned });
    try {
      if (verdict === "served") served(answer, file);
      else expectNothingTold(answer, file, REFUSALS[verdict]);
      return [];
    } catch (error) {
      const caches = String(answer.headers["cache-status"]);
      const got = `${answer.status} ${answer.code ?? ""} ${caches} with ${answer.body.length} bytes`;
      return [`${asker.name}, ${name}: not ${verdict} but ${got}: ${String(error).slice(0, 200)}`];
    }
  });
  return (await Promise.all(faults)).flat();
}

async function checkAll(askers: readonly S3Asker[], checking: Checking): Promise<string[]> {
  return (await Promise.all(askers.map(async (asker) => await check(asker, checking)))).flat();
}

async function warm(mode: Mode, file: StoredFile): Promise<void> {
  for (const by of ["header", "query"] as const) {
    const { status, body } = await scene.ask(mode, { path: file.path, as: KEYS.reader, by });
    expect([status, body.equals(file.bytes)]).toEqual([200, true]);
  }
  await scene.settle();
}

type State = {
  readonly name: string;
  readonly prepare: (mode: Mode, file: StoredFile) => Promise<void>;
  /** What becomes of those who could read. */
  readonly readers: Verdict | "as it may be";
  readonly others?: Verdict;
  readonly isAskedInEveryWay?: true;
};

const STATES: readonly State[] = [
  { name: "nothing is cached", prepare: async () => undefined, readers: "served" },
  { name: "a reader has just read it", prepare: warm, readers: "served", isAskedInEveryWay: true },
  {
    name: "only the colo holds it",
    prepare: async (mode, file) => {
      await warm(mode, file);
      await scene.newIsolate();
    },
    readers: "served",
  },
  {
    name: "grants were renewed, and the colo fails",
    prepare: async (mode, file) => {
      await warm(mode, file);
      await scene.advance(26_000);
      await warm(mode, file);
      await scene.world({ cache: "failing" });
      await scene.newIsolate();
    },
    readers: "served",
  },
  {
    name: "the grants have ended",
    prepare: async (mode, file) => {
      await warm(mode, file);
      await scene.advance(31_000);
    },
    readers: "served",
  },
  {
    name: "readers read it at this moment",
    prepare: async (mode, file) => {
      scene.store.authMs = 30;
      for (const asker of S3_READERS) {
        void scene.ask(mode, { path: file.path, ...asker.asking("GET") });
      }
    },
    readers: "served",
  },
  {
    name: "the origin is down",
    prepare: async (mode, file) => {
      await warm(mode, file);
      scene.store.intercept = (request) => {
        request.socket.destroy();
        return true;
      };
    },
    readers: "as it may be",
    others: "unreachable",
  },
  {
    name: "the origin is down, and the grants have ended",
    prepare: async (mode, file) => {
      await warm(mode, file);
      scene.store.intercept = (request) => {
        request.socket.destroy();
        return true;
      };
      await scene.advance(30_000);
    },
    readers: "unreachable",
    others: "unreachable",
  },
  {
    name: "access was withdrawn 30 s ago",
    prepare: async (mode, file) => {
      await warm(mode, file);
      scene.store.setAccess(KEYS.reader.id, { read: [PUBLIC] });
      scene.store.setAccess(KEYS.writer.id, { read: [PUBLIC] });
      await scene.advance(30_000);
    },
    readers: "refused",
  },
  {
    name: "the keys were revoked 30 s ago",
    prepare: async (mode, file) => {
      await warm(mode, file);
      scene.store.revokeKey(KEYS.reader.id);
      scene.store.revokeKey(KEYS.writer.id);
      await scene.advance(30_000);
    },
    readers: "refused",
  },
];

/** The first ones: cold, in memory, in the colo. */
const STATES_OF_CACHES = 3;
const SIZES = ["small", "big"] as const;
const casesOf = (mode: Mode) =>
  STATES.flatMap((state, index) =>
    SIZES.filter((_size, which) => (mode === "edge" && index < 2) || index % 2 === which).map((size) => ({
      state,
      size,
      when: state.name,
    })),
  );

describe.each(MODES)("a private object, auth %s", (mode) => {
  it.each(casesOf(mode))("$size: $when", async ({ state, size }) => {
    const file = secretFile(size);
    await state.prepare(mode, file);
    const verdict = state.others ?? "refused";
    // The store itself judges the signatures of other modes, in whatever way it is asked
    const kinds = state.isAskedInEveryWay === true && mode === "edge" ? KINDS : FEW_KINDS;
    const faults = await checkAll(S3_STRANGERS, { mode, file, verdict });
    // To other modes each forgery is a new asker, of whom nothing can be remembered
    if (mode === "edge" || STATES.indexOf(state) < STATES_OF_CACHES)
      faults.push(...(await checkAll(S3_FORGERS, { mode, file, verdict, kinds })));
    if (state.readers !== "as it may be")
      faults.push(...(await checkAll(S3_READERS, { mode, file, verdict: state.readers })));
    // And once more, when it is remembered who was refused
    faults.push(...(await checkAll(S3_STRANGERS, { mode, file, verdict })));
    expect(faults).toEqual([]);
  });

  it("a public one is for everybody but forgers", async () => {
    const file = secretFile("big", PUBLIC);
    for (let again = 0; again < 2; again++) {
      const everybody = [...S3_STRANGERS, ...S3_READERS];
      const faults = await checkAll(everybody, { mode, file, verdict: "served" });
      faults.push(...(await checkAll(S3_FORGERS, { mode, file, verdict: "refused", kinds: FEW_KINDS })));
      expect(faults).toEqual([]);
    }
  });

  it("one that was public is private 30 s later", async () => {
    const file = secretFile("small", PUBLIC);
    expect(await checkAll(S3_STRANGERS, { mode, file, verdict: "served" })).toEqual([]);
    scene.store.setVisibility(PUBLIC, "private");
    scene.store.setAccess(KEYS.other.id, { read: [] });
    await scene.advance(30_000);
    expect(await checkAll(S3_STRANGERS, { mode, file, verdict: "refused" })).toEqual([]);
    expect(await checkAll(S3_READERS, { mode, file, verdict: "served" })).toEqual([]);
  });

  it("one that was private is public at once for those who never asked, and 10 s later for all", async () => {
    const file = secretFile("small");
    expect(await checkAll(S3_STRANGERS.slice(0, 1), { mode, file, verdict: "refused" })).toEqual([]);
    scene.store.setVisibility(PRIVATE, "public");
    expect(await checkAll(S3_STRANGERS.slice(1), { mode, file, verdict: "served" })).toEqual([]);
    await scene.advance(10_000);
    expect(await checkAll(S3_STRANGERS, { mode, file, verdict: "served" })).toEqual([]);
  });
});

it("no answer shows a secret, and no key of a cache a signature", async () => {
  const file = secretFile("small");
  for (const mode of MODES) {
    for (const asker of [...S3_READERS, ...S3_STRANGERS, ...S3_FORGERS]) {
      const { headers, body } = await scene.ask(mode, { path: file.path, ...asker.asking("GET") });
      const told = JSON.stringify(headers) + body.toString("latin1");
      for (const { secret } of Object.values(KEYS)) expect(told).not.toContain(secret);
      expect(told).not.toContain(createHash("sha256").update(KEYS.reader.secret).digest("hex"));
    }
  }
});
