import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { route } from "../../src/core/route.ts";
import { routeGitlab } from "../../src/core/route-gitlab.ts";
import {
  type ArtifactTarget,
  type Channel,
  type Inside,
  type JobName,
  PASS,
  type Route,
} from "../../src/core/target.ts";

const BAD_PATH: Route = { kind: "refused", problem: "bad_path" };
const MALFORMED: Route = { kind: "refused", problem: "parameter_malformed" };
const BY_ID: JobName = { kind: "id", id: "5" };
const MAIN: JobName = { kind: "latest", ref: "main", job: "j" };
const TREE: Inside = { kind: "tree", path: "", isRecursive: false, page: 1, perPage: 20 };

function entry(path: string, disposition: "inline" | "attachment" = "inline"): Inside {
  return { kind: "entry", path, disposition, gzip: false };
}

function browse(path: string, page = 1): Inside {
  return { kind: "browse", path, page };
}

type Given = Partial<Omit<ArtifactTarget, "lane" | "channel">>;

function targetOf(channel: Channel, given: Given): Route {
  const plain = {
    project: channel === "web" ? "g/p" : "1",
    job: BY_ID,
    fileType: undefined,
    inside: undefined,
  };
  return { kind: "target", target: { lane: "artifact", channel, ...plain, ...given } };
}

