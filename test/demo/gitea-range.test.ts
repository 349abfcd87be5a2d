import { expect, test } from "vitest";
import { giteaRange } from "../../scripts/demo/gitea-range.ts";

const SIZE = 100;

test.for<[string | undefined, ReturnType<typeof giteaRange>["kind"] | 400 | 416]>([
  [undefined, "whole"],
  ["lines=1-2", "whole"],
  ["bytes=0-49", "part"],
  ["bytes=99-", "part"],
  ["bytes=-5", 416],
  ["bytes=100-", 416],
  ["bytes=x-5", 416],
  ["bytes=5-4", 400],
  ["bytes=0-4, 6-9", 400],
])("giteaRange() takes %s as %s", ([header, expected]) => {
  const answer = giteaRange(header, SIZE);
  expect(answer.kind === "refused" ? answer.status : answer.kind).toBe(expected);
});

test("giteaRange() sends an empty file whole", () => {
  expect(giteaRange("bytes=0-0", 0)).toEqual({ kind: "whole" });
});
