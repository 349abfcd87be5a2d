import { describe, expect, it } from "vitest";
import { routeS3 } from "../../src/core/route-s3.ts";
import { type Inside, type ObjectTarget, PASS, type Route } from "../../src/core/target.ts";

const PLAIN: ObjectTarget = {
  lane: "object",
  bucket: "bucket",
  key: "a.zip",
  versionId: undefined,
  overrides: "",
  corsOrigin: undefined,
  inside: undefined,
  literal: undefined,
};

const entry = (path: string): Inside => ({ kind: "entry", path, disposition: "inline", gzip: false });
const browse = (path: string, page = 1): Inside => ({ kind: "browse", path, page });
const TREE = { kind: "tree", path: "", isRecursive: false, page: 1, perPage: 20 } as const;

function routed(path: string, search = "", bucket?: string): Route {
  return routeS3(path, search, bucket, undefined);
}

function target(changes: Partial<ObjectTarget>): Route {
  return { kind: "target", target: { ...PLAIN, ...changes } };
}

describe("a path with !/", () => {
  it.each<[path: string, literal: string, key: string, Inside]>([
    ["/bucket/a.zip!/", "a.zip!/", "a.zip", browse("")],
    ["/bucket/a.zip!/css/", "a.zip!/css/", "a.zip", browse("css")],
    ["/bucket/a.zip!/css/a.css", "a.zip!/css/a.css", "a.zip", entry("css/a.css")],
    ["/bucket/a.zip%21/css%2Fa.css", "a.zip!/css/a.css", "a.zip", entry("css/a.css")],
    ["/bucket/a.zip!%2Fcss", "a.zip!/css", "a.zip", entry("css")],
    ["/bucket/x/y/A.ZIP!/b", "x/y/A.ZIP!/b", "x/y/A.ZIP", entry("b")],
    ["/bucket/a.zip!/b.zip!/c", "a.zip!/b.zip!/c", "a.zip", entry("b.zip!/c")],
    ["/bucket/a!/b.zip!/c", "a!/b.zip!/c", "a!/b.zip", entry("c")],
    ["/bucket/a.zip!!/b.zip!/c", "a.zip!!/b.zip!/c", "a.zip!!/b.zip", entry("c")],
    ["/bucket/a.zip!/!/b", "a.zip!/!/b", "a.zip", entry("!/b")],
    ["/bucket/a.zip!/a%20b+c%25", "a.zip!/a b+c%", "a.zip", entry("a b+c%")],
    ["/bucket/a.zip!/a%252Fb", "a.zip!/a%2Fb", "a.zip", entry("a%2Fb")],
    ["/bucket/a.zip!/%C3%A9", "a.zip!/é", "a.zip", entry("é")],
    ["/bucket//a.zip!/b", "/a.zip!/b", "/a.zip", entry("b")],
  ])("routeS3() does read %s as an entry, or as the object of all of it", (path, literal, key, inside) => {
    expect(routed(path)).toEqual(target({ key, inside, literal: { ...PLAIN, key: literal } }));
    const hosted = routed(path.slice("/bucket".length), "", "bucket");
    expect(hosted).toEqual(routed(path));
  });

  it("routeS3() does ask both for the same version, fields and web origin", () => {
    const route = routeS3(
      "/bucket/a.zip!/b",
      "?versionId=1&response-expires=0",
      undefined,
      "https://a.example",
    );
    const both = { versionId: "1", overrides: "response-expires=0", corsOrigin: "https://a.example" };
    const literal = { ...PLAIN, ...both, key: "a.zip!/b" };
    expect(route).toEqual(target({ ...both, inside: entry("b"), literal }));
  });

  it.each([
    ["/bucket/a.zip", "a.zip"],
    ["/bucket/a.zip!", "a.zip!"],
    ["/bucket/a.zip!b", "a.zip!b"],
    ["/bucket/a.zip/!/b", "a.zip/!/b"],
    ["/bucket/a.zipx!/b", "a.zipx!/b"],
    ["/bucket/azip!/b", "azip!/b"],
    ["/bucket/a.jar!/b", "a.jar!/b"],
    ["/bucket/a.zip.gz!/b", "a.zip.gz!/b"],
    ["/bucket/.zip!/b", ".zip!/b"],
    ["/bucket/!/b", "!/b"],
    ["/bucket/a.zip%2521/b", "a.zip%21/b"],
    ["/bucket/a.zip!//", "a.zip!//"],
    ["/bucket/a.zip!//b", "a.zip!//b"],
    ["/bucket/a.zip!/b//c", "a.zip!/b//c"],
    ["/bucket/a.zip!/../b", "a.zip!/../b"],
    ["/bucket/a.zip!/%2e%2e/b", "a.zip!/../b"],
    ["/bucket/a.zip!/b/..", "a.zip!/b/.."],
    ["/bucket/a.zip!/./b", "a.zip!/./b"],
    ["/bucket/a.zip!/b%5Cc", "a.zip!/b\\c"],
  ])("routeS3() does read %s as nothing but the object", (path, key) => {
    expect(routed(path)).toEqual(target({ key }));
  });

  it.each([["/bucket/a.zip!/%00"], ["/bucket/a.zip!/b%0A"], ["/bucket/a.zip!/%ff"], ["/a.zip!/b"]])(
    "routeS3() does leave %s to the origin",
    (path) => {
      expect(routed(path)).toEqual(PASS);
    },
  );
});