describe("the API's form", () => {
  const project = "/api/v4/projects/1";
  const artifacts = `${project}/jobs/5/artifacts`;

  it.each<[string, string, Given]>([
    [artifacts, "", {}],
    ["/api/v4/projects/g%2Fh%2fp/jobs/5/artifacts", "", { project: "g/h/p" }],
    [`${project}/jobs/999999999999999/artifacts`, "", { job: { kind: "id", id: "9".repeat(15) } }],
    [artifacts, "?private_token=s&job_token=t&utm_source=x&page=x&job=k", {}],
    [artifacts, "?path=../a", {}],
    [artifacts, "?format=tar", { inside: { kind: "tar", path: "" } }],
    [artifacts, "?format=zip&path=a/b/", { inside: { kind: "zip", path: "a/b" } }],
    [artifacts, "?format=tar&path=a%2Fb%20c%2Bd+e", { inside: { kind: "tar", path: "a/b c+d e" } }],
    [`${artifacts}/a`, "", { inside: entry("a") }],
    [`${artifacts}/a/b.txt`, "?x=1", { inside: entry("a/b.txt") }],
    [`${artifacts}/a%2Fb.txt`, "", { inside: entry("a/b.txt") }],
    [`${artifacts}/a%252Fb`, "", { inside: entry("a%2Fb") }],
    [`${artifacts}/%C3%A9%20+;=`, "", { inside: entry("é +;=") }],
    [`${artifacts}/a`, "?inline=false&format=tar", { inside: entry("a") }],
    [`${artifacts}/keep`, "", { inside: entry("keep") }],
    [`${artifacts}/download`, "", { inside: entry("download") }],
    [`${artifacts}/raw/a`, "", { inside: entry("raw/a") }],
    [`${artifacts}/tree/a`, "", { inside: entry("tree/a") }],
    [`${artifacts}/tree%2Fa`, "", { inside: entry("tree/a") }],
    [`${artifacts}/tree`, "", { inside: TREE }],
    [`${artifacts}/tre%65`, "", { inside: TREE }],
    [
      `${artifacts}/tree`,
      "?path=a%2Fb&recursive=true&page=2&per_page=100",
      { inside: { kind: "tree", path: "a/b", isRecursive: true, page: 2, perPage: 100 } },
    ],
    [`${artifacts}/tree`, "?pagination=keyset&path=", { inside: TREE }],
    [`${project}/jobs/artifacts/main/download`, "?job=j", { job: MAIN }],
    [
      `${project}/jobs/artifacts/feature%2Fx/download`,
      "?job=build+%26+test",
      { job: { kind: "latest", ref: "feature/x", job: "build & test" } },
    ],
    [
      `${project}/jobs/artifacts/main/download`,
      "?job=j&format=zip",
      { job: MAIN, inside: { kind: "zip", path: "" } },
    ],
    [`${project}/jobs/artifacts/main/raw/a/b`, "?job=j", { job: MAIN, inside: entry("a/b") }],
    [`${project}/jobs/artifacts/main/raw/a%2Fb`, "?job=j", { job: MAIN, inside: entry("a/b") }],
    [
      `${project}/jobs/artifacts/artifacts/raw/a`,
      "?job=j",
      { job: { kind: "latest", ref: "artifacts", job: "j" }, inside: entry("a") },
    ],
    [
      `${project}/jobs/artifacts/a%2Fraw%2Fb/raw/c`,
      "?job=j",
      { job: { kind: "latest", ref: "a/raw/b", job: "j" }, inside: entry("c") },
    ],
  ])("routeGitlab() does read %s%s", (pathname, search, given) => {
    expect(routeGitlab(pathname, search)).toEqual(targetOf("api", given));
  });

  it.each<[string, string]>([
    [`${project}/jobs`, ""],
    [`${project}/jobs/5`, ""],
    [`${project}/jobs/5/trace`, ""],
    [`${project}/jobs/5/play`, ""],
    [`${project}/jobs/5/artifacts.zip`, ""],
    [`${project}/jobs/5/artifact`, ""],
    [`${artifacts}/`, ""],
    [`${artifacts}/tree/`, ""],
    [`${artifacts}/a/`, ""],
    [`${artifacts}//a`, ""],
    [`${artifacts}/%2Fa`, ""],
    [`${artifacts}/a%2F`, ""],
    [`${artifacts}/a%2F%2Fb`, ""],
    [`${artifacts}/a%5Cb`, ""],
    [`${artifacts}/%ff`, ""],
    [artifacts, "?format=rar"],
    [artifacts, "?format="],
    [artifacts, "?format=TAR"],
    [artifacts, "?format=json"],
    [`${project}/jobs/0/artifacts`, ""],
    [`${project}/jobs/05/artifacts`, ""],
    [`${project}/jobs/5x/artifacts`, ""],
    [`${project}/jobs/-5/artifacts`, ""],
    [`${project}/jobs/${"9".repeat(16)}/artifacts`, ""],
    [`${project}/artifacts`, ""],
    [`${project}/pipelines/5/jobs/1/artifacts`, ""],
    [`${project}/x/jobs/5/artifacts`, ""],
    ["/api/v4/projects/p/jobs/5/artifacts", ""],
    ["/api/v4/projects/g/p/jobs/5/artifacts", ""],
    ["/api/v4/projects/0/jobs/5/artifacts", ""],
    ["/api/v4/projects/%2Fp/jobs/5/artifacts", ""],
    ["/api/v3/projects/1/jobs/5/artifacts", ""],
    ["/api/v4/jobs/5/artifacts", ""],
    ["/API/v4/projects/1/jobs/5/artifacts", ""],
    [`${project}/jobs/artifacts`, "?job=j"],
    [`${project}/jobs/artifacts/main`, "?job=j"],
    [`${project}/jobs/artifacts/main/download`, ""],
    [`${project}/jobs/artifacts/main/download`, "?job="],
    [`${project}/jobs/artifacts/main/download`, "?job=j&job=k"],
    [`${project}/jobs/artifacts/main/download`, "?job=j&job%5B%5D=k&job=j"],
    [`${project}/jobs/artifacts/main/download/a`, "?job=j"],
    [`${project}/jobs/artifacts/main/download`, "?job=j&format=x"],
    [`${project}/jobs/artifacts/main/raw`, "?job=j"],
    [`${project}/jobs/artifacts/main/raw/a`, ""],
    [`${project}/jobs/artifacts/main/browse/a`, "?job=j"],
    [`${project}/jobs/artifacts/main/file/a`, "?job=j"],
    [`${project}/jobs/artifacts/main/keep`, "?job=j"],
    // A ref may have slashes that are not encoded (`ref_name: /.+/`); where it ends only the origin knows
    [`${project}/jobs/artifacts/feature/x/download`, "?job=j"],
    [`${project}/jobs/artifacts/feature/x/raw/a`, "?job=j"],
    [`${project}/jobs/artifacts/main/raw/a/raw/b`, "?job=j"],
    [`${project}/jobs/artifacts/main/raw/a/download`, "?job=j"],
    // Another job may be meant then
    [`${project}/jobs/artifacts/main/download`, "?job=j&search_recent_successful_pipelines=true"],
    [`${project}/jobs/artifacts/main/raw/a`, "?search_recent_successful_pipelines=1&job=j"],
    [`${project}/jobs/artifacts/main/raw/a`, "?search_recent_successful_pipelines&job=j"],
  ])("routeGitlab() does leave %s%s to the origin", (pathname, search) => {
    expect(routeGitlab(pathname, search)).toEqual(PASS);
  });

  it.each<[string, string]>([
    [artifacts, "?format=tar&format=zip"],
    [artifacts, "?format=tar&format=tar"],
    [artifacts, "?format=tar&path=a&path=a"],
    [artifacts, "?format=tar&path=../a"],
    [artifacts, "?format=zip&path=/a"],
    [artifacts, "?format=zip&path=a%5Cb"],
    [artifacts, "?format=zip&path=a%00"],
    [`${artifacts}/tree`, "?path=a/../b"],
    [`${artifacts}/tree`, "?page=x"],
    [`${artifacts}/tree`, "?page=1&page=2"],
    [`${artifacts}/tree`, "?per_page=-1"],
    [`${artifacts}/tree`, "?recursive=maybe"],
    [`${artifacts}/tree`, "?recursive=true&recursive=false"],
    [`${project}/jobs/artifacts/main/download`, "?job=j&format=tar&path=.."],
  ])("routeGitlab() does refuse the parameters of %s%s", (pathname, search) => {
    expect(routeGitlab(pathname, search)).toEqual(MALFORMED);
  });
});

