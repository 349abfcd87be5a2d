import { expect, it } from "vitest";
import { clientCacheControl } from "../../src/core/client-caching.ts";

it.each([
  [true, true, "public, max-age=31536000, immutable"],
  [true, false, "public, max-age=60, stale-while-revalidate=60"],
  [false, true, "private, max-age=31536000, immutable"],
  [false, false, "private, max-age=60, stale-while-revalidate=60"],
])("clientCacheControl() does write, for anyone %j and immutable %j, %j", (anyone, immutable, value) => {
  expect(clientCacheControl(anyone, immutable)).toBe(value);
});
