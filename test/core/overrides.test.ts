import { describe, expect, it } from "vitest";
import { hasOverrides } from "../../src/core/overrides.ts";

describe("overrides of header fields", () => {
  it.each([
    ["?response-content-type=a"],
    ["?a=1&response-expires"],
    ["?response-anything"],
    ["?%72esponse-content-type=a"],
    ["?response%2Dcontent-type=a"],
    ["?response-content-type%3Da"],
    ["?a&%72%65%73%70%6F%6E%73%65%2Dexpires=1"],
  ])("hasOverrides() does see one in %j", (search) => {
    expect(hasOverrides(search)).toBe(true);
  });

  it.each([[""], ["?"], ["?versionId=response-"], ["?a=response-content-type"], ["?xresponse-expires=1"]])(
    "hasOverrides() does see none in %j",
    (search) => {
      expect(hasOverrides(search)).toBe(false);
    },
  );
});
