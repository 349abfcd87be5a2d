import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { artifactUrls, filesSource, insidePath, objectUrls } from "../../src/core/inside-urls.ts";
import { routeGitlab } from "../../src/core/route-gitlab.ts";
import { routeS3 } from "../../src/core/route-s3.ts";
import type { ArtifactTarget, Inside, JobName, ObjectTarget, Route } from "../../src/core/target.ts";
import { pathProblem } from "../../src/core/zip/path-problem.ts";
import { anyKey } from "../origin/hostile-keys.ts";

const SITE = "https://site.example";

const BROWSED: ArtifactTarget = {
  lane: "artifact",
  channel: "web",
  project: "g/p",
  job: { kind: "id", id: "5" },
  fileType: undefined,
  inside: undefined,
};

const OBJECT: ObjectTarget = {
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

/** Where a browser that shows a page of the site goes by a link on it. */
function followed(link: string): URL {
  const url = new URL(link, `${SITE}/a/page?of=it`);
  expect(url.origin).toBe(SITE);
  return url;
}

function gitlab(link: string): Route {
  const { pathname, search } = followed(link);
  return routeGitlab(pathname, search);
}

/** Paths of entries that are served, and so are linked to: of all those that someone could misread. */
const anyPath = fc
  .oneof(anyKey, fc.constantFrom("a", "dir/a b.txt", "raw", "a/file/b", "x.zip!/y", "!/", "100%/%2F", "?a#b"))
  .filter((path) => pathProblem(path) === undefined && !path.endsWith("/"));

const ACTION = /(?:^|\/)(?:download|browse|file|raw)(?:\/|$)/;

const anyJob: fc.Arbitrary<JobName> = fc.oneof(
  fc.record({ kind: fc.constant("id" as const), id: fc.constantFrom("1", "123456789012345") }),
  fc.record({
    kind: fc.constant("latest" as const),
    ref: fc.constantFrom("main", "feature/x", "a%2Fb", "é", "v1.0#?", "-", "artifacts"),
    job: fc.constantFrom("j", "build: [a, b]", "a&b=c", "1/2", "a+b %", "😀"),
  }),
);

describe("artifactUrls()", () => {
  it("artifactUrls() does lead to what its pages are about, whatever it is called", () => {
    const project = fc.constantFrom("g/p", "g/h/i/p", "g/p.x-y_z", "jobs/artifacts");
    fc.assert(
      fc.property(
        project,
        anyJob,
        anyPath,
        fc.integer({ min: 1, max: 1_000_000 }),
        (name, job, path, page) => {
          // Where such a ref ends is for the origin to say
          fc.pre(job.kind === "id" || !ACTION.test(path));
          const target: ArtifactTarget = { ...BROWSED, project: name, job };
          const { urls } = artifactUrls({ ...target, inside: browse("") });
          const inside = (made: Inside | undefined) => ({
            kind: "target",
            target: { ...target, inside: made },
          });
          expect(gitlab(urls.archive)).toEqual(inside(undefined));
          expect(gitlab(urls.file(path))).toEqual(inside(entry(path)));
          expect(gitlab(urls.directory("", page))).toEqual(inside(browse("", page)));
          expect(gitlab(urls.directory(`${path}/`, page))).toEqual(inside(browse(path, page)));
          for (const format of ["zip", "tar"] as const) {
            expect(gitlab(urls.download("", format))).toEqual(inside({ kind: format, path: "" }));
            expect(gitlab(urls.download(`${path}/`, format))).toEqual(inside({ kind: format, path }));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each(["a/file/b", "raw", "x/download", "browse/x"])(
    "artifactUrls() does lead to the origin where only it can tell the ref from %s, or to just that",
    (path) => {
      const target: ArtifactTarget = { ...BROWSED, job: { kind: "latest", ref: "main", job: "j" } };
      const { urls } = artifactUrls(target);
      const right = { kind: "target", target: { ...target, inside: entry(path) } };
      expect([{ kind: "pass" }, right]).toContainEqual(gitlab(urls.file(path)));
    },
  );

  it("artifactUrls() does say what the archive is", () => {
    expect(artifactUrls(BROWSED).title).toBe("Artifacts of job 5");
    const latest = artifactUrls({ ...BROWSED, job: { kind: "latest", ref: "feature/x", job: "build" } });
    expect(latest.title).toBe("Artifacts of build on feature/x");
  });
});

describe("insidePath()", () => {
  const asked = fc.oneof<fc.Arbitrary<Pick<ArtifactTarget, "inside" | "fileType">>[]>(
    fc.constant({ inside: undefined, fileType: undefined }),
    fc.record({ inside: fc.constant(undefined), fileType: fc.constantFrom("junit", "a&b=c", "é") }),
    fc
      .tuple(anyPath, fc.constantFrom("inline" as const, "attachment" as const))
      .map(([path, disposition]) => ({
        inside: { ...entry(path), disposition } as Inside,
        fileType: undefined,
      })),
    fc
      .tuple(anyPath, fc.constantFrom(1, 2, 1_000_000))
      .map(([path, page]) => ({ inside: browse(path, page), fileType: undefined })),
    fc
      .tuple(fc.oneof(anyPath, fc.constant("")), fc.constantFrom("tar" as const, "zip" as const))
      .map(([path, kind]) => ({ inside: { kind, path }, fileType: undefined })),
  );

  it("insidePath() does lead to what a target asks for, by the number of its job", () => {
    fc.assert(
      fc.property(asked, (given) => {
        const target: ArtifactTarget = { ...BROWSED, ...given };
        expect(gitlab(insidePath(target))).toEqual({ kind: "target", target });
      }),
      { numRuns: 200 },
    );
  });

  it("insidePath() does lead to what a target asks for, by the name of its job", () => {
    fc.assert(
      fc.property(asked, ({ inside, fileType }) => {
        fc.pre(inside === undefined || !ACTION.test(inside.path));
        const target: ArtifactTarget = {
          ...BROWSED,
          job: { kind: "latest", ref: "a/b", job: "j" },
          inside,
          fileType,
        };
        expect(gitlab(insidePath(target))).toEqual({ kind: "target", target });
      }),
      { numRuns: 200 },
    );
  });
});

describe("objectUrls()", () => {
  const links = (target: ObjectTarget, hostBucket?: string) => {
    const { urls } = objectUrls({ ...target, inside: browse("") }, hostBucket);
    const routed = (link: string): Route => {
      const { pathname, search } = followed(link);
      return routeS3(pathname, search, hostBucket, undefined);
    };
    const inside = (made: Inside | undefined) => ({ ...target, literal: undefined, inside: made });
    return { urls, routed, inside };
  };

  /** Without the object that has all of the path as its key: that one goes first where there is one, as for once there is not. */
  const meant = (route: Route): unknown =>
    route.kind === "target" && route.target.lane === "object"
      ? { ...route.target, literal: undefined }
      : route;

  /** The object that has all of the path as its key. */
  const itself = (route: Route): unknown =>
    route.kind === "target" && route.target.lane === "object"
      ? (route.target.literal ?? route.target)
      : route;

  /** What all links of a page lead to, and what they should. */
  function followedAll(target: ObjectTarget, hostBucket: string | undefined, path: string, page: number) {
    const { urls, routed, inside } = links(target, hostBucket);
    const formats = ["zip", "tar"] as const;
    const found = [
      itself(routed(urls.archive)),
      meant(routed(urls.file(path))),
      meant(routed(urls.directory("", page))),
      meant(routed(urls.directory(`${path}/`, page))),
      ...formats.map((format) => meant(routed(urls.download("", format)))),
      ...formats.map((format) => meant(routed(urls.download(`${path}/`, format)))),
    ];
    const wanted = [
      inside(undefined),
      inside(entry(path)),
      inside(browse("", page)),
      inside(browse(path, page)),
      ...formats.map((kind) => inside({ kind, path: "" })),
      ...formats.map((kind) => inside({ kind, path })),
    ];
    return { found, wanted };
  }

  const anyPage = fc.constantFrom(1, 2, 1_000_000);
  // oxlint-disable-next-line no-control-regex -- such keys have tests of their own, or none
  const ODD_KEY = /[\u0000-\u001f\u007f\\]|(?:^|\/)\.{0,2}(?:\/|$)|(?:^|[/\u2028])\.zip$/;

  it("objectUrls() does lead to what its pages are about, whatever a zip file is called", () => {
    const key = anyKey
      .map((text) => `${text}.zip`)
      .filter((text) => !ODD_KEY.test(text) && !/\.zip!\//i.test(text));
    fc.assert(
      fc.property(key, fc.boolean(), anyPath, anyPage, (text, isHosted, path, page) => {
        const hostBucket = isHosted ? "bucket" : undefined;
        const { found, wanted } = followedAll({ ...OBJECT, key: text }, hostBucket, path, page);
        expect(found).toEqual(wanted);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ["a.ZIP"],
    ["dir/a.zip"],
    ["a!/b.zip"],
    ["a.zip.zip"],
    ["release.jar"],
    ["dir/no-extension"],
    [".zip"],
    ["a.zip!/b.zip"],
    ["a.zip!/b"],
    ["dir//a.zip"],
    ["/a.zip"],
    ["/evil.example/a.zip"],
    ["\\evil.example\\a.zip"],
    ["x/../a.zip"],
    ["./a.zip"],
    ["\u2028.zip"],
  ])("objectUrls() does lead to what is in %j, in the host's bucket or another", (key) => {
    for (const hostBucket of ["bucket", undefined])
      for (const page of [1, 2]) {
        const { found, wanted } = followedAll({ ...OBJECT, key }, hostBucket, "dir/a.txt", page);
        expect(found).toEqual(wanted);
      }
  });

  it("objectUrls() does lead to what is in the very version that is shown", () => {
    for (const key of ["a.zip", "a.jar"]) {
      const target = { ...OBJECT, key, versionId: "a&b=c" };
      const { found, wanted } = followedAll(target, undefined, "dir/a.txt", 2);
      expect(found).toEqual(wanted);
    }
  });

  it("objectUrls() does say what the archive is", () => {
    expect(objectUrls({ ...OBJECT, key: "b/a.zip" }, undefined).title).toBe("b/a.zip");
  });
});

describe("filesSource()", () => {
  it.each<[string, ArtifactTarget | ObjectTarget, string | undefined, string]>([
    ["a job by number", BROWSED, undefined, "/g/p/-/jobs/5/artifacts/"],
    ["the API's job", { ...BROWSED, channel: "api" }, undefined, "/api/v4/projects/g%2Fp/jobs/5/artifacts/"],
    [
      "a job by name",
      { ...BROWSED, job: { kind: "latest", ref: "a/b;c,d", job: "j" } },
      undefined,
      "/g/p/-/jobs/artifacts/a/b%3Bc%2Cd/",
    ],
    [
      "the API's job by name",
      { ...BROWSED, channel: "api", job: { kind: "latest", ref: "a/b", job: "j" } },
      undefined,
      "/api/v4/projects/g%2Fp/jobs/artifacts/a%2Fb/",
    ],
    ["an object", OBJECT, undefined, "/bucket/a.zip!/"],
    ["an object of the host's bucket", OBJECT, "bucket", "/a.zip!/"],
    [
      "an object of another name",
      { ...OBJECT, key: "a; b, c.zip" },
      undefined,
      "/bucket/a%3B%20b%2C%20c.zip!/",
    ],
  ])("filesSource() does name what the files of %s are below", (_case, target, hostBucket, path) => {
    expect(filesSource("site.example:8443", target, hostBucket)).toBe(`site.example:8443${path}`);
  });

  it("filesSource() does stay one source of a policy, and cover each file of a page that is linked to", () => {
    fc.assert(
      fc.property(anyKey, anyPath, anyJob, (text, path, job) => {
        const key = `${text}.zip`;
        const made: readonly [string, string][] = [
          [
            filesSource("", { ...OBJECT, key }, undefined),
            objectUrls({ ...OBJECT, key }, undefined).urls.file(path),
          ],
          [
            filesSource("", { ...BROWSED, job }, undefined),
            artifactUrls({ ...BROWSED, job }).urls.file(path),
          ],
        ];
        for (const [source, file] of made) {
          expect(source).toMatch(/^[^\s;,]*\/$/);
          if (!file.includes("?zip="))
            expect(decodeURIComponent(file).startsWith(decodeURIComponent(source))).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});
