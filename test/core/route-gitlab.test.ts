import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodePath } from "../../src/core/request-path.ts";
import { routeGitlab } from "../../src/core/route-gitlab.ts";
import {
  PASS,
  type RawName,
  type RawTarget,
  type RefKind,
  type Route,
  type Variant,
} from "../../src/core/target.ts";

const OID = "0123456789abcdef0123456789abcdef01234567";
const OID_SHA256 = OID + OID.slice(0, 24);
const BAD_PATH: Route = { kind: "refused", problem: "bad_path" };

function web(project: string, name: RawName, variant: Variant = ""): Route {
  return { kind: "target", target: { lane: "raw", channel: "web", project, name, variant } };
}

function api(project: string, name: RawName, variant: Variant = ""): Route {
  return { kind: "target", target: { lane: "raw", channel: "api", project, name, variant } };
}

function joined(text: string, refs: RefKind = "any"): RawName {
  return { kind: "joined", text, refs };
}

describe("the web's form", () => {
  it.each<[string, Route]>([
    ["/g/p/-/raw/main/a.txt", web("g/p", joined("main/a.txt"))],
    ["/g/p/raw/main/a.txt", web("g/p", joined("main/a.txt"))],
    ["/g/h/i/j/p/-/raw/main/a/b", web("g/h/i/j/p", joined("main/a/b"))],
    ["/g/h/p/raw/main/a/b", web("g/h/p", joined("main/a/b"))],
    ["/g/p/-/raw/feature/x/raw/a", web("g/p", joined("feature/x/raw/a"))],
    ["/g/p/-/raw/main/-/raw/a", web("g/p", joined("main/-/raw/a"))],
    ["/g/p/raw/raw/raw", web("g/p", joined("raw/raw"))],
    ["/g/p/-/raw/refs/heads/main/a", web("g/p", joined("refs/heads/main/a"))],
    ["/g/p/-/raw/main/a%20b;c/%C3%A9", web("g/p", joined("main/a b;c/é"))],
    ["/g/p/-/raw/main/x;.css", web("g/p", joined("main/x;.css"))],
    ["/%67/p/%2d/raw/main/a", web("g/p", joined("main/a"))],
    ["/g/p/-/raw/HEAD/a", web("g/p", { kind: "ref", ref: "HEAD", path: "a" })],
    [`/g/p/-/raw/${OID}/a/b`, web("g/p", { kind: "commit", oid: OID, path: "a/b" })],
    [`/g/p/raw/${OID}/a`, web("g/p", { kind: "commit", oid: OID, path: "a" })],
    [`/g/p/-/raw/${OID_SHA256}/a`, web("g/p", { kind: "commit", oid: OID_SHA256, path: "a" })],
    [`/g/p/-/raw/${OID.slice(1)}/a`, web("g/p", joined(`${OID.slice(1)}/a`))],
  ])("routeGitlab() does read %s", (pathname, route) => {
    expect(routeGitlab(pathname, "")).toEqual(route);
  });

  it.each<[string, RawName, Variant]>([
    ["?inline=false", joined("v1/a"), "attachment"],
    ["?inline=true", joined("v1/a"), ""],
    ["?inline=0", joined("v1/a"), ""],
    ["?ref_type=heads", joined("v1/a", "heads"), ""],
    ["?ref_type=tags&inline=false", joined("v1/a", "tags"), "attachment"],
    ["?ref_type=HEADS", joined("v1/a", "heads"), ""],
    ["?ref_type=Tags", joined("v1/a", "tags"), ""],
    ["?ref_type=notes", joined("v1/a"), ""],
    ["?ref_type=", joined("v1/a"), ""],
    ["?utm_source=x&_=1&private_token=s&lfs=true&ref=other", joined("v1/a"), ""],
  ])("routeGitlab() does read the parameters %j", (search, name, variant) => {
    expect(routeGitlab("/g/p/-/raw/v1/a", search)).toEqual(web("g/p", name, variant));
  });

  it("routeGitlab() does let the asked kind of ref decide over the look of a commit id", () => {
    const name = joined(`${OID}/a`, "tags");
    expect(routeGitlab(`/g/p/-/raw/${OID}/a`, "?ref_type=tags")).toEqual(web("g/p", name));
  });

  it.each([
    ["/"],
    ["/g/p"],
    ["/g/p/-/blob/main/a"],
    ["/g/p/-/tree/raw/a"],
    ["/g/p/-/raw/main"],
    ["/g/p/-/raw"],
    ["/g/p/raw/main"],
    ["/p/-/raw/main/a"],
    ["/-/raw/main/a"],
    ["/g/raw/main/a"],
    ["/raw/g/main/a"],
    ["/g/p/-/RAW/main/a"],
    ["/g/p/-/blob/raw/main/a"],
    ["/g/p/-/r%61w/main/a"],
    ["/g/p.git/info/refs"],
    ["/api/v4/projects/1/raw/a/b"],
    ["/API/v4/projects/1/repository/files/a/raw"],
  ])("routeGitlab() does leave %s to the origin", (pathname) => {
    expect(routeGitlab(pathname, "")).toEqual(PASS);
  });

  it.each(
    [
      "-",
      "admin",
      "api",
      "assets",
      "dashboard",
      "explore",
      "groups",
      "help",
      "oauth",
      "projects",
      "public",
      "search",
      "snippets",
      "uploads",
      "users",
    ].map((name) => [name]),
  )("routeGitlab() does leave the reserved %s to the origin", (name) => {
    expect(routeGitlab(`/${name}/p/-/raw/main/a`, "")).toEqual(PASS);
    expect(routeGitlab(`/${name}/p/raw/main/a`, "")).toEqual(PASS);
    expect(routeGitlab(`/${name}x/p/raw/main/a`, "")).toEqual(web(`${name}x/p`, joined("main/a")));
  });

  it("routeGitlab() does never take part of an old form for a project", () => {
    const route = routeGitlab("/g/p/raw/main/-/raw/a/b", "");
    expect([PASS, web("g/p", joined("main/-/raw/a/b"))]).toContainEqual(route);
  });

  // GitLab takes 40 or 64 hexadecimal digits of any case for a commit id, whatever follows (`ExtractsRef::RefExtractor`).
  it.each([
    [OID.toUpperCase()],
    [`${OID.slice(0, -1)}F`],
    [OID_SHA256.toUpperCase()],
    [`${OID}-backup`],
    [`${OID}0`],
  ])("routeGitlab() does leave to the origin what it may take for a commit id: %s", (first) => {
    expect(routeGitlab(`/g/p/-/raw/${first}/a`, "")).toEqual(PASS);
  });
});

