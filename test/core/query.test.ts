import { expect, it } from "vitest";
import { readQuery } from "../../src/core/query.ts";

it.each<[string, Record<string, string>]>([
  ["", {}],
  ["?", {}],
  ["?ref=main", { ref: "main" }],
  ["?ref=", { ref: "" }],
  ["?ref", { ref: "" }],
  ["?ref=a%2Fb", { ref: "a/b" }],
  ["?ref=a+b", { ref: "a b" }],
  ["?ref=a=b", { ref: "a=b" }],
  ["?%72ef=main", { ref: "main" }],
  ["?lfs=true&ref=main", { lfs: "true", ref: "main" }],
  ["?REF=main&other=1&other=2&__proto__=x", {}],
])("readQuery() does read %j", (search, expected) => {
  expect(readQuery(search, ["ref", "lfs"])).toEqual(expected);
});

it.each([
  ["?ref=%"],
  ["?ref=%zz"],
  ["?ref=%ff"],
  ["?ref=a;lfs=true"],
  ["?ref[]=a"],
  ["?lfs=true&ref%5Bx%5D=a"],
  ["?%=a"],
])("readQuery() does refuse what may be read in two ways, as in %j", (search) => {
  expect(readQuery(search, ["ref", "lfs"])).toBeUndefined();
});

it.each([["?ref=a&ref=b"], ["?ref=a&ref=a"], ["?ref=a&ref="], ["?ref=a&lfs=true&%72ef=b"]])(
  "readQuery() does refuse a parameter that stands twice, as in %j",
  (search) => {
    expect(readQuery(search, ["ref", "lfs"])).toBeUndefined();
  },
);
