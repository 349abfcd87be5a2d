import { describe, expect, it } from "vitest";
import { routeGitea } from "../../src/core/route-gitea.ts";
import { PASS, type RawName, type RefKind, type Route, type Variant } from "../../src/core/target.ts";

const OID = "0123456789abcdef0123456789abcdef01234567";
const BAD_PATH: Route = { kind: "refused", problem: "bad_path" };

function web(name: RawName, variant: Variant = ""): Route {
  return { kind: "target", target: { lane: "raw", channel: "web", project: "o/r", name, variant } };
}

function api(name: RawName, variant: Variant = ""): Route {
  return { kind: "target", target: { lane: "raw", channel: "api", project: "o/r", name, variant } };
}

function joined(text: string, refs: RefKind): RawName {
  return { kind: "joined", text, refs };
}

describe("the web's form", () => {
  it.each<[string, Route]>([
    ["/o/r/raw/branch/main/a.txt", web(joined("main/a.txt", "heads"))],
    ["/o/r/raw/branch/feature/x/a/b", web(joined("feature/x/a/b", "heads"))],
    ["/o/r/raw/branch/branch/tag", web(joined("branch/tag", "heads"))],
    ["/o/r/raw/tag/v1/a", web(joined("v1/a", "tags"))],
    ["/o/r/media/branch/main/a", web(joined("main/a", "heads"), "media")],
    ["/o/r/media/tag/v1/a", web(joined("v1/a", "tags"), "media")],
    [`/o/r/raw/commit/${OID}/a/b`, web({ kind: "commit", oid: OID, path: "a/b" })],
    [`/o/r/media/commit/${OID}/a`, web({ kind: "commit", oid: OID, path: "a" }, "media")],
    [`/o/r/raw/blob/${OID}`, web({ kind: "blob", oid: OID })],
    ["/o/r/raw/README.md", web(joined("README.md", "any"))],
    ["/o/r/raw/docs/a", web(joined("docs/a", "any"))],
    ["/o/r/raw/branch", web(joined("branch", "any"))],
    ["/o/r/media/docs/raw/a", web(joined("docs/raw/a", "any"), "media")],
    ["/o/r/raw/branch/main/a%20b%3Fc", web(joined("main/a b?c", "heads"))],
    ["/o/r/raw/branch/main/x;.css", web(joined("main/x;.css", "heads"))],
    ["/%6F/r/r%61w/raw/branch/main/a", web(joined("raw/branch/main/a", "any"))],
  ])("routeGitea() does read %s", (pathname, route) => {
    expect(routeGitea(pathname, "?utm_source=x&ref=other&ref=more")).toEqual(route);
  });

  it.each([
    ["/"],
    ["/o/r"],
    ["/o/r/src/branch/main/a"],
    ["/o/r/raw"],
    ["/o/raw/branch/main/a"],
    ["/raw/o/r/a"],
    ["/o/r/RAW/branch/main/a"],
    ["/o/r/src/raw/branch/main/a"],
    ["/o/r/wiki/raw/a"],
    ["/o/r/raw/commit/abc1234/a"],
    [`/o/r/raw/commit/${OID.toUpperCase()}/a`],
    ["/o/r/raw/commit/HEAD/a"],
    ["/o/r/raw/blob/abc1234"],
    ["/-/r/raw/a"],
    ["/api/r/raw/a"],
    ["/%61pi/v1/repos/o/r/raw/a"],
    ["/api/v2/repos/o/r/raw/a"],
    ["/api/v1/r%65pos/o/r/raw/a"],
  ])("routeGitea() does leave %s to the origin", (pathname) => {
    expect(routeGitea(pathname, "")).toEqual(PASS);
  });

  // Its router takes the named form first (`/raw/branch/*`), and a branch without a path is no file.
  it.each([["/o/r/raw/branch/main"], ["/o/r/raw/tag/v1"], [`/o/r/raw/commit/${OID}`]])(
    "routeGitea() does not look for %s in the default branch",
    (pathname) => {
      expect(routeGitea(pathname, "")).toEqual(PASS);
    },
  );
});

describe("the API's form", () => {
  it.each<[string, string, Route]>([
    ["/api/v1/repos/o/r/raw/a/b", "?ref=main", api({ kind: "ref", ref: "main", path: "a/b" })],
    ["/api/v1/repos/o/r/raw/a", "?ref=feature%2Fx", api({ kind: "ref", ref: "feature/x", path: "a" })],
    ["/api/v1/repos/o/r/raw/a", "", api(joined("a", "any"))],
    ["/api/v1/repos/o/r/raw/a", "?ref=", api(joined("a", "any"))],
    ["/api/v1/repos/o/r/raw/a", `?ref=${OID}`, api({ kind: "commit", oid: OID, path: "a" })],
    ["/api/v1/repos/o/r/media/a", "?ref=main&token=s", api({ kind: "ref", ref: "main", path: "a" }, "media")],
  ])("routeGitea() does read %s%s", (pathname, search, route) => {
    expect(routeGitea(pathname, search)).toEqual(route);
  });

  it.each([
    ["/api/v1/repos/o/r/raw", ""],
    ["/api/v1/repos/o/r/raw/a", "?ref=a&ref=b"],
    ["/api/v1/repos/o/r/contents/raw/a", ""],
    ["/api/v1/repos/o/r/src/media/a", ""],
    ["/api/v1/repos/o/raw/a", ""],
  ])("routeGitea() does leave %s%s to the origin", (pathname, search) => {
    expect(routeGitea(pathname, search)).toEqual(PASS);
  });
});

const FORMS: readonly ((token: string) => string)[] = [
  (token) => `/${token}/r/raw/branch/main/a`,
  (token) => `/o/${token}/raw/branch/main/a`,
  (token) => `/o/r/raw/branch/${token}/a`,
  (token) => `/o/r/raw/branch/main/${token}`,
  (token) => `/o/r/raw/${token}/a`,
  (token) => `/o/r/media/tag/v1/${token}/a`,
  (token) => `/api/v1/repos/o/${token}/raw/a`,
  (token) => `/api/v1/repos/o/r/raw/${token}`,
];

describe("hostile paths", () => {
  it.each(
    ["..", ".", "%2e%2e", "%2E.", "a%2F..%2Fb", "..%5c", "%00", "a%00.txt", "a%0d%0ab"].map((token) => [
      token,
    ]),
  )("routeGitea() does refuse %s wherever it stands", (token) => {
    for (const form of FORMS) expect(routeGitea(form(token), "")).toEqual(BAD_PATH);
  });

  it.each(["", "%2F", "a%2fb", "%5c", "a\\b", "%ff", "%c0%ae", "%"].map((token) => [token]))(
    "routeGitea() does look nothing up for %j wherever it stands",
    (token) => {
      for (const form of FORMS) expect(routeGitea(form(token), "")).toEqual(PASS);
    },
  );
});
