import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { objectPath, type Answer, type Asking } from "./s3-client.ts";
import { KEYS, MODES, PRIVATE, PUBLIC, startS3Scene, type S3Scene } from "./s3-scene.ts";

const { reader, other } = KEYS;

let scene: S3Scene;
beforeAll(async () => {
  scene = await startS3Scene();
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.close());

/** An error document as S3 writes it, and as its clients read it. */
function expectXmlError(
  { status, headers, body, code }: Answer,
  wanted: readonly [status: number, code: string],
): void {
  expect([status, code]).toEqual(wanted);
  expect(headers["content-type"]).toMatch(/^application\/xml/);
  const text = body.toString();
  expect(text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\s*<Error>/);
  expect(text).toMatch(/<Message>[^<]+<\/Message>/);
  expect(text).toMatch(/<RequestId>[^<]+<\/RequestId>/);
  expect(headers["x-amz-request-id"]).toBeTruthy();
}

const MINUTE_MS = 60_000;
type Case = {
  readonly name: string;
  readonly asking: Partial<Asking>;
  readonly wanted: readonly [number, string];
  readonly key?: string;
};
const CASES: readonly Case[] = [
  { name: "no signature", asking: {}, wanted: [403, "AccessDenied"] },
  { name: "a key that may not", asking: { as: other }, wanted: [403, "AccessDenied"] },
  { name: "no such key", asking: { as: reader }, key: "not there", wanted: [404, "NoSuchKey"] },
  {
    name: "a range beyond the end",
    asking: { as: reader, headers: { range: "bytes=999-" } },
    wanted: [416, "InvalidRange"],
  },
  {
    name: "another ETag",
    asking: { as: reader, headers: { "if-match": '"no"' } },
    wanted: [412, "PreconditionFailed"],
  },
  {
    name: "changed since",
    asking: { as: reader, headers: { "if-unmodified-since": "Tue, 01 Jan 2019 00:00:00 GMT" } },
    wanted: [412, "PreconditionFailed"],
  },
  {
    name: "a wrong secret",
    asking: { as: { ...reader, secret: "no" } },
    wanted: [403, "SignatureDoesNotMatch"],
  },
  {
    name: "a wrong secret, presigned",
    asking: { as: { ...reader, secret: "no" }, by: "query" },
    wanted: [403, "SignatureDoesNotMatch"],
  },
  {
    name: "an unknown key",
    asking: { as: { id: "NOBODY", secret: "no" } },
    wanted: [403, "InvalidAccessKeyId"],
  },
  {
    name: "a clock that is late",
    asking: { as: reader, skewMs: -20 * MINUTE_MS },
    wanted: [403, "RequestTimeTooSkewed"],
  },
  {
    name: "a clock that is early",
    asking: { as: reader, skewMs: 20 * MINUTE_MS },
    wanted: [403, "RequestTimeTooSkewed"],
  },
  {
    name: "expired",
    asking: { as: reader, by: "query", skewMs: -2 * MINUTE_MS },
    wanted: [403, "AccessDenied"],
  },
  {
    name: "another region",
    asking: { as: reader, region: "eu-west-1" },
    wanted: [400, "AuthorizationHeaderMalformed"],
  },
  {
    name: "another service",
    asking: { as: reader, service: "ec2" },
    wanted: [400, "AuthorizationHeaderMalformed"],
  },
  {
    name: "another region, presigned",
    asking: { as: reader, by: "query", region: "eu-west-1" },
    wanted: [400, "AuthorizationQueryParametersError"],
  },
  {
    name: "longer than a week",
    asking: { as: reader, by: "query", expiresS: 700_000 },
    wanted: [400, "AuthorizationQueryParametersError"],
  },
  {
    name: "overrides by nobody",
    asking: { query: "response-content-type=a%2Fb" },
    wanted: [400, "InvalidRequest"],
  },
];
const ERRORS = MODES.flatMap((mode) => CASES.map((each) => ({ mode, each, what: each.name })));

describe("an error is S3's own, in XML, and HEAD has only its status", () => {
  it.each(ERRORS)("auth $mode: $what", async ({ mode, each: { asking, wanted, key } }) => {
    // An override by nobody is refused whoever may read
    const bucket = asking.query === undefined ? PRIVATE : PUBLIC;
    const file = scene.object("an object", { bucket });
    const path = key === undefined ? file.path : objectPath(PRIVATE, key);
    for (const state of ["cold", "cached"]) {
      if (state === "cached") await scene.ask(mode, { path: file.path, as: reader });
      const unsigned = ["range", "if-match", "if-unmodified-since"];
      expectXmlError(await scene.ask(mode, { path, unsigned, ...asking }), wanted);
      const head = await scene.ask(mode, { path, unsigned, ...asking, method: "HEAD" });
      expect([head.status, head.body.length, head.headers.etag]).toEqual([wanted[0], 0, undefined]);
    }
  });

  it.each(["edge"] as const)("auth %s: a store that cannot be reached", async (mode) => {
    const { path } = scene.object("an object");
    scene.store.intercept = (request) => {
      request.socket.destroy();
      return true;
    };
    const answer = await scene.ask(mode, { path, as: reader });
    expectXmlError(answer, [502, "ServiceUnavailable"]);
    expect(answer.headers.etag).toBeUndefined();
  });
});

describe.each(MODES)("auth %s: conditions", (mode) => {
  it("are S3's: with and without quotes, lists, dates, and in their order", async () => {
    const modified = "Wed, 01 Jul 2026 00:00:00 GMT";
    const { path, etag } = scene.object("an object", { headers: { "Last-Modified": modified } });
    const bare = etag.slice(1, -1);
    const [before, after] = ["Tue, 30 Jun 2026 23:59:59 GMT", "Wed, 01 Jul 2026 00:00:01 GMT"];
    const rows: readonly (readonly [Record<string, string>, number])[] = [
      [{ "if-none-match": etag }, 304],
      [{ "if-none-match": bare }, 304],
      [{ "if-none-match": `"x", ${etag}` }, 304],
      [{ "if-none-match": `W/${etag}` }, 304],
      [{ "if-none-match": "*" }, 304],
      [{ "if-none-match": '"x"' }, 200],
      [{ "if-none-match": "x" }, 200],
      [{ "if-match": etag }, 200],
      [{ "if-match": bare }, 200],
      [{ "if-match": "*" }, 200],
      [{ "if-match": "x" }, 412],
      [{ "if-modified-since": modified }, 304],
      [{ "if-modified-since": after }, 304],
      [{ "if-modified-since": before }, 200],
      [{ "if-modified-since": "yesterday" }, 200],
      [{ "if-unmodified-since": modified }, 200],
      [{ "if-unmodified-since": before }, 412],
      [{ "if-match": etag, "if-unmodified-since": before }, 200],
      [{ "if-none-match": etag, "if-modified-since": before }, 304],
      [{ "if-none-match": '"x"', "if-modified-since": after }, 200],
      [{ "if-match": etag, "if-none-match": etag }, 304],
      [{ "if-match": "x", "if-none-match": etag }, 412],
      [{ "if-none-match": etag, range: "bytes=0-1" }, 304],
      [{ "if-match": "x", range: "bytes=999-" }, 412],
      [{ "if-match": etag, range: "bytes=999-" }, 416],
      [{ "if-range": etag, range: "bytes=0-1" }, 206],
      [{ "if-range": '"x"', range: "bytes=0-1" }, 200],
      [{ "if-range": modified, range: "bytes=0-1" }, 206],
      [{ "if-range": before, range: "bytes=0-1" }, 200],
      [{ "if-range": '"x"', range: "bytes=999-" }, 200],
    ];
    for (const state of ["cold", "cached"]) {
      for (const [headers, wanted] of rows) {
        for (const method of ["GET", "HEAD"]) {
          if (state === "cold") await scene.newIsolate();
          const unsigned = Object.keys(headers);
          const answer = await scene.ask(mode, { path, method, as: reader, headers, unsigned });
          expect([state, method, headers, answer.status]).toEqual([state, method, headers, wanted]);
          if (wanted === 304) {
            expect([answer.body.length, answer.headers.etag, answer.headers["content-type"]]).toEqual([
              0,
              etag,
              undefined,
            ]);
            expect(answer.headers["last-modified"]).toBe(modified);
          }
          if (method === "HEAD") expect(answer.body.length).toBe(0);
        }
      }
    }
  });

  it("take a date for the object that has it only once its second is long over", async () => {
    const modified = new Date(scene.now()).toUTCString();
    const key = scene.name("twice-in-a-second");
    const put = (text: string) => scene.object(text, { key, headers: { "Last-Modified": modified } });
    const { path } = put("the first");
    const resume = async (method = "GET") => {
      const headers = { range: "bytes=4-", "if-range": modified };
      const unsigned = Object.keys(headers);
      const { status, body } = await scene.ask(mode, { path, method, as: reader, headers, unsigned });
      return [status, body.toString()];
    };
    expect((await scene.ask(mode, { path, as: reader })).headers["last-modified"]).toBe(modified);
    put("the second");
    await scene.newIsolate();
    await scene.advance(31_000);
    for (const _ of ["cold", "cached"]) expect(await resume()).toEqual([200, "the second"]);
    expect(await resume("HEAD")).toEqual([200, ""]);
    await scene.advance(31_000);
    for (const _ of ["asked anew", "cached"]) expect(await resume()).toEqual([206, "second"]);
    expect(await resume("HEAD")).toEqual([206, ""]);
  });

  it("may be signed along", async () => {
    const { path, etag } = scene.object("an object");
    for (const [headers, wanted] of [
      [{ "if-none-match": etag }, 304],
      [{ range: "bytes=0-1" }, 206],
      [{ "if-match": '"x"' }, 412],
      [{ range: "bytes=999-" }, 416],
    ] as const) {
      for (const by of ["header", "query"] as const) {
        const asking = { path, as: reader, by, headers, ...(by === "query" && { unsigned: [] }) };
        expect((await scene.ask(mode, asking)).status).toBe(wanted);
        expect((await scene.ask(mode, asking)).status).toBe(wanted);
        // And the whole may not be had with it
        const stripped = await scene.ask(mode, {
          ...asking,
          change: ({
            headers: { range: _range, "if-match": _match, "if-none-match": _none, ...kept },
            ...sent
          }) => ({ ...sent, headers: kept }),
        });
        expect(stripped.status).toBe(403);
      }
    }
  });
});