describe("the web's form", () => {
  const jobs = "/g/p/-/jobs";
  const artifacts = `${jobs}/5/artifacts`;

  it.each<[string, string, Given]>([
    [`${artifacts}/download`, "", {}],
    ["/g/h/i/p/-/jobs/5/artifacts/download", "", { project: "g/h/i/p" }],
    ["/g/jobs/-/jobs/5/artifacts/download", "", { project: "g/jobs" }],
    [`${artifacts}/download`, "?file_type=archive", {}],
    [`${artifacts}/download`, "?file_type=junit", { fileType: "junit" }],
    [`${artifacts}/download`, "?file_type=trace&format=tar", { fileType: "trace" }],
    [`${artifacts}/download`, "?job=j&utm_source=x&page=x", {}],
    [`${artifacts}/download`, "?format=zip&path=a/b", { inside: { kind: "zip", path: "a/b" } }],
    [`${artifacts}/download`, "?format=tar&file_type=archive", { inside: { kind: "tar", path: "" } }],
    [`${artifacts}/browse`, "", { inside: browse("") }],
    [`${artifacts}/browse/`, "", { inside: browse("") }],
    [`${artifacts}/browse/a/b`, "", { inside: browse("a/b") }],
    [`${artifacts}/browse/a/b/`, "?page=3", { inside: browse("a/b", 3) }],
    [`${artifacts}/browse/browse/file`, "", { inside: browse("browse/file") }],
    [`${artifacts}/browse`, "?format=tar", { inside: browse("") }],
    [`${artifacts}/file/a/b.txt`, "", { inside: entry("a/b.txt") }],
    [`${artifacts}/raw/a/b.txt`, "", { inside: entry("a/b.txt") }],
    [`${artifacts}/raw/a`, "?inline=false", { inside: entry("a", "attachment") }],
    [`${artifacts}/file/a`, "?inline=false", { inside: entry("a", "attachment") }],
    [`${artifacts}/raw/a`, "?inline=true", { inside: entry("a") }],
    [`${artifacts}/raw/raw/file/download/browse`, "", { inside: entry("raw/file/download/browse") }],
    [`${artifacts}/r%61w/a%20b%2525`, "", { inside: entry("a b%25") }],
    [`${artifacts}/file/-/jobs/1/artifacts`, "", { inside: entry("-/jobs/1/artifacts") }],
    [`${jobs}/artifacts/main/download`, "?job=j", { job: MAIN }],
    [`${jobs}/artifacts/main/download`, "?job=j&file_type=junit", { job: MAIN, fileType: "junit" }],
    [
      `${jobs}/artifacts/feature/a/b/download`,
      "?job=a%20b",
      { job: { kind: "latest", ref: "feature/a/b", job: "a b" } },
    ],
    [
      `${jobs}/artifacts/feature/x/browse/a/b/`,
      "?job=j&page=2",
      { job: { kind: "latest", ref: "feature/x", job: "j" }, inside: browse("a/b", 2) },
    ],
    [`${jobs}/artifacts/main/browse`, "?job=j", { job: MAIN, inside: browse("") }],
    [`${jobs}/artifacts/main/file/a/b`, "?job=j", { job: MAIN, inside: entry("a/b") }],
    [
      `${jobs}/artifacts/main/raw/a/b`,
      "?job=j&inline=false",
      { job: MAIN, inside: entry("a/b", "attachment") },
    ],
    [`${jobs}/artifacts/raw/raw/a`, "?job=j", { job: { ...MAIN, ref: "raw" }, inside: entry("a") }],
    [`${jobs}/artifacts/download/download`, "?job=j", { job: { ...MAIN, ref: "download" } }],
  ])("routeGitlab() does read %s%s", (pathname, search, given) => {
    expect(routeGitlab(pathname, search)).toEqual(targetOf("web", given));
  });

  it.each<[string, string]>([
    [jobs, ""],
    [`${jobs}/`, ""],
    [`${jobs}/5`, ""],
    [`${jobs}/5/`, ""],
    [`${jobs}/5.json`, ""],
    [`${jobs}/1/raw`, ""],
    [`${jobs}/5/trace.json`, ""],
    [`${jobs}/5/raw/a`, ""],
    [`${jobs}/5/terminal`, ""],
    [`${jobs}/5/artifacts`, ""],
    [`${jobs}/5/artifacts/`, ""],
    [`${artifacts}/keep`, ""],
    [`${artifacts}/external_file/a`, ""],
    [`${artifacts}/downloads`, ""],
    [`${artifacts}/download/a`, ""],
    [`${artifacts}/download/`, ""],
    [`${artifacts}/file/a/`, ""],
    [`${artifacts}/raw/a/`, "?inline=false"],
    [`${artifacts}/file/browse/a/`, ""],
    ["/browse/p/-/jobs/5/artifacts/raw/a/", ""],
    [`${artifacts}/DOWNLOAD`, ""],
    [`${artifacts}/file`, ""],
    [`${artifacts}/file/`, ""],
    [`${artifacts}/raw`, ""],
    [`${artifacts}/raw//a`, ""],
    [`${artifacts}/raw/a//`, ""],
    [`${artifacts}/raw/a%2Fb`, ""],
    [`${artifacts}/raw/a%5cb`, ""],
    [`${artifacts}/raw/%ff`, ""],
    [`${artifacts}/download`, "?format=rar"],
    [`${artifacts}/download`, "?file_type=junit&file_type=archive"],
    [`${artifacts}/download`, "?job=j&job=k"],
    [`${artifacts}/raw/a`, "?inline=false&inline=true"],
    [`${artifacts}/browse`, "?page=1&page=2"],
    [`${jobs}/05/artifacts/download`, ""],
    [`${jobs}/0/artifacts/download`, ""],
    [`${jobs}/x/artifacts/download`, ""],
    ["/p/-/jobs/5/artifacts/download", ""],
    ["/-/jobs/5/artifacts/download", ""],
    ["/groups/p/-/jobs/5/artifacts/download", ""],
    ["/admin/p/-/jobs/5/artifacts/download", ""],
    ["/g/p/jobs/5/artifacts/download", ""],
    ["/g/p/-/j%6Fbs/5/artifacts/raw/a", ""],
    ["/g/p/%2d/jobs/5/artifacts/raw/a", ""],
    ["/g/p/-/pipelines/-/jobs/5/artifacts/download", ""],
    ["/g/p/-/builds/5/artifacts/file/-/jobs/5", ""],
    ["/g/p/-/raw/main/-/jobs/5/artifacts/raw/a", ""],
    ["/g/p/-/blob/main/-/jobs/5/artifacts/raw/a", ""],
    [`${jobs}/artifacts`, "?job=j"],
    [`${jobs}/artifacts/main`, "?job=j"],
    [`${jobs}/artifacts/download`, "?job=j"],
    [`${jobs}/artifacts/main/download`, ""],
    [`${jobs}/artifacts/main/download`, "?job="],
    [`${jobs}/artifacts/main/raw`, "?job=j"],
    [`${jobs}/artifacts/main/file/`, "?job=j"],
    [`${jobs}/artifacts/main/file/a/`, "?job=j"],
    [`${jobs}/artifacts/main/keep`, "?job=j"],
    [`${jobs}/artifacts/feature%2Fx/download`, "?job=j"],
    // Where such a ref ends only the origin knows
    [`${jobs}/artifacts/a/raw/b/raw/c`, "?job=j"],
    [`${jobs}/artifacts/a/file/b/download`, "?job=j"],
    [`${jobs}/artifacts/a/browse/raw`, "?job=j"],
    [`${jobs}/artifacts/a/download/raw/b`, "?job=j"],
    [`${jobs}/artifacts/a/download/download`, "?job=j"],
  ])("routeGitlab() does leave %s%s to the origin", (pathname, search) => {
    expect(routeGitlab(pathname, search)).toEqual(PASS);
  });

  it.each<[string, string]>([
    [`${artifacts}/download`, "?format=tar&format=tar"],
    [`${artifacts}/download`, "?format=zip&path=../a"],
    [`${artifacts}/download`, "?format=zip&path=a&path=b"],
    [`${artifacts}/browse`, "?page=first"],
    [`${jobs}/artifacts/main/browse/a`, "?job=j&page=-1"],
  ])("routeGitlab() does refuse the parameters of %s%s", (pathname, search) => {
    expect(routeGitlab(pathname, search)).toEqual(MALFORMED);
  });
});

