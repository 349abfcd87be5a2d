import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Forge } from "../../scripts/demo/demo.ts";
import {
  CREDENTIALS,
  getFrom,
  newFileIn,
  GITEA_WEB,
  GITLAB_API,
  GITLAB_WEB,
  type Door,
  type NewFile,
  type Place,
} from "./doors.ts";
import { startHarness } from "./harness.ts";
import { BODY_FAULTS, breakBodies, half, isBodyRead, QUESTION_FAULTS, without } from "./origin-faults.ts";
import { ask, SECRET, startScene, type Answer, type Ask, type Scene } from "./scene.ts";

const BLOCK_BYTES = 64 * 1024;
const SMALL_BYTES = 3000;
/** Blocks and a bit. */
const BIG_BYTES = 5 * BLOCK_BYTES + 77;
/** More than sockets can hold, so that a client that stands still is felt. */
const HUGE_BYTES = 12 * 1024 * 1024 + 5;

const VARS = { ORIGIN_TIMEOUT_S: 1, ORIGIN_STALL_S: 1, BLOCK_BYTES, HOT_BODY_BYTES: 32 * 1024 };

let scene: Scene;
let gitlab: Forge;
beforeAll(async () => {
  scene = await startScene({ bigFileBytes: HUGE_BYTES, vars: VARS });
  gitlab = scene.forge("gitlab");
});
beforeEach(async () => await scene.fresh());
afterEach(() => {
  for (const name of ["gitlab", "gitea"] as const) scene.forge(name).intercept = undefined;
});
afterAll(async () => await scene.harness.close());

const DOORS = [GITLAB_WEB, GITLAB_API, GITEA_WEB];

async function get(door: Door, file: Place, { headers, ...more }: Ask = {}): Promise<Answer> {
  return await getFrom(scene, door, file, { ...more, headers: { ...CREDENTIALS[door.forge], ...headers } });
}

async function newFile(length: number): Promise<NewFile> {
  return await newFileIn(scene, length);
}

/** Whether somebody who gets this can tell that it is not the file, where it is not. */
function isExactOrBroken({ status, headers, body, whole }: Answer, bytes: Buffer): boolean {
  if (status !== 200) return status !== 206;
  const declared = headers["content-length"];
  if (!whole || (declared !== undefined && body.length < Number(declared)))
    return bytes.subarray(0, body.length).equals(body);
  return status === 200 && body.equals(bytes);
}

function outline({ status, body, whole, caches }: Answer): string {
  return `${status} ${whole ? "whole" : "broken"} ${body.length} bytes ${JSON.stringify(caches)}`;
}

/** What is not as it should be with the origin well again: for the next client, and for a new isolate that finds what was stored. */
async function lingering(door: Door, files: readonly NewFile[]): Promise<string[]> {
  scene.forge(door.forge).intercept = undefined;
  await scene.settle();
  await scene.advance(11_000);
  const faults: string[] = [];
  const look = async (file: NewFile, when: string) => {
    const [start, end] = [file.bytes.length - 100, file.bytes.length];
    const part = await get(door, file, { headers: { range: `bytes=${start}-${end - 1}` } });
    const isPart = part.status === 206 && part.body.equals(file.bytes.subarray(start, end));
    if (!isPart) faults.push(`${when}, a part of ${end}: ${outline(part)}`);
    const whole = await get(door, file);
    const isWhole = whole.status === 200 && whole.body.equals(file.bytes);
    if (!isWhole) faults.push(`${when}, all ${end}: ${outline(whole)}`);
  };
  for (const when of ["at once", "in a new isolate"]) {
    await Promise.all(files.map(async (file) => await look(file, when)));
    await scene.settle();
    await scene.harness.newIsolate();
  }
  return faults;
}

/** What does not depend on what a forge tells of a file is tried at one door only. */
const AT_EVERY_DOOR = new Set([
  "half of it, cut, with its length",
  "half of it, cut, in chunks",
  "half of it, ended well, in chunks",
  "half of it, ended by closing",
  "all of it and more, in chunks",
  "all of it and more than its length",
  "206 that nobody asked for",
  "500",
  "a sign-in page",
]);

const BODY_CASES = DOORS.flatMap((door) =>
  Object.entries(BODY_FAULTS)
    .filter(([fault]) => door === GITLAB_WEB || AT_EVERY_DOOR.has(fault))
    .map(([fault, breakIt]) => ({ door, name: door.name, fault, breakIt })),
);

