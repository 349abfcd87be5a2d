import { describe, expect, it } from "vitest";
import { targetText } from "../../src/core/target-text.ts";
import type { JobName, PipelinesTarget, RawName, Target } from "../../src/core/target.ts";

const OID = "0123456789abcdef0123456789abcdef01234567";

const raw = (name: RawName): Target => ({
  lane: "raw",
  channel: "web",
  project: "group/app",
  name,
  variant: "attachment",
});
const artifact = (job: JobName): Target => ({
  lane: "artifact",
  channel: "api",
  project: "42",
  job,
  fileType: undefined,
  inside: { kind: "browse", path: "dir", page: 2 },
});
const object: Target = {
  lane: "object",
  bucket: "b",
  key: "a//./k <script>",
  versionId: "v1",
  overrides: "response-content-type=text%2Fplain",
  corsOrigin: "https://elsewhere.test",
  inside: undefined,
  literal: undefined,
};
const pipelines: PipelinesTarget = {
  lane: "pipelines",
  project: "group/app",
  resource: { kind: "list" },
  query: "ref=main&username=someone",
  scheme: "https:",
};

describe("targetText()", () => {
  it.each<readonly [string, Target]>([
    ["group/app: main/docs/a.md", raw({ kind: "joined", text: "main/docs/a.md", refs: "any" })],
    ["group/app: main/docs/a.md", raw({ kind: "ref", ref: "main", path: "docs/a.md" })],
    [`group/app: ${OID}/a.md`, raw({ kind: "commit", oid: OID, path: "a.md" })],
    [`group/app: ${OID}`, raw({ kind: "blob", oid: OID })],
    ["/b/a//./k <script>", object],
    ["42: job 7", artifact({ kind: "id", id: "7" })],
    ["42: job build of main", artifact({ kind: "latest", ref: "main", job: "build" })],
    ["group/app: list", pipelines],
    ["group/app: jobs", { ...pipelines, resource: { kind: "jobs", pipeline: "9" } }],
  ])("does say %j", (text, target) => {
    expect(targetText(target)).toBe(text);
  });
});