const FORMS: readonly ((token: string) => string)[] = [
  (token) => `/api/v4/projects/${token}/jobs/5/artifacts`,
  (token) => `/api/v4/projects/1/jobs/${token}/artifacts`,
  (token) => `/api/v4/projects/1/jobs/5/artifacts/${token}`,
  (token) => `/api/v4/projects/1/jobs/5/artifacts/a/${token}/b`,
  (token) => `/api/v4/projects/1/jobs/artifacts/${token}/download`,
  (token) => `/api/v4/projects/1/jobs/artifacts/main/raw/${token}`,
  (token) => `/g/${token}/-/jobs/5/artifacts/download`,
  (token) => `/g/p/-/jobs/${token}/artifacts/download`,
  (token) => `/g/p/-/jobs/5/artifacts/browse/${token}/a`,
  (token) => `/g/p/-/jobs/5/artifacts/file/${token}`,
  (token) => `/g/p/-/jobs/5/artifacts/raw/a/${token}/b`,
  (token) => `/g/p/-/jobs/artifacts/${token}/raw/a`,
  (token) => `/g/p/-/jobs/artifacts/main/raw/${token}/a`,
];

describe("hostile paths", () => {
  it.each(
    ["..", ".", "%2e%2e", "%2E.", "a%2F..%2Fb", "..%2f..%2fetc", "a%5C..%5Cb", "%00", "a%0d%0ab", "%7f"].map(
      (token) => [token],
    ),
  )("routeGitlab() does refuse %s wherever it stands", (token) => {
    for (const form of FORMS)
      expect([form(token), routeGitlab(form(token), "?job=j")]).toEqual([form(token), BAD_PATH]);
  });

  it.each(
    ["%5c", "a%5Cb", "a\\b", "%ff", "%c0%ae%c0%ae", "%", "%2F", "a%2F%2Fb", "%2Fa"].map((token) => [token]),
  )("routeGitlab() does look nothing up for %j wherever it stands", (token) => {
    for (const form of FORMS)
      expect([form(token), routeGitlab(form(token), "?job=j")]).toEqual([form(token), PASS]);
  });
});