describe("the API's form", () => {
  const file = "/api/v4/projects/1/repository/files";
  it.each<[string, string, Route]>([
    [`${file}/a.txt/raw`, "?ref=main", api("1", { kind: "ref", ref: "main", path: "a.txt" })],
    [`${file}/a%2Fb%2fc%2Etxt/raw`, "?ref=f%2Fx", api("1", { kind: "ref", ref: "f/x", path: "a/b/c.txt" })],
    [`${file}/a/raw`, "", api("1", { kind: "ref", ref: "HEAD", path: "a" })],
    [`${file}/raw/raw`, "?lfs=false", api("1", { kind: "ref", ref: "HEAD", path: "raw" })],
    [`${file}/a/raw`, `?ref=${OID}`, api("1", { kind: "commit", oid: OID, path: "a" })],
    [
      `${file}/a/raw`,
      `?ref=${OID.toUpperCase()}`,
      api("1", { kind: "ref", ref: OID.toUpperCase(), path: "a" }),
    ],
    [`${file}/a/raw`, "?ref=main&lfs=true", api("1", { kind: "ref", ref: "main", path: "a" }, "media")],
    [`${file}/a%252Fb/raw`, "?ref=main", api("1", { kind: "ref", ref: "main", path: "a%2Fb" })],
    [
      "/api/v4/projects/g%2Fh%2Fp/repository/files/a/raw",
      "?ref=x",
      api("g/h/p", { kind: "ref", ref: "x", path: "a" }),
    ],
    [`/api/v4/projects/g%2fp/repository/blobs/${OID}/raw`, "", api("g/p", { kind: "blob", oid: OID })],
    [
      `/api/v4/projects/42/repository/blobs/${OID}/raw`,
      "?ref=a&ref=b",
      api("42", { kind: "blob", oid: OID }),
    ],
  ])("routeGitlab() does read %s%s", (pathname, search, route) => {
    expect(routeGitlab(pathname, search)).toEqual(route);
  });

  it.each([
    [file],
    [`${file}/raw`],
    [`${file}/a`],
    [`${file}/a/blame`],
    [`${file}/a/b/raw`],
    [`${file}/a/raw/raw`],
    [`${file}/%2Fa/raw`],
    [`${file}/a%2F/raw`],
    [`${file}/a%2F%2Fb/raw`],
    [`${file}//raw`],
    [`${file}/a%5Cb/raw`],
    [`${file}/%ff/raw`],
    ["/api/v4/projects/0/repository/files/a/raw"],
    ["/api/v4/projects/01/repository/files/a/raw"],
    ["/api/v4/projects/p/repository/files/a/raw"],
    ["/api/v4/projects/g%2F%2Fp/repository/files/a/raw"],
    ["/api/v4/projects/%2Fp/repository/files/a/raw"],
    ["/api/v4/projects/g/p/repository/files/a/raw"],
    ["/api/v4/projects/1/repository%2Ffiles/a/raw"],
    ["/api/v4/projects/1/wikis/files/a/raw"],
    [`/api/v4/projects/1/repository/blobs/${OID.slice(1)}/raw`],
    [`/api/v4/projects/1/repository/blobs/${OID.toUpperCase()}/raw`],
    ["/api/v4/projects/1/repository/blobs/main/raw"],
    ["/api/v4/projects/1/snippets/1/raw"],
  ])("routeGitlab() does leave %s to the origin", (pathname) => {
    expect(routeGitlab(pathname, "?ref=main")).toEqual(PASS);
  });

  // Grape reads each of these as true (dry-types: `Params::Bool`), so the bytes may be those of the large file.
  it.each([["1"], ["TRUE"], ["True"], ["t"], ["yes"], ["y"], ["on"]])(
    "routeGitlab() does not take lfs=%s for the plain form",
    (value) => {
      const plain = api("1", { kind: "ref", ref: "main", path: "a" });
      expect(routeGitlab(`${file}/a/raw`, `?ref=main&lfs=${value}`)).not.toEqual(plain);
    },
  );
});

