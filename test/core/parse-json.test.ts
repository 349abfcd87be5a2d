import { expect, it } from "vitest";
import { parseJson } from "../../src/core/parse-json.ts";

it.each<[string, unknown]>([
  ['{"a":[1]}', { a: [1] }],
  ["null", null],
  ['""', ""],
  ["", undefined],
  ["{", undefined],
  ["{'a':1}", undefined],
  ["undefined", undefined],
])("parseJson() does read %j", (text, value) => {
  expect(parseJson(text)).toEqual(value);
});
