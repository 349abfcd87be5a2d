import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  awsChunkedReader,
  MOST_CHUNK_BYTES,
  type ChunkedFault,
  type ChunkedPart,
} from "../../src/core/aws-chunked.ts";

const SIGNATURE = "0123456789abcdef".repeat(4);
const OTHER_SIGNATURE = "f".repeat(64);
const LAST = `0;chunk-signature=${SIGNATURE}\r\n`;
const TRAILER_SIGNATURE = `x-amz-trailer-signature:${SIGNATURE}\r\n\r\n`;

/** One byte a character. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function textOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

/** The parts as text, with the data of a chunk in one, however it was cut. */
type Read = Exclude<ChunkedPart, { kind: "data" }> | { readonly kind: "data"; readonly text: string };

function readPieces(pieces: readonly Uint8Array[], hasTrailer: boolean): Read[] {
  const reader = awsChunkedReader(hasTrailer);
  const found: Read[] = [];
  for (const part of pieces.flatMap((piece) => reader.push(piece))) {
    const before = found.at(-1);
    if (part.kind !== "data") found.push(part);
    else if (before?.kind === "data") {
      found[found.length - 1] = { kind: "data", text: before.text + textOf(part.bytes) };
    } else found.push({ kind: "data", text: textOf(part.bytes) });
  }
  const fault = reader.end();
  if (fault !== undefined && found.at(-1)?.kind !== "malformed") found.push({ kind: "malformed", fault });
  return found;
}

function read(body: string, hasTrailer = false): Read[] {
  return readPieces([bytesOf(body)], hasTrailer);
}

function faultOf(body: string, hasTrailer = false): ChunkedFault | undefined {
  const last = read(body, hasTrailer).at(-1);
  return last?.kind === "malformed" ? last.fault : undefined;
}