describe("the parameter zip", () => {
  it.each<[string, Inside]>([
    ["?zip=list", TREE],
    ["?zip=list&path=", TREE],
    ["?zip=list&path=a%2Fb/&recursive=1", { ...TREE, path: "a/b", isRecursive: true }],
    ["?per_page=500&page=2&zip=list", { ...TREE, page: 2, perPage: 100 }],
    ["?zip=browse", browse("")],
    ["?zip=browse&path=a+b%2Bc/&page=3", browse("a b+c", 3)],
    ["?zip=entry&path=css/a.css", entry("css/a.css")],
    ["?path=a%2Fb&zip=entry", entry("a/b")],
    ["?zip=entry&path=a!/b.zip!/c", entry("a!/b.zip!/c")],
    ["?zip=tar", { kind: "tar", path: "" }],
    ["?zip=zip&path=a/b/", { kind: "zip", path: "a/b" }],
    ["?zip=%6Cist", TREE],
    ["?x-id=GetObject&zip=list&X-Amz-Signature=f&X-Amz-Expires=1", TREE],
  ])("routeS3() does read %j of whatever object", (search, inside) => {
    expect(routed("/bucket/a.zip", search)).toEqual(target({ inside }));
    expect(routed("/bucket/no-zip", search)).toEqual(target({ key: "no-zip", inside }));
    const twice = target({ key: "a.zip!/b", inside });
    expect(routed("/bucket/a.zip!/b", search)).toEqual(twice);
  });

  it("routeS3() does read it beside a version and overrides", () => {
    const both = { versionId: "1", overrides: "response-expires=0" };
    expect(routed("/bucket/a.zip", "?versionId=1&zip=entry&path=b&response-expires=0")).toEqual(
      target({ ...both, inside: entry("b") }),
    );
  });

  it.each([
    ["?zip="],
    ["?zip=LIST"],
    ["?zip=rar"],
    ["?zip=entry"],
    ["?zip=entry&path="],
    ["?zip=entry&path=/"],
    ["?zip=entry&path=/a"],
    ["?zip=entry&path=a/"],
    ["?zip=entry&path=../a"],
    ["?zip=entry&path=%2e%2e/a"],
    ["?zip=entry&path=a//b"],
    ["?zip=entry&path=a%5Cb"],
    ["?zip=entry&path=a%00"],
    ["?zip=list&page=x"],
    ["?zip=list&per_page=-1"],
    ["?zip=list&recursive=maybe"],
    ["?zip=browse&page=1.5"],
    ["?zip=tar&path=a/../b"],
  ])("routeS3() does refuse %j", (search) => {
    expect(routed("/bucket/a.zip", search)).toEqual({ kind: "refused", problem: "parameter_malformed" });
  });

  it.each([
    ["?zip"],
    ["?zip&path=a"],
    ["?path=a"],
    ["?page=1"],
    ["?zi%70=list"],
    ["?ZIP=list"],
    ["?zip=list&zip=list"],
    ["?zip=list&zip=tar"],
    ["?zip=list&path=a&path=a"],
    ["?zip=list&path=%ff"],
    ["?zip=%zz"],
    ["?zip=list&acl"],
    ["?zip=list&partNumber=1"],
    ["?zip=list&uploads="],
    ["?zip=list&Path=a"],
    ["?zip=list&a=1"],
    ["?zip=list&"],
    ["?zip=list&__proto__=1"],
    ["?zip=list&AWSAccessKeyId=A&Signature=b&Expires=1"],
  ])("routeS3() does leave %j to the origin", (search) => {
    expect(routed("/bucket/a.zip", search)).toEqual(PASS);
  });

  it.each(["/bucket/", "/bucket", "/"])(
    "routeS3() does leave %s to the origin, which is no object",
    (path) => {
      expect(routed(path, "?zip=list")).toEqual(PASS);
    },
  );
});