describe("a body read that brings", () => {
  it.each(BODY_CASES)("$fault: $name", async ({ door, breakIt }) => {
    const files = await Promise.all([newFile(SMALL_BYTES), newFile(BIG_BYTES)]);
    breakBodies(scene.forge(door.forge), breakIt);
    const broken = await Promise.all(
      files.flatMap((file) => [
        get(door, file).then((answer) => ({ file, answer })),
        get(door, file).then((answer) => ({ file, answer })),
      ]),
    );
    for (const { file, answer } of broken) {
      expect([outline(answer), isExactOrBroken(answer, file.bytes)]).toEqual([outline(answer), true]);
    }
    expect(await lingering(door, files)).toEqual([]);
  });

  it.each(DOORS)("a gzip coding: $name", async (door) => {
    const file = await newFile(SMALL_BYTES);
    breakBodies(scene.forge(door.forge), (response, { headers, body }) => {
      const zipped = gzipSync(body);
      response
        .writeHead(200, { ...headers, "content-encoding": "gzip", "content-length": zipped.length })
        .end(zipped);
    });
    for (const answer of await Promise.all([get(door, file), get(door, file), get(door, file)])) {
      const { status, headers, body } = answer;
      const zipped = gzipSync(file.bytes);
      const isCoded = headers["content-encoding"] === "gzip" && body.equals(zipped);
      const isPlain = headers["content-encoding"] === undefined && body.equals(file.bytes);
      expect([outline(answer), status >= 400 || isCoded || isPlain]).toEqual([outline(answer), true]);
    }
    expect(await lingering(door, [file])).toEqual([]);
  });

  it("an error for ranges and HEAD as well, and nothing wrong after", async () => {
    const file = await newFile(BIG_BYTES);
    breakBodies(gitlab, BODY_FAULTS["half of it, cut, with its length"] ?? (() => undefined));
    const range = { range: `bytes=${BIG_BYTES - 50}-` };
    const part = await get(GITLAB_WEB, file, { headers: range });
    expect(part.status >= 400 || !part.whole).toBe(true);
    const head = await get(GITLAB_WEB, file, { method: "HEAD" });
    expect([head.status, head.headers["content-length"]]).toEqual([200, String(BIG_BYTES)]);
    expect(await lingering(GITLAB_WEB, [file])).toEqual([]);
  });

  it("one broken answer is made up for, or told, but never joined with another version", async () => {
    const file = await newFile(BIG_BYTES);
    const other = randomBytes(BIG_BYTES);
    let reads = 0;
    breakBodies(gitlab, (response, { status, headers, body }) => {
      reads += 1;
      response.writeHead(status, { ...headers, etag: reads === 1 ? headers["etag"] : '"another"' });
      if (reads === 1) response.write(half(body), () => response.socket?.destroy());
      else response.end(other);
    });
    const answer = await get(GITLAB_WEB, file);
    expect([outline(answer), isExactOrBroken(answer, file.bytes)]).toEqual([outline(answer), true]);
    expect(await lingering(GITLAB_WEB, [file])).toEqual([]);
  });

  it.each([
    { what: "another ETag", change: { etag: '"another"' }, cut: 0 },
    { what: "another size", change: {}, cut: 1000 },
  ])("$what than the first, once the stored blocks are gone", async ({ change, cut }) => {
    const file = await newFile(BIG_BYTES);
    await scene.harness.world({ cache: "failing" });
    expect((await get(GITLAB_WEB, file)).body.equals(file.bytes)).toBe(true);
    breakBodies(gitlab, (response, { status, headers, body }) => {
      const other = randomBytes(body.length - cut);
      response.writeHead(status, { ...headers, ...change, "content-length": other.length }).end(other);
    });
    const answer = await get(GITLAB_WEB, file);
    expect([outline(answer), isExactOrBroken(answer, file.bytes)]).toEqual([outline(answer), true]);
    await scene.harness.world({ cache: "ok" });
    gitlab.intercept = undefined;
    await get(GITLAB_WEB, file); // what was believed of the file is dropped
    expect(await lingering(GITLAB_WEB, [file])).toEqual([]);
  });

  it.each([
    { what: "begins later than asked", from: 1, size: 0, status: 206 },
    { what: "is of another size", from: 0, size: 100, status: 206 },
    { what: "is the whole of it", from: -1, size: 0, status: 200 },
    { what: "is refused", from: 0, size: 0, status: 416 },
  ])("a part that $what: gitea web", async ({ from, size, status }) => {
    const file = await newFile(BIG_BYTES);
    const gitea = scene.forge("gitea");
    expect((await get(GITEA_WEB, file)).body.equals(file.bytes)).toBe(true);
    await scene.settle();
    // The blocks are lost, and what the file is remains known.
    await scene.harness.world({ cache: "failing" });
    breakBodies(gitea, (response, { headers }, request) => {
      const asked = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
      const start = from === -1 ? 0 : asked + from;
      const total = BIG_BYTES + size;
      const body = Buffer.concat([file.bytes, Buffer.alloc(size)]).subarray(start);
      const kept = without(headers, "content-range");
      const range = status === 206 ? { "content-range": `bytes ${start}-${total - 1}/${total}` } : {};
      response.writeHead(status, { ...kept, ...range, "content-length": body.length }).end(body);
    });
    const first = 2 * BLOCK_BYTES + 5;
    const part = await get(GITEA_WEB, file, { headers: { range: `bytes=${first}-` } });
    const isRight = part.status === 206 && part.whole && part.body.equals(file.bytes.subarray(first));
    const isBroken = part.status === 0 || part.status >= 400 || !part.whole;
    expect([outline(part), isRight || isBroken]).toEqual([outline(part), true]);
    await scene.harness.world({ cache: "ok" });
    gitea.intercept = undefined;
    await get(GITEA_WEB, file);
    expect(await lingering(GITEA_WEB, [file])).toEqual([]);
  });

  it("a refusal ends the grant, and says what the origin said", async () => {
    const [warm, cold] = await Promise.all([newFile(SMALL_BYTES), newFile(SMALL_BYTES)]);
    expect((await get(GITLAB_WEB, warm)).status).toBe(200);
    breakBodies(gitlab, (response) => {
      response
        .writeHead(302, { location: `${gitlab.url}/users/sign_in`, "set-cookie": "_gitlab_session=x" })
        .end();
    });
    for (const file of [cold, warm]) {
      const { status, headers } = await get(GITLAB_WEB, file);
      expect([status, headers["location"], headers["set-cookie"]]).toEqual([
        302,
        "/users/sign_in",
        undefined,
      ]);
    }
    expect(await lingering(GITLAB_WEB, [warm])).toEqual([]);
  });

  it("429 is said to the client and holds the scope", async () => {
    const [warm, cold] = await Promise.all([newFile(SMALL_BYTES), newFile(SMALL_BYTES)]);
    expect((await get(GITLAB_WEB, warm)).status).toBe(200);
    const reads = breakBodies(gitlab, (response) => {
      response.writeHead(429, { "retry-after": "5", "content-type": "text/plain" }).end("Too many\n");
    });
    for (let again = 0; again < 3; again++) {
      const { status, headers } = await get(GITLAB_WEB, cold);
      expect(status).toBe(429);
      expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    }
    expect(reads()).toBe(1);
    expect((await get(GITLAB_WEB, warm)).body.equals(warm.bytes)).toBe(true);
    expect(await lingering(GITLAB_WEB, [cold])).toEqual([]);
  });

  it.each(DOORS)("the commit that was asked for, though the branch has moved on: $name", async (door) => {
    const file = await newFile(BIG_BYTES);
    const forge = scene.forge(door.forge);
    forge.intercept = (request, response) => {
      if (!isBodyRead(request)) return false;
      forge.intercept = undefined;
      void (async () => {
        await gitlab.commit(SECRET.gitlab, file.ref, { [file.name]: "moved on" });
        const answer = await ask(forge.url + request.url, {
          headers: request.headers as Record<string, string>,
        });
        const { connection: _connection, "keep-alive": _keepAlive, ...headers } = answer.headers;
        response.writeHead(answer.status, headers).end(answer.body);
      })();
      return true;
    };
    const answer = await get(door, file);
    expect([outline(answer), answer.body.equals(file.bytes)]).toEqual([outline(answer), true]);
    await scene.advance(60_000);
    expect((await get(door, file)).body.toString()).toBe("moved on");
  });
});