describe("awsChunkedReader()", () => {
  it("awsChunkedReader() does read chunks as Amazon lays them out", () => {
    expect(
      read(`5;chunk-signature=${OTHER_SIGNATURE}\r\nhe\r\no\r\n0;chunk-signature=${SIGNATURE}\r\n\r\n`),
    ).toEqual([
      { kind: "chunk", size: 5, sizeText: "5", signature: OTHER_SIGNATURE },
      { kind: "data", text: "he\r\no" },
      { kind: "whole" },
      { kind: "chunk", size: 0, sizeText: "0", signature: SIGNATURE },
      { kind: "whole" },
    ]);
  });

  it("awsChunkedReader() does read a trailer, and what of it is signed", () => {
    const lines = "x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-meta-note:two words\r\n";
    expect(read(LAST + lines + TRAILER_SIGNATURE, true)).toEqual([
      { kind: "chunk", size: 0, sizeText: "0", signature: SIGNATURE },
      { kind: "whole" },
      { kind: "trailer", lines, canonical: lines.replaceAll("\r", ""), signature: SIGNATURE },
    ]);
  });

  it("awsChunkedReader() does read the additional LF of minio-go as no part of the value", () => {
    const lines = "x-amz-checksum-crc32c:sOO8/Q==\n\r\n";
    const canonical = "x-amz-checksum-crc32c:sOO8/Q==\n";
    expect(read(LAST + lines + TRAILER_SIGNATURE, true)).toContainEqual({
      kind: "trailer",
      lines,
      canonical,
      signature: SIGNATURE,
    });
  });

  it("awsChunkedReader() does read a trailer that holds but its signature", () => {
    const trailer = { kind: "trailer", lines: "", canonical: "", signature: SIGNATURE };
    expect(read(LAST + TRAILER_SIGNATURE, true)).toContainEqual(trailer);
  });

  it.each([
    ["a", 10],
    ["A", 10],
    ["0000000a", 10],
  ])("awsChunkedReader() does keep the spelling of the size %s", (sizeText, size) => {
    const body = `${sizeText};chunk-signature=${SIGNATURE}\r\n${"x".repeat(size)}\r\n${LAST}\r\n`;
    expect(read(body)[0]).toEqual({ kind: "chunk", size, sizeText, signature: SIGNATURE });
    expect(faultOf(body)).toBeUndefined();
  });

  it("awsChunkedReader() does give views of its pieces, not copies", () => {
    const piece = bytesOf(`3;chunk-signature=${SIGNATURE}\r\nabc\r\n`);
    const data = awsChunkedReader(false)
      .push(piece)
      .find((part) => part.kind === "data");
    expect(data?.bytes.buffer).toBe(piece.buffer);
  });

  it("awsChunkedReader() does accept the largest chunk and refuse a larger one before its data", () => {
    const header = (size: number) => `${size.toString(16)};chunk-signature=${SIGNATURE}\r\n`;
    expect(faultOf(header(MOST_CHUNK_BYTES))).toBe("truncated");
    expect(faultOf(header(MOST_CHUNK_BYTES + 1))).toBe("oversized");
    expect(faultOf(header(0xffffffff))).toBe("oversized");
  });

  it.each<[what: string, body: string, fault: ChunkedFault]>([
    ["no header", "\r\n", "header"],
    ["no size", `;chunk-signature=${SIGNATURE}\r\n`, "header"],
    ["a size with a sign", `+5;chunk-signature=${SIGNATURE}\r\n`, "header"],
    ["a size with a prefix", `0x5;chunk-signature=${SIGNATURE}\r\n`, "header"],
    ["a size of nine digits", `000000005;chunk-signature=${SIGNATURE}\r\n`, "header"],
    ["no signature", "5\r\nhello\r\n0\r\n\r\n", "header"],
    ["another extension", `5;a=b;chunk-signature=${SIGNATURE}\r\n`, "header"],
    ["an extension after the signature", `5;chunk-signature=${SIGNATURE};a=b\r\n`, "header"],
    ["a short signature", `5;chunk-signature=${SIGNATURE.slice(1)}\r\n`, "header"],
    ["a long signature", `5;chunk-signature=${SIGNATURE}0\r\n`, "header"],
    ["an uppercase signature", `5;chunk-signature=${SIGNATURE.toUpperCase()}\r\n`, "header"],
    ["blanks in the header", `5; chunk-signature=${SIGNATURE}\r\n`, "header"],
    ["a header that ends with LF", `5;chunk-signature=${SIGNATURE}\nhello`, "header"],
    ["a header without an end", "0".repeat(1 << 20), "header"],
    ["data longer than its size", `1;chunk-signature=${SIGNATURE}\r\nhello\r\n`, "line_end"],
    ["data that ends with LF", `5;chunk-signature=${SIGNATURE}\r\nhello\n${LAST}\r\n`, "line_end"],
    ["no line end after the last chunk", `${LAST}${LAST}\r\n`, "line_end"],
    ["a trailer nobody spoke of", `${LAST}x-amz-checksum-crc32:AAAAAA==\r\n\r\n`, "line_end"],
    ["more after the end", `${LAST}\r\n\r\n`, "excess"],
    ["another body after the end", `${LAST}\r\n${LAST}\r\n`, "excess"],
    ["nothing", "", "truncated"],
    ["no last chunk", `5;chunk-signature=${SIGNATURE}\r\nhello\r\n`, "truncated"],
    ["half of the last line end", `${LAST}\r`, "truncated"],
  ])("awsChunkedReader() does refuse %s", (_, body, fault) => {
    expect(faultOf(body)).toBe(fault);
  });

  it.each<[what: string, trailer: string, fault: ChunkedFault]>([
    ["no trailer", "\r\n", "truncated"],
    ["a trailer without a signature", "x-amz-checksum-crc32:AAAAAA==\r\n\r\n", "trailer"],
    ["a short signature", `x-amz-trailer-signature:${SIGNATURE.slice(1)}\r\n\r\n`, "trailer"],
    ["an uppercase signature", `x-amz-trailer-signature:${SIGNATURE.toUpperCase()}\r\n\r\n`, "trailer"],
    ["two signatures", `x-amz-trailer-signature:${SIGNATURE}\r\n${TRAILER_SIGNATURE}`, "trailer"],
    ["a line after the signature", `x-amz-trailer-signature:${SIGNATURE}\r\na:b\r\n\r\n`, "trailer"],
    ["an uppercase name", `X-Amz-Checksum-Crc32:AAAAAA==\r\n${TRAILER_SIGNATURE}`, "trailer"],
    ["no name", `:AAAAAA==\r\n${TRAILER_SIGNATURE}`, "trailer"],
    ["no value", `x-amz-checksum-crc32:\r\n${TRAILER_SIGNATURE}`, "trailer"],
    ["no colon", `x-amz-checksum-crc32\r\n${TRAILER_SIGNATURE}`, "trailer"],
    ["a blank before the value", `x-amz-checksum-crc32: AAAAAA==\r\n${TRAILER_SIGNATURE}`, "trailer"],
    ["a blank after the value", `x-amz-checksum-crc32:AAAAAA== \r\n${TRAILER_SIGNATURE}`, "trailer"],
    ["a line that ends with LF", `x-amz-checksum-crc32:AAAAAA==\n${TRAILER_SIGNATURE}`, "trailer"],
    ["two additional LFs", `x-amz-checksum-crc32:AAAAAA==\n\n\r\n${TRAILER_SIGNATURE}`, "trailer"],
    ["an empty line before the signature", `a:b\r\n\r\n${TRAILER_SIGNATURE}`, "trailer"],
    ["a byte that is not ASCII", `a:\u00e9\r\n${TRAILER_SIGNATURE}`, "trailer"],
    ["a trailer without an end", "a".repeat(5000), "trailer"],
    ["a trailer too long", `${"a:b\r\n".repeat(1000)}${TRAILER_SIGNATURE}`, "trailer"],
    ["more after the end", `${TRAILER_SIGNATURE}\r\n`, "excess"],
    ["half of a trailer", TRAILER_SIGNATURE.slice(0, -1), "truncated"],
  ])("awsChunkedReader() does refuse, where a trailer follows, %s", (_, trailer, fault) => {
    expect(faultOf(LAST + trailer, true)).toBe(fault);
  });

  it("awsChunkedReader() does say nothing more after a fault", () => {
    const reader = awsChunkedReader(false);
    expect(reader.push(bytesOf("?\n"))).toEqual([{ kind: "malformed", fault: "header" }]);
    expect(reader.push(bytesOf(`${LAST}\r\n`))).toEqual([]);
    expect(reader.end()).toBe("header");
  });
});

