import { expect, it } from "vitest";
import { type QueryPair, readPairs } from "../../../src/core/pipelines/query-pairs.ts";

it.each<[string, readonly QueryPair[]]>([
  ["", []],
  ["?", []],
  ["?&&", []],
  ["?a=1&b=2", [["a", "1"], ["b", "2"]]], // prettier-ignore
  ["?b=2&a=1&b=3", [["b", "2"], ["a", "1"], ["b", "3"]]], // prettier-ignore
  ["?a=", [["a", ""]]],
  ["?=a", [["", "a"]]],
  ["?a=b=c", [["a", "b=c"]]],
  ["?a=b+c%20d%2Be", [["a", "b c d+e"]]],
  ["?%61%5B%5D=%C3%A9%26", [["a[]", "é&"]]],
  ["?a=%253B", [["a", "%3B"]]],
  ["?a=%3B", [["a", ";"]]],
  ["?a=?", [["a", "?"]]],
])("readPairs() does read %j", (search, pairs) => {
  expect(readPairs(search)).toEqual(pairs);
});

it.each([
  ["?a"],
  ["?a=1&b"],
  ["?a=1;b=2"],
  ["?a=%"],
  ["?a=%zz"],
  ["?a=%ff"],
  ["?a=%C3"],
  ["?%ff=a"],
  ["?a=%00"],
  ["?a=b%0Ac"],
  ["?a=%7F"],
  ["?a%09=b"],
  ["?a=é"],
  ["?a=\ud800"],
  ["?a=b c"],
])("readPairs() does not read %j, which not all read alike", (search) => {
  expect(readPairs(search)).toBeUndefined();
});