describe("a question that brings", () => {
  const cases = [GITLAB_WEB, GITLAB_API].flatMap((door) =>
    Object.entries(QUESTION_FAULTS).map(([fault, breakIt]) => ({ door, name: door.name, fault, breakIt })),
  );

  it.each(cases)("$fault opens nothing: $name", async ({ door, breakIt }) => {
    const file = await newFile(SMALL_BYTES);
    expect((await get(door, file)).status).toBe(200);
    await scene.advance(30_000);
    scene.forge(door.forge).intercept = (_request, response) => {
      breakIt(response);
      return true;
    };
    const answers = await Promise.all([1, 2, 3].map(async () => await get(door, file)));
    for (const answer of answers) {
      expect(answer.body.includes(file.bytes.subarray(0, 50))).toBe(false);
      expect([200, 206, 304]).not.toContain(
        answer.body.length === 0 || answer.body.includes("Welcome") ? 0 : answer.status,
      );
    }
    expect(await lingering(door, [file])).toEqual([]);
  });

  it("an error does not spoil what is stored: the next question is answered", async () => {
    const file = await newFile(SMALL_BYTES);
    expect((await get(GITLAB_WEB, file)).status).toBe(200);
    await scene.settle();
    gitlab.intercept = (_request, response) => {
      response.writeHead(503).end();
      return true;
    };
    await scene.advance(26_000);
    expect((await get(GITLAB_WEB, file)).body.equals(file.bytes)).toBe(true); // renewing fails behind this
    await scene.settle();
    expect((await get(GITLAB_WEB, file)).body.equals(file.bytes)).toBe(true);
    gitlab.intercept = undefined;
    await get(GITLAB_WEB, file);
    await scene.settle();
    await scene.advance(10_000);
    expect((await get(GITLAB_WEB, file)).caches["grant"]).toContain("; hit");
  });
});

