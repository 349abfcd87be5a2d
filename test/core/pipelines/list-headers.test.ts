import { describe, expect, it } from "vitest";
import { withoutCredentials } from "../../../src/core/pipelines/link-queries.ts";
import { listHeaders } from "../../../src/core/pipelines/list-headers.ts";

function kept(headers: Record<string, string>): Record<string, string> {
  const given = new Headers(headers);
  return Object.fromEntries(listHeaders((name) => given.get(name)));
}

const LIST = {
  "content-type": "application/json",
  link: '<http://forge.internal/api?page=2>; rel="next"',
  "x-content-type-options": "nosniff",
  "x-frame-options": "SAMEORIGIN",
};

const GITLAB = {
  ...LIST,
  "x-next-page": "2",
  "x-page": "1",
  "x-per-page": "20",
  "x-prev-page": "",
  "x-total": "40",
  "x-total-pages": "2",
};

const GITEA = {
  ...LIST,
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "Link, X-Total-Count",
  "x-hasmore": "true",
  "x-total-count": "40",
};

/** What is one request's, one asker's, or not a list's own. */
const DROPPED = {
  age: "1",
  "cache-control": "max-age=0, private, must-revalidate",
  "content-encoding": "gzip",
  "content-length": "2",
  date: "Thu, 01 Jan 2026 00:00:00 GMT",
  etag: 'W/"a"',
  "ratelimit-remaining": "1",
  "set-cookie": "_gitlab_session=s",
  "strict-transport-security": "max-age=1",
  vary: "Origin",
  "x-gitlab-meta": '{"correlation_id":"1"}',
  "x-request-id": "1",
  "x-runtime": "0.1",
};

it.each([
  ["GitLab", GITLAB],
  ["Gitea", GITEA],
])("listHeaders() does keep what %s says of a list, and of it alone", (_, headers) => {
  expect(kept({ ...headers, ...DROPPED })).toEqual(headers);
});

it("listHeaders() does not keep what one web origin only may read", () => {
  const { "access-control-allow-origin": _, "access-control-expose-headers": __, ...rest } = GITEA;
  expect(kept({ ...GITEA, "access-control-allow-origin": "https://a.example" })).toEqual(rest);
});

it("listHeaders() does not keep who asked", () => {
  const link = '<http://forge.internal/api?page=2&private_token=glpat-1>; rel="next"';
  expect(JSON.stringify(kept({ ...GITLAB, link }))).not.toContain("glpat-1");
});

describe("a Link that repeats the query", () => {
  it.each([
    ["<http://o/a?private_token=s&page=2>; rel=next", "<http://o/a?page=2>; rel=next"],
    ["<http://o/a?page=2&private_token=s>", "<http://o/a?page=2>"],
    ["<http://o/a?id=1&job_token=s&page=2>", "<http://o/a?id=1&page=2>"],
    ["<http://o/a?token=s>", "<http://o/a>"],
    ["<http://o/a?sudo=root#x>", "<http://o/a#x>"],
    ["<http://o/a?private%5Ftoken=s&page=2>", "<http://o/a?page=2>"],
    ["<http://o/a?private_token%5B%5D=s&page=2>", "<http://o/a?page=2>"],
    ["<http://o/a?TOKEN=s&page=2>", "<http://o/a?page=2>"],
    ["<http://o/a?pri%2576ate_token=s&page=2>", "<http://o/a?page=2>"],
    ["<http://o/a?%ff=s&page=2>", "<http://o/a?page=2>"],
    ["<http://o/a?x;token=s&page=2>", "<http://o/a?page=2>"],
    ["<http://o/a?token=s>, <b?access_token=s&c=d>; rel=last", "<http://o/a>, <b?c=d>; rel=last"],
  ])("withoutCredentials() does take them out of %s", (link, expected) => {
    expect(withoutCredentials(link)).toBe(expected);
  });

  it.each([
    [""],
    ["no URL"],
    ['<http://o/a>; rel="next"'],
    ['<http://o/token=s?page=2>; title="?token=t"'],
    ["<http://o/a?scope%5B%5D=failed&ref=token&&=>"],
    ["<http://o/a?ref=%ff>"],
    ["<http://o/a?page=2"],
  ])("withoutCredentials() does leave %j as it is", (link) => {
    expect(withoutCredentials(link)).toBe(link);
  });
});
