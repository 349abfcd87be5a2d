import { describe, expect, it } from "vitest";
import { uint64 } from "../../../src/core/zip/uint64.ts";

describe("uint64()", () => {
  it.each([
    [[0, 0, 0, 0, 0, 0, 0, 0], 0],
    [[1, 2, 0, 0, 0, 0, 0, 0], 0x201],
    [[0, 0, 0, 0, 1, 0, 0, 0], 2 ** 32],
    [[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, 0], Number.MAX_SAFE_INTEGER],
    [[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 2 ** 64],
  ])("uint64() does read %j as %d", (bytes, value) => {
    expect(uint64(new DataView(Uint8Array.from([9, ...bytes]).buffer), 1)).toBe(value);
  });
});
