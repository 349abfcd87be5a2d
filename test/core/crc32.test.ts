import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32 } from "../../src/core/crc32.ts";

describe("crc32()", () => {
  it.each([
    ["", 0],
    ["a", 0xe8b7be43],
    ["123456789", 0xcbf43926],
    ["The quick brown fox jumps over the lazy dog", 0x414fa339],
  ])("crc32() does give that of %j", (text, crc) => {
    expect(crc32(new TextEncoder().encode(text))).toBe(crc);
  });

  it("crc32() does give what zlib gives, in one piece or in two", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (first, second) => {
        expect(crc32(first)).toBe(zlibCrc32(first));
        expect(crc32(second, crc32(first))).toBe(zlibCrc32(Buffer.concat([first, second])));
      }),
    );
  });
});