describe("an origin that is gone", () => {
  it("is told as 502, and nothing is served past the grant", async () => {
    const harness = await startHarness({ bigFileBytes: 1024, vars: VARS });
    try {
      const url = `${harness.gitlab}/demo/nested/secret/-/raw/main/config/private.txt`;
      const { headers } = { headers: CREDENTIALS.gitlab };
      expect((await ask(url, { headers })).status).toBe(200);
      await harness.demo.gitlab.close();
      expect((await ask(url, { headers })).status).toBe(200);
      await harness.world({ clockOffsetMs: 29_000 });
      expect((await ask(url, { headers })).status).toBe(200);
      await harness.world({ clockOffsetMs: 30_000 });
      const closed = await Promise.all(Array.from({ length: 5 }, async () => await ask(url, { headers })));
      for (const { status, body } of closed) {
        expect(status).toBe(502);
        expect(body.toString()).not.toContain("TOP-SECRET");
        expect(body.toString()).not.toContain(harness.demo.gitlab.url);
      }
    } finally {
      await harness.close();
    }
  });
});

describe("many who wait for one body", () => {
  const hello: Door = { ...GITLAB_WEB, path: ({ ref, name }) => `/demo/hello/-/raw/${ref}/${name}` };

  /** The huge file, at a commit of its own, so that nothing of it is known. */
  async function hugeFile(length = HUGE_BYTES): Promise<NewFile> {
    const ref = scene.name("huge");
    const bytes = randomBytes(length);
    const name = `${scene.name("file")}.bin`;
    await gitlab.commit("demo/hello", ref, { [name]: bytes });
    return { ref, name, bytes };
  }

  it("ten get all of it though the first of them leaves in the middle", async () => {
    const file = await hugeFile();
    const leaving = new AbortController();
    let followers: Promise<Answer[]> | undefined;
    const started = new Promise<void>((resolve) => {
      void get(hello, file, {
        signal: leaving.signal,
        onPiece: async (bytes) => {
          if (bytes < 2 * BLOCK_BYTES || followers !== undefined) return;
          followers = Promise.all(Array.from({ length: 10 }, async () => await get(hello, file)));
          resolve();
          await sleep(20);
          leaving.abort();
        },
      });
    });
    await started;
    for (const answer of (await followers) ?? []) {
      expect([outline(answer), answer.body.equals(file.bytes)]).toEqual([outline(answer), true]);
    }
    expect(gitlab.counts()["web:raw"]).toBeLessThanOrEqual(2);
    await scene.settle();
    await scene.harness.newIsolate();
    expect((await get(hello, file)).body.equals(file.bytes)).toBe(true);
    expect(gitlab.counts()["web:raw"]).toBeLessThanOrEqual(2);
  });

  it.each(["ok", "read-only"] as const)(
    "one who stands still holds up nobody, the Cache API being %s",
    async (cache) => {
      const file = await hugeFile(2 * HUGE_BYTES);
      await scene.harness.world({ cache });
      let goOn = () => {};
      const slow = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const still = get(hello, file, {
        onPiece: async (bytes) => (bytes > BLOCK_BYTES ? await slow : undefined),
      });
      await sleep(50);
      const started = Date.now();
      const others = Promise.all(Array.from({ length: 4 }, async () => await get(hello, file)));
      await Promise.race([others, sleep(12_000)]);
      const tookMs = Date.now() - started;
      goOn();
      expect(tookMs).toBeLessThan(12_000);
      for (const answer of [...(await others), await still]) {
        expect([outline(answer), answer.body.equals(file.bytes)]).toEqual([outline(answer), true]);
      }
    },
  );

  it("a client that leaves leaves no half of it behind", async () => {
    const file = await newFile(BIG_BYTES);
    breakBodies(gitlab, (response, { status, headers, body }) => {
      response.writeHead(status, headers);
      response.write(half(body));
      setTimeout(() => response.end(body.subarray(half(body).length)), 300);
    });
    const leaving = new AbortController();
    const left = get(GITLAB_WEB, file, { signal: leaving.signal, onPiece: () => leaving.abort() });
    expect((await left).whole).toBe(false);
    const after = await get(GITLAB_WEB, file);
    expect([outline(after), after.body.equals(file.bytes)]).toEqual([outline(after), true]);
    await sleep(400);
    expect(await lingering(GITLAB_WEB, [file])).toEqual([]);
  });

  it("none hangs where the one who asks gets an error", async () => {
    const file = await newFile(BIG_BYTES);
    breakBodies(gitlab, (response) => void setTimeout(() => response.socket?.destroy(), 50));
    const answers = await Promise.all(Array.from({ length: 10 }, async () => await get(GITLAB_WEB, file)));
    for (const answer of answers)
      expect([outline(answer), answer.status >= 500]).toEqual([outline(answer), true]);
    expect(await lingering(GITLAB_WEB, [file])).toEqual([]);
  });

  it("one after another is not served what cannot be stored: none waits for another's", async () => {
    const file = await newFile(SMALL_BYTES);
    breakBodies(gitlab, (response, { body, headers }) => {
      const zipped = gzipSync(body);
      const coded = { ...headers, "content-encoding": "gzip", "content-length": zipped.length };
      setTimeout(() => response.writeHead(200, coded).end(zipped), 100);
    });
    const started = Date.now();
    const answers = await Promise.all(Array.from({ length: 8 }, async () => await get(GITLAB_WEB, file)));
    expect(Date.now() - started).toBeLessThan(1500);
    for (const { status } of answers) expect(status).toBe(200);
  });

  it("a HEAD of a cold file stores no empty body", async () => {
    const file = await newFile(BIG_BYTES);
    for (const door of DOORS) {
      const head = await get(door, file, { method: "HEAD" });
      expect([head.status, head.headers["content-length"], head.body.length]).toEqual([
        200,
        String(BIG_BYTES),
        0,
      ]);
      expect((await get(door, file)).body.equals(file.bytes)).toBe(true);
    }
  });

  it("different parts of a cold file are read of the origin once", async () => {
    const file = await newFile(BIG_BYTES);
    const ranges = [
      [0, 10],
      [BLOCK_BYTES - 5, BLOCK_BYTES + 5],
      [BIG_BYTES - 10, BIG_BYTES],
      [3 * BLOCK_BYTES, 5 * BLOCK_BYTES],
    ] as const;
    const parts = await Promise.all(
      ranges.map(async ([start, end]) => ({
        part: await get(GITLAB_WEB, file, { headers: { range: `bytes=${start}-${end - 1}` } }),
        start,
        end,
      })),
    );
    for (const { part, start, end } of parts) {
      expect([part.status, part.body.equals(file.bytes.subarray(start, end))]).toEqual([206, true]);
      expect(part.headers["content-range"]).toBe(`bytes ${start}-${end - 1}/${BIG_BYTES}`);
    }
    expect(gitlab.counts()["web:raw"]).toBe(1);
  });
});