const FORMS: readonly ((token: string) => string)[] = [
  (token) => `/${token}/p/-/raw/main/a`,
  (token) => `/g/${token}/-/raw/main/a`,
  (token) => `/g/p/-/raw/${token}/a`,
  (token) => `/g/p/-/raw/main/${token}`,
  (token) => `/g/p/-/raw/main/${token}/a`,
  (token) => `/g/p/raw/${token}/a`,
  (token) => `/api/v4/projects/${token}/repository/files/a/raw`,
  (token) => `/api/v4/projects/1/repository/files/${token}/raw`,
  (token) => `/api/v4/projects/1/repository/blobs/${token}/raw`,
];

describe("hostile paths", () => {
  it.each(
    [
      "..",
      ".",
      "%2e%2e",
      "%2E.",
      "a%2F..%2Fb",
      "..%2f..%2fetc",
      "a%5C..%5Cb",
      "%00",
      "a%00.txt",
      "a%0d%0ab",
      "%7f",
    ].map((token) => [token]),
  )("routeGitlab() does refuse %s wherever it stands", (token) => {
    for (const form of FORMS) expect(routeGitlab(form(token), "?ref=main")).toEqual(BAD_PATH);
  });

  it.each(
    ["", "%5c", "a%5Cb", "a\\b", "%ff", "%c0%ae%c0%ae", "%", "%zz", "%2F", "a%2F", "%2Fa", "a%2F%2Fb"].map(
      (token) => [token],
    ),
  )("routeGitlab() does look nothing up for %j wherever it stands", (token) => {
    for (const form of FORMS) expect(routeGitlab(form(token), "?ref=main")).toEqual(PASS);
  });

  it.each([
    ["/g/p/-/raw/v1/a", "?ref_type=heads&ref_type=tags"],
    ["/g/p/-/raw/v1/a", "?ref_type=heads&ref%5Ftype=heads"],
    ["/g/p/-/raw/v1/a", "?inline=true&inline=false"],
    ["/api/v4/projects/1/repository/files/a/raw", "?ref=a&ref=b"],
    ["/api/v4/projects/1/repository/files/a/raw", "?ref=a&lfs=true&lfs=false"],
  ])(
    "routeGitlab() does leave %s%s, which two readers may read differently, to the origin",
    (pathname, search) => {
      expect(routeGitlab(pathname, search)).toEqual(PASS);
    },
  );
});

/** The one spelling of what a target without an object id in the API asks for. */
function canonical({ channel, project, name }: RawTarget): string {
  if (name.kind === "blob") throw new Error("Not a path");
  if (channel === "api") {
    const path = name.kind === "joined" ? name.text : name.path;
    return `/api/v4/projects/${encodeURIComponent(project)}/repository/files/${encodeURIComponent(path)}/raw`;
  }
  const ref = name.kind === "ref" ? name.ref : name.kind === "commit" ? name.oid : undefined;
  const text = name.kind === "joined" ? name.text : `${ref}/${name.path}`;
  return `/${encodePath(project)}/-/raw/${encodePath(text)}`;
}

describe("any path", () => {
  const token = fc.constantFrom(
    ..."g p main raw - . .. %2e %2F %5c %00 %41 %252e é %C3%A9 ; a.txt HEAD refs heads".split(" "),
    OID,
    "",
  );
  const segment = fc.array(token, { minLength: 1, maxLength: 2 }).map((tokens) => tokens.join(""));
  const tail = fc.array(segment, { minLength: 1, maxLength: 6 }).map((segments) => segments.join("/"));
  const pathname = fc.oneof(
    tail.map((text) => `/${text}`),
    fc.tuple(tail, tail).map(([project, text]) => `/g/${project}/-/raw/${text}`),
    fc.tuple(segment, tail).map(([project, text]) => `/g/${project}/raw/${text}`),
    fc.tuple(segment, segment).map(([id, path]) => `/api/v4/projects/g%2F${id}/repository/files/${path}/raw`),
  );

  it("routeGitlab() does read one spelling back as the same target, which no URL parser changes", () => {
    let targets = 0;
    fc.assert(
      fc.property(pathname, (text) => {
        const route = routeGitlab(text, "");
        if (route.kind !== "target" || route.target.lane !== "raw") return;
        targets++;
        const spelling = canonical(route.target);
        expect(routeGitlab(spelling, "")).toEqual(route);
        expect(new URL(spelling, "https://origin.invalid").pathname).toBe(spelling);
      }),
      { numRuns: 5_000 },
    );
    expect(targets).toBeGreaterThan(100);
  });
});
