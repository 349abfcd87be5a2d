import { describe, expect, it } from "vitest";
import { decodeCp437 } from "../../../src/core/zip/cp437.ts";

describe("decodeCp437()", () => {
  it.each([
    ["ASCII", [0x41, 0x7e], "A~"],
    ["letters", [0x80, 0x81, 0x84, 0x94, 0xe1], "Çüäöß"],
    ["frames", [0xb0, 0xbf, 0xc0, 0xcd, 0xda, 0xdf], "░┐└═┌▀"],
    ["the ends of the upper half", [0x8f, 0x90, 0x9f, 0xa0, 0xef, 0xf0, 0xfe, 0xff], "ÅÉƒá∩≡■\u00a0"],
    ["nothing", [], ""],
  ])("decodeCp437() does read %s", (_, bytes, text) => {
    expect(decodeCp437(Uint8Array.from(bytes))).toBe(text);
  });

  it("decodeCp437() does give each byte a character of its own", () => {
    const all = decodeCp437(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    expect(new Set(all).size).toBe(256);
    expect(all).toHaveLength(256);
  });
});
