import { expect, it } from "vitest";
import { tryConditions } from "../../scripts/demo/content-conditions.ts";

const WEAK = 'W/"same"';
const MODIFIED = Date.parse("2026-01-05T09:10:00Z");
const [BEFORE, AT, AFTER] = [MODIFIED - 1000, MODIFIED, MODIFIED + 1000].map((time) =>
  new Date(time).toUTCString(),
);
const PART = { kind: "proceed", range: "bytes=0-3" };
const WHOLE = { kind: "proceed", range: undefined };
const FAILED = { kind: "failed" };
const NOT_MODIFIED = { kind: "not-modified" };

it.each([
  [{}, PART],
  [{ "if-match": "*" }, PART],
  [{ "if-match": WEAK }, FAILED],
  [{ "if-match": "*", "if-unmodified-since": BEFORE }, PART],
  [{ "if-unmodified-since": BEFORE }, FAILED],
  [{ "if-unmodified-since": AT }, PART],
  [{ "if-none-match": WEAK }, NOT_MODIFIED],
  [{ "if-none-match": '"other", "same"' }, NOT_MODIFIED],
  [{ "if-none-match": "*" }, NOT_MODIFIED],
  [{ "if-none-match": '"other"', "if-modified-since": AFTER }, PART],
  [{ "if-modified-since": BEFORE }, PART],
  [{ "if-modified-since": AT }, NOT_MODIFIED],
  [{ "if-modified-since": "yesterday" }, PART],
  [{ "if-range": WEAK }, WHOLE],
  [{ "if-range": '"same"' }, WHOLE],
  [{ "if-range": AT }, PART],
  [{ "if-range": AFTER }, WHOLE],
  [{ "if-range": "yesterday" }, WHOLE],
])("tryConditions() does judge %j under a weak tag", (headers, expected) => {
  const current = { etag: WEAK, lastModified: MODIFIED };
  expect(tryConditions({ range: "bytes=0-3", ...headers }, current)).toEqual(expected);
});

it.each([
  [{ "if-match": '"other", "one"' }, PART],
  [{ "if-match": 'W/"one"' }, FAILED],
  [{ "if-range": '"one"' }, PART],
  [{ "if-range": '"two"' }, WHOLE],
])("tryConditions() does judge %j under a strong tag", (headers, expected) => {
  const current = { etag: '"one"', lastModified: MODIFIED };
  expect(tryConditions({ range: "bytes=0-3", ...headers }, current)).toEqual(expected);
});
