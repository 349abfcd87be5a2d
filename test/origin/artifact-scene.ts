import type { Entry } from "../../src/core/entry.ts";
import { readPrincipal } from "../../src/core/principal.ts";
import type { MemoryStore } from "../../src/core/store.ts";
import type { ArtifactTarget, JobName } from "../../src/core/target.ts";
import type { ArtifactParts } from "../../src/origin/artifact-parts.ts";
import type { StorageAddress } from "../../src/origin/storage-address.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { CONTENT, MODIFIED, scriptedOrigin, type ScriptedOrigin, type Step } from "./scripted-origin.ts";

export const FORGE = "https://forge.example";

export const ARTIFACT: ArtifactTarget = {
  lane: "artifact",
  channel: "api",
  project: "g/p",
  job: { kind: "id", id: "5" },
  fileType: undefined,
  inside: undefined,
};
export const ARTIFACT_URL = `${FORGE}/api/v4/projects/g%2Fp/jobs/5/artifacts`;

export const LATEST: JobName = { kind: "latest", ref: "main", job: "j" };
export const LATEST_URL = `${FORGE}/g/p/-/jobs/artifacts/main/download?job=j`;

/** An artifact's place in object storage, with a signature that is good for ten minutes. */
export const PLACE = "https://storage.example/artifacts/ab/5/a.zip";
export const SIGNED = `${PLACE}?X-Amz-Date=20130524T000000Z&X-Amz-Expires=600&X-Amz-Signature=s`;
/** What stands for that place in an identity. */
export const PLACED = `:${encodeURIComponent("/artifacts/ab/5/a.zip")}`;

export const TOKEN = readPrincipal("gitlab", (name) => (name === "private-token" ? "glpat-1" : null), "");
export const SESSION = readPrincipal(
  "gitlab",
  (name) => (name === "cookie" ? "_gitlab_session=s1" : null),
  "",
);
export const IN_QUERY = readPrincipal("gitlab", () => null, "?private_token=glpat-1");

const HEADERS = { "content-type": "application/zip", "last-modified": MODIFIED };

/** The artifact, or the part of it from `start` to `end`, as the forge sends it itself. */
export function wholeZip(changes: Step["headers"] = {}): Step {
  return {
    status: 200,
    headers: { ...HEADERS, "content-length": String(CONTENT.length), ...changes },
    body: CONTENT,
  };
}

export function partOfZip(start: number, end: number, changes: Step["headers"] = {}): Step {
  const range = `bytes ${start}-${end - 1}/${CONTENT.length}`;
  const headers = { ...HEADERS, "content-length": String(end - start), "content-range": range, ...changes };
  return { status: 206, headers, body: CONTENT.slice(start, end) };
}

export function sendsTo(location: string, status = 302): Step {
  return { status, headers: { location, "content-type": "text/html" }, body: "<a>" };
}

export type ArtifactScene = ScriptedOrigin & {
  readonly artifacts: ArtifactParts;
  readonly addresses: MemoryStore<StorageAddress>;
};

/** A forge and its storage that answer each question by the next step, and a clock that moves on a second with each. */
export function artifactScene(
  steps: readonly Step[],
  addresses = memoryStore<StorageAddress>(10),
): ArtifactScene {
  const origin = scriptedOrigin(steps);
  const { ask, now } = origin.parts;
  return { ...origin, addresses, artifacts: { origin: FORGE, ask, now, addresses } };
}

/** An entry of which nobody knows whose job's it is. */
export function withoutJob(known: Entry): Entry {
  const { job: _, ...entry } = known;
  return entry;
}
