import { expect, it } from "vitest";
import { humanSize } from "../../src/core/human-size.ts";

it.each([
  [0, "0 B"],
  [1, "1 B"],
  [1023, "1023 B"],
  [1024, "1.0 KiB"],
  [1536, "1.5 KiB"],
  [10_188, "9.9 KiB"],
  [10_189, "10 KiB"],
  [1_048_063, "1023 KiB"],
  [1_048_064, "1.0 MiB"],
  [1_048_575, "1.0 MiB"],
  [432_013_312, "412 MiB"],
  [4 * 1024 ** 3, "4.0 GiB"],
  [3 * 1024 ** 4, "3.0 TiB"],
  [Number.MAX_SAFE_INTEGER, "8192 TiB"],
])("humanSize() does write %i as %s", (bytes, text) => {
  expect(humanSize(bytes)).toBe(text);
});
