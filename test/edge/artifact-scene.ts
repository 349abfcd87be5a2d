import { randomBytes } from "node:crypto";
import { Agent, request, type IncomingHttpHeaders } from "node:http";
import type { GitLabForge } from "../../scripts/demo/demo.ts";
import type { ArtifactStorage } from "../../scripts/demo/artifact-storage.ts";
import type { ArtifactAccess, ArtifactDelivery, Job } from "../../scripts/demo/jobs.ts";
import { writeZip, type EntrySpec, type PlacedEntry } from "../zip/write-zip.ts";
import type { HarnessOptions } from "./harness.ts";
import { quietAfter } from "./quiet-after.ts";
import { SECRET, startScene, type Answer, type Ask, type Scene } from "./scene.ts";

export const HELLO = "demo/hello";
/** The project that not everyone may read. */
export const PRIVATE_PROJECT = SECRET.gitlab;
/** As the API's numbers have them. */
const NUMBERS: Readonly<Record<string, number>> = { [HELLO]: 1, [PRIVATE_PROJECT]: 2 };

export type NewArchive = {
  readonly project?: string;
  readonly storage?: ArtifactDelivery;
  readonly access?: ArtifactAccess;
  readonly ref?: string;
  readonly name?: string;
  readonly lastModified?: number;
};

/** A job with its archive, and where the edge has it. */
export type Built = {
  readonly job: Job;
  readonly bytes: Buffer;
  readonly placed: readonly PlacedEntry[];
  readonly web: Door;
  readonly api: Door;
};

/** Paths of one door to the artifacts of a job; what is given is written into the path as it is. */
export type Door = {
  readonly archive: string;
  entry(path: string): string;
  /** Of all, or of a subtree. */
  made(format: "tar" | "zip", path?: string): string;
  /** A page on the web, JSON in the API; `query` without the question mark. */
  list(path?: string, query?: string): string;
};

export type ArtifactScene = Scene & {
  readonly gitlab: GitLabForge;
  readonly storage: ArtifactStorage;
  /** Writes an archive and adds a job that left it. */
  build(entries: readonly EntrySpec[] | Uint8Array, more?: NewArchive): Built;
  /** Asks the edge, or the forge itself. */
  get(path: string, asking?: Asking): Promise<Answer>;
  /** What the forge and its storage were asked while something was done. */
  counted<T>(act: () => Promise<T>): Promise<{ readonly result: T; readonly requests: number }>;
  metrics(): Promise<string>;
};

export type Asking = Ask & { readonly direct?: boolean };

const agent = new Agent({ keepAlive: true });

/** The sample jobs are there as well, but a test has its own: nothing is known of those. */
export async function startArtifactScene(options: HarnessOptions = {}): Promise<ArtifactScene> {
  const scene = await startScene({ bigFileBytes: 10_000, ...options });
  const { harness } = scene;
  const { gitlab, storage } = harness.demo;
  const requests = () => gitlab.counts().total + storage.counts().total;

  const settle = async () => await quietAfter({ stepMs: 6, questions: requests });

  return {
    ...scene,
    settle,
    gitlab,
    storage,
    build(entries, more = {}) {
      const { project = HELLO, storage: delivery = "local", ref = "main", ...rest } = more;
      const zip = entries instanceof Uint8Array ? { bytes: entries, placed: [] } : writeZip(entries);
      const name = more.name ?? scene.name("job");
      const job = gitlab.jobs.addJob({ ...rest, project, ref, name, archive: zip.bytes, storage: delivery });
      return { job, bytes: Buffer.from(zip.bytes), placed: zip.placed, web: webDoor(job), api: apiDoor(job) };
    },
    get: async (path, { direct = false, ...asking } = {}) =>
      await askExactly(direct ? gitlab.url : harness.gitlab, path, asking),
    async counted(act) {
      await settle();
      const before = requests();
      const result = await act();
      await settle();
      return { result, requests: requests() - before };
    },
    async metrics() {
      const headers = { authorization: `Bearer ${harness.controlToken}` };
      const { body } = await askExactly(harness.gitlab, "/-/forgefront/metrics", { headers });
      return body.toString();
    },
    async fresh() {
      storage.intercept = undefined;
      gitlab.storageExpiresS = 600;
      await scene.fresh();
      storage.resetCounts();
    },
  };
}