describe("any body", () => {
  const signature = fc.stringMatching(/^[0-9a-f]{64}$/);
  // Line ends and digits in the data are what a reader could mistake for framing.
  const data = fc.string({
    unit: fc.constantFrom(..."\r\n0;a\u00ff".split("")),
    minLength: 1,
    maxLength: 40,
  });
  const chunk = fc.tuple(data, signature).map(([text, signed]) => ({
    framing: `${text.length.toString(16)};chunk-signature=${signed}\r\n`,
    text,
  }));
  const trailer = fc
    .tuple(
      fc.array(fc.stringMatching(/^[a-z][a-z0-9-]{0,8}:[!-~]{1,12}\n?\r\n$/), { maxLength: 3 }),
      signature,
    )
    .map(([lines, signed]) => `${lines.join("")}x-amz-trailer-signature:${signed}\r\n\r\n`);
  /** The body in turns of framing and data. */
  const body = fc
    .tuple(fc.array(chunk, { maxLength: 4 }), signature, fc.option(trailer, { nil: undefined }))
    .map(([chunks, signed, trailing]) => {
      const turns = chunks.flatMap(({ framing, text }) => [framing, text, "\r\n"]);
      const last = `0;chunk-signature=${signed}\r\n${trailing ?? "\r\n"}`;
      return { turns: [...turns, last], hasTrailer: trailing !== undefined };
    });

  it("awsChunkedReader() does read the same however the body is cut", () => {
    fc.assert(
      fc.property(body, fc.array(fc.nat()), ({ turns, hasTrailer }, cuts) => {
        const bytes = bytesOf(turns.join(""));
        const places = [
          0,
          ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b),
          bytes.length,
        ];
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        const whole = readPieces([bytes], hasTrailer);
        expect(whole.at(-1)?.kind).not.toBe("malformed");
        expect(readPieces(pieces, hasTrailer)).toEqual(whole);
        const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
        expect(readPieces(single, hasTrailer)).toEqual(whole);
      }),
    );
  });

  it("awsChunkedReader() does never read the same where one byte is another", () => {
    const change = fc.record({ place: fc.nat(), byte: fc.nat({ max: 255 }) });
    fc.assert(
      fc.property(body, change, ({ turns, hasTrailer }, { place, byte }) => {
        const bytes = bytesOf(turns.join(""));
        const changed = Uint8Array.from(bytes);
        changed[place % bytes.length] = byte;
        fc.pre(changed[place % bytes.length] !== bytes[place % bytes.length]);
        expect(readPieces([changed], hasTrailer)).not.toEqual(readPieces([bytes], hasTrailer));
      }),
      { numRuns: 2000 },
    );
  });

  it("awsChunkedReader() does find every end but the last too early", () => {
    fc.assert(
      fc.property(body, fc.nat(), ({ turns, hasTrailer }, place) => {
        const bytes = bytesOf(turns.join(""));
        expect(readPieces([bytes.subarray(0, place % bytes.length)], hasTrailer).at(-1)).toEqual({
          kind: "malformed",
          fault: "truncated",
        });
      }),
    );
  });
});
