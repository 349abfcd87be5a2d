import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildAll, CONTENTS, NAMES, VARS } from "./artifact-contents.ts";
import { text, startArtifactScene, type ArtifactScene, type Built } from "./artifact-scene.ts";
import type { Answer } from "./scene.ts";

let scene: ArtifactScene;
let built: Built;
beforeAll(async () => {
  scene = await startArtifactScene({ vars: VARS });
  built = buildAll(scene);
  await scene.fresh();
});
afterAll(async () => await scene.harness.close());

/** Something that can be asked for in every way, and what its bytes are. */
type Form = {
  readonly what: string;
  readonly path: () => string;
  readonly headers: Readonly<Record<string, string>>;
};

const GZIP = { "accept-encoding": "gzip" };
const IDENTITY = { "accept-encoding": "identity" };

const FORMS: readonly Form[] = [
  ...NAMES.flatMap((name) => [
    { what: `${name}, plain`, path: () => built.web.entry(`dir/${name}`), headers: IDENTITY },
    { what: `${name}, gzip taken`, path: () => built.web.entry(`dir/${name}`), headers: GZIP },
  ]),
  { what: "tar of all", path: () => built.web.made("tar"), headers: {} },
  { what: "zip of a directory", path: () => built.web.made("zip", "dir"), headers: {} },
  { what: "tar of a file", path: () => built.api.made("tar", "dir/deflated-large.txt"), headers: {} },
  { what: "page", path: () => built.web.list("dir/"), headers: {} },
  { what: "tree", path: () => built.api.list("dir", "recursive=true"), headers: {} },
  { what: "archive", path: () => built.api.archive, headers: {} },
];