/** The same as `ask()`, but the path is sent as it is: a URL parser would take dot segments away. */
export function askExactly(
  origin: string,
  path: string,
  { method = "GET", headers = {}, onPiece, signal }: Ask = {},
): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const options = { hostname, port, path, method, headers, agent, ...(signal && { signal }) };
    const sent = request(options, (response) => {
      void (async () => {
        const pieces: Buffer[] = [];
        let length = 0;
        try {
          for await (const piece of response as AsyncIterable<Buffer>) {
            pieces.push(piece);
            length += piece.length;
            await onPiece?.(length);
          }
        } catch {
          // `complete` tells
        }
        const { statusCode: status = 0, headers: got, complete: whole } = response;
        resolve({ status, headers: got, body: Buffer.concat(pieces), whole, caches: cachesOf(got) });
      })();
    });
    sent.on("error", () =>
      resolve({ status: 0, headers: {}, body: Buffer.alloc(0), whole: false, caches: {} }),
    );
    sent.end();
  });
}

function cachesOf(headers: IncomingHttpHeaders): Record<string, string> {
  const members = String(headers["cache-status"] ?? "").split(/, (?=forgefront)/);
  return Object.fromEntries(members.map((member) => [/^forgefront-?(\w*)/.exec(member)?.[1] ?? "", member]));
}

function webDoor({ project, id }: Job): Door {
  const base = `/${project}/-/jobs/${id}/artifacts`;
  return {
    archive: `${base}/download`,
    entry: (path) => `${base}/raw/${path}`,
    made: (format, path) => `${base}/download?format=${format}${path === undefined ? "" : `&path=${path}`}`,
    list: (path = "", query = "") => `${base}/browse/${path}${query === "" ? "" : `?${query}`}`,
  };
}

function apiDoor({ project, id }: Job): Door {
  const base = `/api/v4/projects/${NUMBERS[project]}/jobs/${id}/artifacts`;
  return {
    archive: base,
    entry: (path) => `${base}/${path}`,
    made: (format, path) => `${base}?format=${format}${path === undefined ? "" : `&path=${path}`}`,
    list: (path = "", query = "") => `${base}/tree?path=${path}${query === "" ? "" : `&${query}`}`,
  };
}

/** The same of whatever job of a name is the latest of a ref; a listing only the web has. */
export function latestDoors({ project, ref, name }: Job): {
  readonly web: Door;
  readonly api: Omit<Door, "list">;
} {
  const web = `/${project}/-/jobs/artifacts/${ref}`;
  const api = `/api/v4/projects/${NUMBERS[project]}/jobs/artifacts/${encodeURIComponent(ref)}`;
  const job = `job=${name}`;
  const made = (base: string) => (format: "tar" | "zip", path?: string) =>
    `${base}/download?${job}&format=${format}${path === undefined ? "" : `&path=${path}`}`;
  return {
    web: {
      archive: `${web}/download?${job}`,
      entry: (path) => `${web}/raw/${path}?${job}`,
      made: made(web),
      list: (path = "", query = "") => `${web}/browse/${path}?${job}${query === "" ? "" : `&${query}`}`,
    },
    api: { archive: `${api}/download?${job}`, entry: (path) => `${api}/raw/${path}?${job}`, made: made(api) },
  };
}

/** Text that deflate makes a good deal smaller, and no two alike. */
export function text(bytes: number, seed = randomBytes(6).toString("hex")): Buffer {
  const lines: string[] = [];
  for (let length = 0, line = 0; length < bytes; line++) {
    const next = `${seed} line ${line} ${(line * 7919) % 10_007}\n`;
    lines.push(next);
    length += next.length;
  }
  return Buffer.from(lines.join("")).subarray(0, bytes);
}

/** The name at the end of a problem's type; of an S3 error its code. */
export function problemOf({ body, headers }: Answer): string {
  if (headers["content-type"] !== "application/problem+json")
    return `no problem but ${headers["content-type"]}`;
  const { type } = JSON.parse(body.toString()) as { type: string };
  return type.replace("urn:forgefront:problem:", "");
}
