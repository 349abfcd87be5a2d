import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Answer, Asking } from "./s3-client.ts";
import { breakReads, STORE_FAULTS, STORE_MANNERS, type StoreFault } from "./s3-origin-faults.ts";
import { KEYS, MODES, startS3Scene, type Mode, type S3Scene, type StoredFile } from "./s3-scene.ts";

const BLOCK_BYTES = 64 * 1024;
const SMALL_BYTES = 3000;
const BIG_BYTES = 6 * BLOCK_BYTES + 77;
const RANGE = { start: 4 * BLOCK_BYTES - 50, end: 4 * BLOCK_BYTES + 50 };

let scene: S3Scene;
beforeAll(async () => {
  const vars = {
    ORIGIN_TIMEOUT_S: 1,
    ORIGIN_STALL_S: 1,
    BLOCK_BYTES,
    HOT_BODY_BYTES: 32 * 1024,
    READ_AHEAD_BLOCKS: 2,
  };
  scene = await startS3Scene({ vars });
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.close());

const outline = ({ status, code, body, whole, caches }: Answer) =>
  `${status} ${code ?? ""} ${whole ? "whole" : "broken"} ${body.length} bytes ${JSON.stringify(caches)}`;

/** Whether somebody who gets this can tell that it is not the object, where it is not. */
function isExactOrBroken({ status, headers, body, whole }: Answer, { bytes }: StoredFile): boolean {
  if (status === 0 || status >= 300) return true;
  if (status !== 200 && status !== 206) return false;
  const [, first, last] = /^bytes (\d+)-(\d+)\//.exec(headers["content-range"] ?? "") ?? [];
  if (status === 206 && first === undefined) return false;
  const wanted = status === 200 ? bytes : bytes.subarray(Number(first), Number(last) + 1);
  return whole ? body.equals(wanted) : wanted.subarray(0, body.length).equals(body);
}

function isExact(answer: Answer, file: StoredFile): boolean {
  return answer.whole && (answer.status === 200 || answer.status === 206) && isExactOrBroken(answer, file);
}

const rangeOf = ({ bytes }: StoredFile) => {
  const { start, end } = bytes.length > RANGE.end ? RANGE : { start: 10, end: 20 };
  return { range: `bytes=${start}-${end - 1}` };
};

async function askAll(mode: Mode, file: StoredFile): Promise<Answer[]> {
  const asked: Partial<Asking>[] = [
    { as: KEYS.reader },
    { as: KEYS.writer },
    { as: KEYS.reader, headers: rangeOf(file), unsigned: ["range"] },
    { as: KEYS.reader, method: "HEAD" },
  ];
  const answers = await Promise.all(
    asked.map(async (asking) => await scene.ask(mode, { path: file.path, ...asking })),
  );
  return answers.slice(0, 3);
}

/** What is not as it should be with the origin well again: for the next client, and for a new isolate that finds what was stored. */
async function lingering(mode: Mode, files: readonly StoredFile[]): Promise<string[]> {
  scene.store.intercept = undefined;
  await scene.settle();
  await scene.advance(11_000);
  const faults: string[] = [];
  for (const when of ["at once", "in a new isolate"]) {
    const asked = files.map(async (file) => {
      for (const answer of await askAll(mode, file))
        if (!isExact(answer, file)) faults.push(`${when}: ${outline(answer)} of ${file.bytes.length}`);
    });
    await Promise.all(asked);
    await scene.newIsolate();
  }
  return faults;
}

const newFiles = () => [SMALL_BYTES, BIG_BYTES].map((size) => scene.object(randomBytes(size)));

function breakAll(files: readonly StoredFile[], fault: StoreFault): void {
  for (const { path, bytes: whole } of files) breakReads(scene.store, path, { whole, fault });
}

const FAULTS = Object.entries(STORE_FAULTS).map(([name, fault]) => ({ name, fault }));
/** Of what is not known the store is taken at its word: these cannot be told from another object. */
const CREDIBLE = /ended well|and more|gzip|204|an error in it/;
const MANNERS = Object.entries(STORE_MANNERS).map(([name, fault]) => ({ name, fault }));
/** How it is known who asks changes only the first question. */
const FEW = /200 to whatever|begins later|without Content-Range|half of it, cut$|^412/;
/** Those that only show where a part was asked for. */
const OF_PARTS = /part|Content-Range|200 to|byteranges|half of it|and more|gzip|^5|^4|an error in it/;

describe.each(MODES)("auth %s: a store that answers", (mode) => {
  const faults = mode === "edge" ? FAULTS : FAULTS.filter(({ name }) => FEW.test(name));
  it.each(faults)("every read of what is not known with $name", async ({ name, fault }) => {
    const files = newFiles();
    breakAll(files, fault);
    for (const file of files) {
      for (const answer of await askAll(mode, file)) {
        const isRight = CREDIBLE.test(name) || isExactOrBroken(answer, file);
        expect([outline(answer), isRight]).toEqual([outline(answer), true]);
      }
    }
    if (CREDIBLE.test(name)) await scene.advance(31_000);
    expect(await lingering(mode, files)).toEqual([]);
  });

  const manners = mode === "edge" ? MANNERS : MANNERS.filter(({ name }) => /ETag/.test(name));
  it.each(manners)("with $name", async ({ name, fault }) => {
    /** What is never twice the same may break off, but is not joined. */
    const isRight = (answer: Answer, file: StoredFile) =>
      isExact(answer, file) || (/each time/.test(name) && !answer.whole && isExactOrBroken(answer, file));
    const files = newFiles();
    breakAll(files, fault);
    for (let again = 0; again < 2; again++) {
      for (const file of files) {
        for (const answer of await askAll(mode, file))
          expect([outline(answer), isRight(answer, file)]).toEqual([outline(answer), true]);
      }
    }
    for (const file of files) {
      scene.store.put(file.bucket, file.key, randomBytes(file.bytes.length));
      const changed = { ...file, bytes: scene.store.get(file.bucket, file.key)?.bytes() ?? file.bytes };
      breakAll([changed], fault);
      await scene.advance(31_000);
      for (const answer of await askAll(mode, changed))
        expect([outline(answer), isRight(answer, changed)]).toEqual([outline(answer), true]);
    }
  });
});

describe("a store that answers, when what it has is known and the blocks are lost,", () => {
  const faults = FAULTS.filter(({ name }) => OF_PARTS.test(name));
  it.each(faults)("with $name", async ({ name, fault }) => {
    const [, file = scene.object("")] = newFiles();
    for (const answer of await askAll("edge", file)) expect(isExact(answer, file)).toBe(true);
    await scene.settle();
    await scene.world({ cache: "failing" });
    breakAll([file], fault);
    for (const answer of await askAll("edge", file)) {
      // What is asked for anew after that is taken as it comes
      const isAnew = "" in answer.caches || answer.headers["content-encoding"] === "gzip";
      const isRight = isExactOrBroken(answer, file) || (CREDIBLE.test(name) && isAnew);
      expect([outline(answer), isRight]).toEqual([outline(answer), true]);
    }
    await scene.world({ cache: "ok" });
    expect(await lingering("edge", [file])).toEqual([]);
  });

  it.each(FAULTS.filter(({ name }) => FEW.test(name)))(
    "the second of its reads with $name",
    async ({ fault }) => {
      const [, file = scene.object("")] = newFiles();
      const first = await scene.ask("edge", {
        path: file.path,
        as: KEYS.reader,
        headers: { range: "bytes=0-9" },
      });
      expect(isExact(first, file)).toBe(true);
      await scene.settle();
      breakReads(scene.store, file.path, {
        whole: file.bytes,
        fault,
        isMeant: (_request, count) => count === 1,
      });
      for (const answer of await askAll("edge", file))
        expect([outline(answer), isExactOrBroken(answer, file)]).toEqual([outline(answer), true]);
      expect(await lingering("edge", [file])).toEqual([]);
    },
  );
});

describe("a store that is too busy", () => {
  it.each([
    { name: "for 5 s", headers: { "retry-after": "5" }, seconds: 5 },
    { name: "and does not say for how long", headers: {}, seconds: 1 },
  ])("$name is left alone that long, and the client is told", async ({ headers, seconds }) => {
    const [file = scene.object("")] = newFiles();
    const body = "<Error><Code>SlowDown</Code></Error>";
    scene.store.intercept = (_request, response) => {
      response.writeHead(503, { "content-type": "application/xml", ...headers }).end(body);
      return true;
    };
    const { result, counts } = await scene.counted(async () => {
      const answers = [];
      for (let again = 0; again < 5; again++)
        answers.push(await scene.ask("edge", { path: file.path, as: KEYS.reader }));
      return answers;
    });
    for (const { status, code } of result) expect([status, code]).toEqual([503, "SlowDown"]);
    for (const { headers: told } of result.slice(1)) expect(Number(told["retry-after"])).toBeGreaterThan(0);
    expect(counts.total).toBe(1);
    scene.store.intercept = undefined;
    await scene.advance(seconds * 1000);
    expect(isExact(await scene.ask("edge", { path: file.path, as: KEYS.reader }), file)).toBe(true);
  });

  it("does not keep what is cached from those who may read it", async () => {
    const [file = scene.object("")] = newFiles();
    await scene.ask("edge", { path: file.path, as: KEYS.reader });
    await scene.settle();
    scene.store.intercept = (_request, response) => {
      response.writeHead(503).end();
      return true;
    };
    await scene.advance(26_000);
    for (let again = 0; again < 3; again++)
      expect(isExact(await scene.ask("edge", { path: file.path, as: KEYS.reader }), file)).toBe(true);
  });
});