describe("other methods", () => {
  it.each(["POST", "PUT", "DELETE", "OPTIONS", "get"])("route() does leave %s to the origin", (method) => {
    for (const path of [
      "/api/v4/projects/1/jobs/5/artifacts",
      "/api/v4/projects/1/jobs/5/artifacts/keep",
      "/g/p/-/jobs/5/artifacts/keep",
      "/g/p/-/jobs/5/artifacts/download",
    ]) {
      const asked = {
        method,
        path,
        search: "",
        bucket: undefined,
        corsOrigin: undefined,
        scheme: "https:" as const,
      };
      expect(route("gitlab", asked, 4096)).toEqual(PASS);
    }
  });
});

describe("any path", () => {
  const token = fc.constantFrom(
    ..."a main raw file browse download tree - jobs 5 artifacts . .. %2e %2F %5c %00 %41 %252e é ;".split(
      " ",
    ),
    "",
  );
  const segment = fc.array(token, { minLength: 1, maxLength: 2 }).map((tokens) => tokens.join(""));
  const tail = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => segments.join("/"));
  const pathname = fc.oneof(
    tail.map((text) => `/g/p/-/jobs/${text}`),
    tail.map((text) => `/g/p/-/jobs/5/artifacts/${text}`),
    tail.map((text) => `/g/p/-/jobs/artifacts/main/${text}`),
    tail.map((text) => `/api/v4/projects/g%2Fp/jobs/5/artifacts/${text}`),
    tail.map((text) => `/api/v4/projects/1/jobs/artifacts/${text}`),
  );
  const search = fc.constantFrom("", "?job=j", "?job=j&format=tar&path=a", "?page=2");

  /** Whatever is put together from a target's names is a path that means the same to everybody. */
  const ODD = /[\u0000-\u001f\\]|(?:^|\/)(?:\.{1,2})?(?:\/|$)/u; // oxlint-disable-line no-control-regex -- they are looked for

  it("routeGitlab() does read nothing out of it but names that have one meaning", () => {
    let targets = 0;
    fc.assert(
      fc.property(pathname, search, (path, query) => {
        const answer = routeGitlab(path, query);
        if (answer.kind !== "target" || answer.target.lane !== "artifact") return;
        const { project, job, inside } = answer.target;
        targets += 1;
        const names = [project, job.kind === "id" ? job.id : job.ref, inside?.path ?? ""];
        for (const name of names.filter((each) => each !== "")) expect(name).not.toMatch(ODD);
        if (inside?.kind === "entry") expect(inside.path).not.toBe("");
        const decoded = decodeURIComponent(path).replace(/\/$/, "");
        expect(decoded.includes(job.kind === "id" ? `/${job.id}/` : `/${job.ref}/`)).toBe(true);
        if (inside?.kind === "entry" || inside?.kind === "browse")
          expect(decoded.endsWith(inside.path)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
    expect(targets).toBeGreaterThan(100);
  });
});
