import { describe, expect, it } from "vitest";
import { readStoredObject, type StoredObject } from "../../src/origin/stored-object.ts";

const LIMITS = { blockBytes: 1000, objectBytes: 100_000 };
const MODIFIED = "Sun, 06 Nov 1994 08:49:37 GMT";
const HEADERS = { etag: '"e"', "content-length": "100", "last-modified": MODIFIED };
const WEAK = { ...HEADERS, etag: 'W/"e"', date: "Sun, 06 Nov 1994 08:49:39 GMT" };
const UNCACHEABLE: StoredObject = { kind: "uncacheable" };
const SENSELESS: StoredObject = { kind: "senseless" };

type Fields = Readonly<Record<string, string | undefined>>;

function read(fields: Fields, status = 200): StoredObject {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) headers.set(name, value);
  return readStoredObject(new Response(null, { status, headers }), 7, LIMITS);
}

function identity(fields: Fields, status = 200): string {
  const object = read(fields, status);
  if (object.kind !== "object") throw new Error(`Not an object: ${object.kind}`);
  return object.entry.identity;
}

describe("a whole object", () => {
  it("readStoredObject() does read what it is", () => {
    const fields = {
      ...HEADERS,
      "content-type": "text/plain",
      "x-amz-meta-a": "1",
      "x-amz-request-id": "2",
      "set-cookie": "a=b",
      "cache-control": "max-age=60",
    };
    expect(read(fields)).toEqual({
      kind: "object",
      entry: {
        at: 7,
        identity: expect.any(String),
        size: 100,
        etag: '"e"',
        lastModified: MODIFIED,
        originEtag: '"e"',
        headers: [
          ["cache-control", "max-age=60"],
          ["content-type", "text/plain"],
          ["x-amz-meta-a", "1"],
        ],
      },
      freshS: 60,
      part: { start: 0, end: 100 },
    });
  });

  it.each<[Fields, number | undefined]>([
    [{}, undefined],
    [{ "cache-control": "max-age=30", age: "25" }, 5],
    [{ expires: "Sun, 06 Nov 1994 08:50:37 GMT", date: MODIFIED }, 60],
    [{ expires: "Sun, 06 Nov 1994 08:50:37 GMT" }, 0],
    [{ expires: "0", date: MODIFIED }, 0],
  ])("readStoredObject() does read of %j how long it may be believed", (fields, freshS) => {
    expect(read({ ...HEADERS, ...fields })).toMatchObject({ kind: "object", freshS });
  });

  it.each<[string, Fields]>([
    ["an empty one", { "content-length": "0" }],
    ["one that is as large as may be", { "content-length": "100000" }],
    ["one without a date", { "last-modified": undefined }],
    ["one that varies by something", { vary: "Origin, Accept-Encoding" }],
    ["one that is to be asked for each time", { "cache-control": "no-cache" }],
  ])("readStoredObject() does take %s", (_case, fields) => {
    expect(read({ ...HEADERS, ...fields })).toMatchObject({
      kind: "object",
      part: { start: 0, end: Number(fields["content-length"] ?? 100) },
    });
  });

  it.each<[string, Fields]>([
    ["no length", { "content-length": undefined }],
    ["a length that is none", { "content-length": "1e3" }],
    ["two lengths", { "content-length": "100, 100" }],
    ["a byte too much", { "content-length": "100001" }],
    ["no-store", { "cache-control": "no-store" }],
    ["private", { "cache-control": "private" }],
    ["anything that may make it vary", { vary: "Accept, *" }],
  ])("readStoredObject() does not cache one with %s", (_case, fields) => {
    expect(read({ ...HEADERS, ...fields })).toEqual(UNCACHEABLE);
    expect(read({ ...WEAK, ...fields })).toEqual(UNCACHEABLE);
  });
});

