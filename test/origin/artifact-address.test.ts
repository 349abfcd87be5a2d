import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { routeGitlab } from "../../src/core/route-gitlab.ts";
import type { ArtifactTarget, JobName } from "../../src/core/target.ts";
import { artifactUrl, jobOfLocation } from "../../src/origin/artifact-address.ts";
import { ARTIFACT, FORGE } from "./artifact-scene.ts";

const MAIN: JobName = { kind: "latest", ref: "feature/x", job: "a & b" };

describe("artifactUrl()", () => {
  it.each<[string, Partial<ArtifactTarget>]>([
    ["/api/v4/projects/1/jobs/5/artifacts", { project: "1" }],
    ["/api/v4/projects/g%2Fh%2Fp/jobs/5/artifacts", { project: "g/h/p" }],
    ["/api/v4/projects/1/jobs/artifacts/feature%2Fx/download?job=a%20%26%20b", { project: "1", job: MAIN }],
    ["/g/p/-/jobs/5/artifacts/download", { channel: "web" }],
    ["/g/p/-/jobs/5/artifacts/download?file_type=a%26b", { channel: "web", fileType: "a&b" }],
    ["/g/p/-/jobs/artifacts/feature/x/download?job=a%20%26%20b", { channel: "web", job: MAIN }],
    [
      "/g/p/-/jobs/artifacts/feature/x/download?job=a%20%26%20b&file_type=junit",
      { channel: "web", job: MAIN, fileType: "junit" },
    ],
  ])("artifactUrl() does ask for %s", (url, changes) => {
    expect(artifactUrl(FORGE, { ...ARTIFACT, ...changes })).toBe(FORGE + url);
  });

  it("artifactUrl() does ask for the archive, whatever is wanted of it", () => {
    const inside = { kind: "browse", path: "a", page: 2 } as const;
    expect(artifactUrl(FORGE, { ...ARTIFACT, inside })).toBe(artifactUrl(FORGE, ARTIFACT));
  });

  it("artifactUrl() does ask for just what was asked for, in a spelling of its own", () => {
    const text = fc.constantFrom(
      "a",
      "é",
      "a b",
      "a+b",
      "a%2Fb",
      "100%",
      "?",
      "#",
      "&job=x",
      "😀",
      ":[1, 2]",
    );
    const job = fc.oneof<fc.Arbitrary<JobName>[]>(
      fc.record({ kind: fc.constant("id" as const), id: fc.constantFrom("1", "987654321") }),
      fc.record({
        kind: fc.constant("latest" as const),
        ref: fc.array(text, { minLength: 1, maxLength: 3 }).map((names) => names.join("/")),
        job: text,
      }),
    );
    const target = fc.record({
      lane: fc.constant("artifact" as const),
      channel: fc.constantFrom("web" as const, "api" as const),
      project: fc.constantFrom("g/p", "g/h/i/p.x"),
      job,
      fileType: fc.option(text, { nil: undefined }),
      inside: fc.constant(undefined),
    });
    fc.assert(
      fc.property(target, (given) => {
        const asked = given.channel === "api" ? { ...given, fileType: undefined } : given;
        const url = new URL(artifactUrl(FORGE, asked));
        expect(url.href).toBe(artifactUrl(FORGE, asked));
        expect(routeGitlab(url.pathname, url.search)).toEqual({ kind: "target", target: asked });
      }),
      { numRuns: 500 },
    );
  });
});

describe("jobOfLocation()", () => {
  it.each([
    ["/g/p/-/jobs/7/artifacts/download", "7"],
    ["/g/p/-/jobs/7/artifacts/download?job=j&file_type=junit", "7"],
    ["/g/h/p/-/jobs/123456789012345/artifacts/download#a", "123456789012345"],
    ["/gitlab/g/p/-/jobs/7/artifacts/download", "7"],
  ])("jobOfLocation() does read the job of %s", (path, job) => {
    expect(jobOfLocation(new URL(path, FORGE), FORGE)).toBe(job);
    expect(jobOfLocation(new URL(path, FORGE), `${FORGE}/`)).toBe(job);
  });

  it.each([
    ["/users/sign_in"],
    ["/g/p/-/jobs/7"],
    ["/g/p/-/jobs/7/artifacts/browse"],
    ["/g/p/-/jobs/7/artifacts/download/a"],
    ["/g/p/-/jobs/07/artifacts/download"],
    ["/g/p/-/jobs/1234567890123456/artifacts/download"],
    ["/g/p/jobs/7/artifacts/download"],
    ["/users/sign_in?return_to=/g/p/-/jobs/7/artifacts/download"],
    ["https://other.example/g/p/-/jobs/7/artifacts/download"],
    ["http://forge.example/g/p/-/jobs/7/artifacts/download"],
    ["https://forge.example:8443/g/p/-/jobs/7/artifacts/download"],
    ["https://forge.example.evil.example/g/p/-/jobs/7/artifacts/download"],
  ])("jobOfLocation() does read none in %s", (location) => {
    expect(jobOfLocation(new URL(location, FORGE), FORGE)).toBeUndefined();
  });
});
