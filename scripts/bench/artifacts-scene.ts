import { readFile } from "node:fs/promises";
import { startDemo, type Demo } from "../demo/demo.ts";
import type { MadeArchive } from "./artifacts-archives.ts";
import { startBenchEdge, type BenchEdge } from "./bench-edge.ts";

/** One archive as the artifacts of a job, and what of it is asked for where. */
export type JobUrls = {
  /** The archive; `?format=tar` makes another form of it. */
  readonly archive: string;
  readonly entry: (name: string) => string;
  readonly tree: string;
  readonly browse: (path: string) => string;
};

/** As the demo's forge sees them. */
type Storage = "local" | "object";

const PROJECT = "demo/hello";
const PROJECT_ID = 1;

/** The demo's forges; no point asks for their big file. */
export async function startOrigin(scope: AsyncDisposableStack): Promise<Demo> {
  return scope.adopt(await startDemo({ bigFileBytes: 1024 }), (started) => started.close());
}

/** An edge with nothing in any cache. */
export async function startEdge(
  scope: AsyncDisposableStack,
  { gitlab }: Demo,
  vars: Readonly<Record<string, number>> = {},
): Promise<BenchEdge> {
  return scope.adopt(await startBenchEdge(gitlab.url, vars), (started) => started.close());
}

/** Adds a job with the archive, of which no edge knows anything: to each of them it is another archive than that of any other job. */
export async function addJob(
  { gitlab }: Demo,
  { path }: Pick<MadeArchive<never>, "path">,
  storage: Storage = "local",
): Promise<number> {
  const archive = storage === "object" ? await readFile(path) : { path };
  return gitlab.jobs.addJob({ project: PROJECT, name: "bench", ref: "main", archive, storage }).id;
}

/** What is asked of a server, be it the edge or the forge itself, about a job's artifacts. */
export function urlsOf(server: string, job: number): JobUrls {
  const api = `${server}/api/v4/projects/${PROJECT_ID}/jobs/${job}/artifacts`;
  const web = `${server}/${PROJECT}/-/jobs/${job}/artifacts`;
  return {
    archive: api,
    entry: (name) => `${api}/${name}`,
    tree: `${api}/tree?recursive=true&per_page=100`,
    browse: (path) => `${web}/browse${path === "" ? "" : `/${path}`}`,
  };
}