const ask = async (form: Form, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> =>
  await scene.get(form.path(), { method, headers: { ...form.headers, ...headers } });

describe("an entry", () => {
  it.each(NAMES)("%s is what was packed, whoever takes gzip or not", async (name) => {
    const { content, ...packing } = CONTENTS[name] as { content: Buffer; method?: number };
    for (const door of [built.web, built.api]) {
      const path = door.entry(`dir/${name}`);
      const plain = await scene.get(path, { headers: IDENTITY });
      expect([plain.status, plain.whole, plain.headers["content-encoding"]]).toEqual([200, true, undefined]);
      expect(plain.body.equals(content)).toBe(true);
      const coded = await scene.get(path, { headers: GZIP });
      const isCoded = packing.method === 8;
      expect([coded.status, coded.headers["content-encoding"]]).toEqual([200, isCoded ? "gzip" : undefined]);
      expect((isCoded ? gunzipSync(coded.body) : coded.body).equals(content)).toBe(true);
      for (const { headers, body } of [plain, coded]) {
        expect(headers["content-length"]).toBe(String(body.length));
        expect(headers["vary"]).toMatch(/accept-encoding/i);
        expect(headers["x-content-type-options"]).toBe("nosniff");
        expect(headers["content-security-policy"]).toMatch(/^sandbox/);
      }
      expect(plain.headers.etag).toMatch(/^"[^"]+"$/);
      expect(plain.headers.etag === coded.headers.etag).toBe(!isCoded);
    }
  });

  it.each([
    0, 1, 16_384, 40_000, 65_535, 65_536, 65_537, 100_000, 131_072, 200_000, 262_145, 400_000, 524_288,
    524_289,
  ])("of %i bytes is unpacked, alone and in a tar", async (size) => {
    const content = text(size);
    const { web } = scene.build([8, 93].map((method) => ({ name: `${method}.txt`, content, method })));
    for (const name of ["8.txt", "93.txt"]) {
      const { status, body } = await scene.get(web.entry(name), { headers: IDENTITY });
      expect([name, status, body.equals(content)]).toEqual([name, 200, true]);
    }
    const tar = await scene.get(web.made("tar"));
    expect([tar.whole, tar.body.subarray(512, 512 + size).equals(content)]).toEqual([true, true]);
  });

  it.each([
    ["gzip", true],
    ["gzip, deflate, br", true],
    ["br;q=1, GZIP;q=0.5", true],
    ["*", true],
    ["gzip;q=0", false],
    ["*;q=0", false],
    ["identity", false],
    ["gzip;q=0, *", false],
    ["br", false],
    ["", false],
  ])("is sent as gzip to one who takes %o: %s", async (accepted, isCoded) => {
    const path = built.web.entry("dir/deflated-small.txt");
    const { headers } = await scene.get(path, { headers: { "accept-encoding": accepted } });
    expect(headers["content-encoding"]).toBe(isCoded ? "gzip" : undefined);
  });
});

/** Half-open ranges that come back, or that all or none does. */
type Expected = "whole" | "unsatisfiable" | readonly (readonly [start: number, end: number])[];
const RANGES: readonly (readonly [header: string, (size: number) => Expected])[] = [
  ["bytes=0-0", () => [[0, 1]]],
  ["bytes=3-9", () => [[3, 10]]],
  ["bytes=-7", (size) => [[size - 7, size]]],
  ["bytes={half}-", (size) => [[half(size), size]]],
  ["bytes={half}-{half}", (size) => [[half(size), half(size) + 1]]],
  ["bytes=0-99999999999", (size) => [[0, size]]],
  [
    "bytes=1-2,{half}-{half},-2",
    (size) => [
      [1, 3],
      [half(size), half(size) + 1],
      [size - 2, size],
    ],
  ],
  [
    "bytes=-2,1-2",
    (size) => [
      [size - 2, size],
      [1, 3],
    ],
  ],
  ["bytes={size}-", () => "unsatisfiable"],
  ["bytes=-0", () => "unsatisfiable"],
  ["bytes=9-3", () => "whole"],
  ["lines=1-2", () => "whole"],
];
const half = (size: number) => Math.floor(size / 2);
const write = (header: string, size: number) =>
  header.replaceAll("{half}", String(half(size))).replaceAll("{size}", String(size));

const WITH_BYTES = FORMS.filter(
  ({ what }) => !what.startsWith("stored-empty") && what !== "deflated-empty, plain",
);

describe.each(WITH_BYTES)("$what", (form) => {
  let whole: Answer;
  beforeAll(async () => {
    whole = await ask(form);
  });

  it("is sent with its length", () => {
    const { status, headers, body } = whole;
    expect([status, whole.whole]).toEqual([200, true]);
    expect(headers["content-length"]).toBe(String(body.length));
    expect(headers["accept-ranges"]).toBe("bytes");
  });

  it("gives the ranges that are asked for", async () => {
    const { body, headers } = whole;
    const faults: string[] = [];
    for (const [header, expected] of RANGES) {
      const answer = await ask(form, { range: write(header, body.length) });
      const fault = wrongRange(answer, { body, expected: expected(body.length) });
      if (fault !== undefined) faults.push(`${header}: ${fault}`);
      else if (answer.status === 206 && answer.headers.etag !== headers.etag)
        faults.push(`${header}: another ETag`);
    }
    expect(faults).toEqual([]);
  });

  it("answers HEAD and conditions as GET, without a body", async () => {
    const { etag = "", "last-modified": modified = "", ...headers } = whole.headers;
    const head = await ask(form, {}, "HEAD");
    for (const name of ["content-type", "content-length", "content-encoding", "vary"])
      expect([name, head.headers[name]]).toEqual([name, headers[name]]);
    expect([head.status, head.headers.etag, head.body.length]).toEqual([200, etag, 0]);
    const rows: readonly (readonly [Record<string, string>, number])[] = [
      [{ "if-none-match": etag }, 304],
      [{ "if-none-match": `W/${etag}, "another"` }, 304],
      [{ "if-none-match": "*" }, 304],
      [{ "if-none-match": '"another"' }, 200],
      [{ "if-match": etag }, 200],
      [{ "if-match": '"another"' }, 412],
      [{ "if-match": `W/${etag}` }, 412],
      [{ range: "bytes=0-0", "if-range": etag }, 206],
      [{ range: "bytes=0-0", "if-range": '"another"' }, 200],
      [{ range: "bytes=0-0", "if-none-match": etag }, 304],
      ...(modified === "" ? [] : ([[{ "if-modified-since": modified }, 304]] as const)),
    ];
    const statuses = await Promise.all(
      rows.map(async ([conditions]) => (await ask(form, conditions)).status),
    );
    expect(statuses.map((status, index) => [rows[index]?.[0], status])).toEqual(rows);
  });

  it("is the same for a new isolate, and in parts put together", async () => {
    await scene.settle();
    await scene.harness.newIsolate();
    const size = whole.body.length;
    const third = Math.ceil(size / 3);
    const parts: Buffer[] = [];
    for (let start = 0; start < size; start += third) {
      const answer = await ask(form, {
        range: `bytes=${start}-${start + third - 1}`,
        "if-range": whole.headers.etag ?? "",
      });
      expect([answer.status, answer.headers.etag]).toEqual([206, whole.headers.etag]);
      parts.push(answer.body);
    }
    expect(Buffer.concat(parts).equals(whole.body)).toBe(true);
  });
});

function wrongRange(
  answer: Answer,
  { body, expected }: { body: Buffer; expected: Expected },
): string | undefined {
  const { status, headers, body: got, whole } = answer;
  const size = body.length;
  if (expected === "unsatisfiable")
    return status === 416 && headers["content-range"] === `bytes */${size}`
      ? undefined
      : `not 416 but ${status}`;
  if (!whole || headers["content-length"] !== String(got.length)) return `${status} with ${got.length} bytes`;
  if (expected === "whole") return status === 200 && got.equals(body) ? undefined : `not 200 but ${status}`;
  const [only = [0, 0], second] = expected;
  if (status !== 206) return `not 206 but ${status}`;
  if (second !== undefined) return wrongParts(answer, body, expected);
  const isRange = headers["content-range"] === `bytes ${only[0]}-${only[1] - 1}/${size}`;
  return isRange && got.equals(body.subarray(...only))
    ? undefined
    : `${headers["content-range"]}, ${got.length} bytes`;
}

function wrongParts(
  { headers, body: got }: Answer,
  body: Buffer,
  expected: readonly (readonly [number, number])[],
) {
  const [, boundary = "?"] =
    /^multipart\/byteranges; boundary=(\S+)$/.exec(headers["content-type"] ?? "") ?? [];
  const parts = got.toString("latin1").split(`--${boundary}`).slice(1, -1);
  const read = parts.map((part) => {
    const [head = "", ...data] = part.split("\r\n\r\n");
    const [, start, last] = /content-range: bytes (\d+)-(\d+)\//i.exec(head) ?? [];
    return `${start}-${last} ${data.join("\r\n\r\n").slice(0, -2)}`;
  });
  const wanted = expected.map(
    ([start, end]) => `${start}-${end - 1} ${body.subarray(start, end).toString("latin1")}`,
  );
  return JSON.stringify(read) === JSON.stringify(wanted)
    ? undefined
    : `parts ${JSON.stringify(read).slice(0, 200)}`;
}

describe("an empty entry", () => {
  it.each(["stored-empty", "deflated-empty"])("%s has no range", async (name) => {
    const path = built.web.entry(`dir/${name}`);
    const none = await scene.get(path, { headers: { ...IDENTITY, range: "bytes=0-" } });
    expect([none.status, none.headers["content-range"]]).toEqual([416, "bytes */0"]);
    const all = await scene.get(path, { headers: IDENTITY });
    expect([all.status, all.body.length, all.headers["content-length"]]).toEqual([200, 0, "0"]);
  });
});
