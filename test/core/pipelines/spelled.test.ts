import { expect, it } from "vitest";
import { projectSpelledAs } from "../../../src/core/pipelines/spelled.ts";

const HOST = "https://edge.example/api/v4/projects";

it.each([
  [
    "the path and the query of every URL",
    `<${HOST}/7/pipelines?id=7&page=2&per_page=20>; rel="next", <${HOST}/7/pipelines?id=7&page=1>; rel="first"`,
    `<${HOST}/g%2Fp/pipelines?id=g%2Fp&page=2&per_page=20>; rel="next", <${HOST}/g%2Fp/pipelines?id=g%2Fp&page=1>; rel="first"`,
  ],
  ["a URL without a query", `<${HOST}/7/pipelines>; rel="next"`, `<${HOST}/g%2Fp/pipelines>; rel="next"`],
  [
    "no other number, and no other parameter",
    `<${HOST}/77/pipelines/7/jobs?id=77&page=7&xid=7&ref=id=7>; rel="next"`,
    `<${HOST}/77/pipelines/7/jobs?id=77&page=7&xid=7&ref=id=7>; rel="next"`,
  ],
  [
    "the project's number, and not the same number of a pipeline",
    `<${HOST}/7/pipelines/7/jobs?id=7&pipeline_id=7>; rel="next"`,
    `<${HOST}/g%2Fp/pipelines/7/jobs?id=g%2Fp&pipeline_id=7>; rel="next"`,
  ],
  [
    "nothing beside the URLs",
    `<${HOST}/7/x>; title="/projects/7/"`,
    `<${HOST}/g%2Fp/x>; title="/projects/7/"`,
  ],
  ["what has no URL", "", ""],
])("projectSpelledAs() does spell %s", (_what, link, spelled) => {
  expect(projectSpelledAs(link, "7", "g/p")).toBe(spelled);
});

it("projectSpelledAs() does keep a path within its URL whatever is in it", () => {
  expect(projectSpelledAs(`<${HOST}/7/x?id=7>`, "7", 'g/$&>, <evil?a=b&c#d"')).toBe(
    `<${HOST}/g%2F%24%26%3E%2C%20%3Cevil%3Fa%3Db%26c%23d%22/x?id=g%2F%24%26%3E%2C%20%3Cevil%3Fa%3Db%26c%23d%22>`,
  );
});

it("projectSpelledAs() does put a number in the place of a path as well", () => {
  const link = `<${HOST}/g%2Fp/pipelines?id=g%2Fp&page=2>; rel="next"`;
  expect(projectSpelledAs(link, "g/p", "7")).toBe(`<${HOST}/7/pipelines?id=7&page=2>; rel="next"`);
});