describe("an object without a strong tag", () => {
  it.each<[string, Fields, string | undefined]>([
    ["a weak one", {}, 'W/"e"'],
    ["none", { etag: undefined }, undefined],
    ["one without quotes", { etag: "e" }, "e"],
    ["just as much as a block holds", { "content-length": "1000" }, 'W/"e"'],
  ])("readStoredObject() does know one with %s by the rest", (_case, fields, etag) => {
    expect(read({ ...WEAK, ...fields })).toMatchObject({
      kind: "object",
      entry: { etag, originEtag: undefined, lastModified: MODIFIED },
    });
  });

  it.each<[string, Fields]>([
    ["more than a block holds", { "content-length": "1001" }],
    ["no date of modification", { "last-modified": undefined }],
    ["a date that is none", { "last-modified": "yesterday" }],
    ["no date to compare it with", { date: undefined }],
    ["a date that was a second ago", { date: "Sun, 06 Nov 1994 08:49:38 GMT" }],
    ["a date in the future", { date: "Sun, 06 Nov 1994 08:49:30 GMT" }],
  ])("readStoredObject() does not cache one with %s", (_case, fields) => {
    expect(read({ ...WEAK, ...fields })).toEqual(UNCACHEABLE);
    expect(read({ ...WEAK, ...fields, etag: undefined })).toEqual(UNCACHEABLE);
  });
});

describe("a part of an object", () => {
  it.each<[string, number, { start: number; end: number }]>([
    ["bytes 0-0/1", 1, { start: 0, end: 1 }],
    ["bytes 0-9/100", 100, { start: 0, end: 10 }],
    ["bytes 10-99/100", 100, { start: 10, end: 100 }],
  ])("readStoredObject() does read %j", (range, size, part) => {
    const fields = { ...HEADERS, "content-length": String(part.end - part.start), "content-range": range };
    expect(read(fields, 206)).toMatchObject({ kind: "object", entry: { size }, part });
    expect(identity(fields, 206)).toBe(identity({ ...HEADERS, "content-length": String(size) }));
  });

  it.each([
    [undefined],
    [""],
    ["bytes 0-9/*"],
    ["bytes */100"],
    ["bytes 9-0/100"],
    ["bytes 0-100/100"],
    ["bytes 100-100/100"],
    ["bytes 0-0/0"],
    ["bytes 0-9/100, 20-29/100"],
    ["bytes 0-9/100\t,"],
    ["0-9/100"],
    ["items 0-9/100"],
    ["bytes=0-9/100"],
    ["bytes -9/100"],
    ["bytes 0-/100"],
    ["bytes 0-9/1000000000000000"],
  ])("readStoredObject() does make no sense of %j", (range) => {
    expect(read({ ...HEADERS, "content-range": range }, 206)).toEqual(SENSELESS);
  });

  it("readStoredObject() does judge it by the size of the whole", () => {
    const small = { "content-length": "1" };
    expect(read({ ...HEADERS, ...small, "content-range": "bytes 0-0/100001" }, 206)).toEqual(UNCACHEABLE);
    expect(read({ ...WEAK, ...small, "content-range": "bytes 0-0/1001" }, 206)).toEqual(UNCACHEABLE);
    expect(read({ ...WEAK, ...small, "content-range": "bytes 0-0/1000" }, 206).kind).toBe("object");
  });

  it("readStoredObject() does pay no heed to a Content-Range of a whole answer", () => {
    expect(read({ ...HEADERS, "content-range": "bytes 0-0/7" })).toMatchObject({ entry: { size: 100 } });
  });
});

describe("the identity of an object", () => {
  it("readStoredObject() does tell objects apart by tag, size, date and version", () => {
    const OTHERS: readonly Fields[] = [
      HEADERS,
      { ...HEADERS, etag: '"f"' },
      { ...HEADERS, etag: '"e:100"' },
      { ...HEADERS, "content-length": "101" },
      { ...HEADERS, "last-modified": "Sun, 06 Nov 1994 08:49:38 GMT" },
      { ...HEADERS, "last-modified": undefined },
      { ...HEADERS, "x-amz-version-id": "1" },
      { ...HEADERS, "x-amz-version-id": "2" },
      { ...HEADERS, "last-modified": undefined, "x-amz-version-id": MODIFIED },
      WEAK,
    ];
    expect(new Set(OTHERS.map((fields) => identity(fields))).size).toBe(OTHERS.length);
  });

  it("readStoredObject() does know an object again, whatever else is said of it", () => {
    for (const more of [{ "x-amz-meta-a": "1" }, { "cache-control": "max-age=1" }, { date: MODIFIED }])
      expect(identity({ ...HEADERS, ...more })).toBe(identity(HEADERS));
    expect(identity({ ...WEAK, etag: 'W/"f"' })).toBe(identity(WEAK));
  });
});
