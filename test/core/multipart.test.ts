import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MultipartPlan, planMultipart } from "../../src/core/multipart.ts";
import type { ByteRange } from "../../src/core/range.ts";

const BOUNDARY = "3d6b6a416f9b5";

/** One character a byte, so that offsets in the text are offsets in the body. */
function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

function render({ segments }: MultipartPlan, representation: string): string {
  return segments
    .map((one) =>
      one.kind === "text" ? latin1(one.bytes) : representation.slice(one.range.start, one.range.end),
    )
    .join("");
}

type Part = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** Reads a body by RFC 2046 §5.1.1 alone: delimiters are CRLF, two dashes and the boundary. */
function parse(contentType: string, body: string): Part[] {
  const boundary = /^multipart\/byteranges; boundary=([^"; ]+)$/.exec(contentType)?.[1];
  const pieces = `\r\n${body}`.split(`\r\n--${boundary}`);
  expect(pieces[0]).toBe("");
  expect(pieces.at(-1)).toBe("--\r\n");
  return pieces.slice(1, -1).map((piece) => {
    expect(piece.startsWith("\r\n")).toBe(true);
    const headEnd = piece.indexOf("\r\n\r\n");
    const lines = piece.slice(2, headEnd).split("\r\n");
    const headers = lines.map((line) => line.split(/: (.*)/, 2) as [string, string]);
    return { headers: Object.fromEntries(headers), body: piece.slice(headEnd + 4) };
  });
}

describe("planMultipart()", () => {
  const ranges: ByteRange[] = [
    { start: 6, end: 11 },
    { start: 0, end: 2 },
  ];

  it("planMultipart() does frame the parts as the RFCs lay them out", () => {
    const plan = planMultipart(ranges, 11, "text/plain", BOUNDARY);
    const body = [
      "--3d6b6a416f9b5",
      "Content-Type: text/plain",
      "Content-Range: bytes 6-10/11",
      "",
      "world",
      "--3d6b6a416f9b5",
      "Content-Type: text/plain",
      "Content-Range: bytes 0-1/11",
      "",
      "he",
      "--3d6b6a416f9b5--",
      "",
    ].join("\r\n");
    expect(render(plan, "hello world")).toBe(body);
    expect(plan.length).toBe(body.length);
    expect(plan.contentType).toBe("multipart/byteranges; boundary=3d6b6a416f9b5");
  });

  it("planMultipart() does leave Content-Type out of the parts when there is none", () => {
    const plan = planMultipart(ranges, 11, undefined, BOUNDARY);
    const [part] = parse(plan.contentType, render(plan, "hello world"));
    expect(part?.headers).toEqual({ "Content-Range": "bytes 6-10/11" });
  });

  it("planMultipart() does count bytes, not characters", () => {
    const plan = planMultipart(ranges, 11, 'text/plain; name="é"', BOUNDARY);
    expect(plan.length).toBe(render(plan, "hello world").length);
  });

  it("planMultipart() does count ranges too large to hold", () => {
    const size = 2 ** 50;
    const plan = planMultipart([{ start: 0, end: size }], size, undefined, BOUNDARY);
    const framing = `--${BOUNDARY}\r\nContent-Range: bytes 0-${size - 1}/${size}\r\n\r\n\r\n--${BOUNDARY}--\r\n`;
    expect(plan.length).toBe(size + framing.length);
  });

  it.each([[""], ["a".repeat(71)], ["a b"], ["a "], ["a:b"], ["a/b"], ['a"b'], ["a\r\nb"], ["a\n"], ["é"]])(
    "planMultipart() does refuse the boundary %j",
    (boundary) => {
      expect(() => planMultipart(ranges, 11, undefined, boundary)).toThrow(TypeError);
    },
  );

  it.each([["a"], ["a".repeat(70)], ["aZ09'+_.-"]])(
    "planMultipart() does accept the boundary %j",
    (boundary) => {
      const plan = planMultipart(ranges, 11, undefined, boundary);
      expect(parse(plan.contentType, render(plan, "hello world"))).toHaveLength(2);
    },
  );
});

describe("any ranges", () => {
  const size = 64;
  const range = fc
    .tuple(fc.nat({ max: size - 1 }), fc.integer({ min: 1, max: size }))
    .map(([start, length]): ByteRange => ({ start, end: Math.min(size, start + length) }));
  const given = fc.record({
    ranges: fc.array(range, { minLength: 1, maxLength: 8 }),
    partType: fc.constantFrom(undefined, "text/plain", "application/x-é"),
    boundary: fc.stringMatching(/^[0-9A-Za-z'+_.-]{8,70}$/),
    // Line ends and dashes in the bytes are what a parser could mistake for framing.
    representation: fc.string({
      unit: fc.constantFrom(..."\r\n-a\u00ff".split("")),
      minLength: size,
      maxLength: size,
    }),
  });

  it("planMultipart() does announce the length of its segments", () => {
    fc.assert(
      fc.property(given, ({ ranges, partType, boundary, representation }) => {
        const plan = planMultipart(ranges, size, partType, boundary);
        const lengths = plan.segments.map((one) =>
          one.kind === "text" ? one.bytes.byteLength : one.range.end - one.range.start,
        );
        expect(plan.length).toBe(lengths.reduce((sum, length) => sum + length, 0));
        expect(plan.length).toBe(render(plan, representation).length);
      }),
    );
  });

  it("planMultipart() does parse back to the same parts", () => {
    fc.assert(
      fc.property(given, ({ ranges, partType, boundary, representation }) => {
        fc.pre(!representation.includes(boundary));
        const plan = planMultipart(ranges, size, partType, boundary);
        const read = parse(plan.contentType, render(plan, representation));
        expect(read.map(({ body }) => body)).toEqual(
          ranges.map(({ start, end }) => representation.slice(start, end)),
        );
        expect(read.map(({ headers }) => headers["Content-Range"])).toEqual(
          ranges.map(({ start, end }) => `bytes ${start}-${end - 1}/${size}`),
        );
        expect(read.every(({ headers }) => "Content-Type" in headers === (partType !== undefined))).toBe(
          true,
        );
      }),
    );
  });
});
