import { setTimeout as sleep } from "node:timers/promises";
import type { BenchEdge } from "./bench-edge.ts";
import { readSpeed } from "./curl.ts";
import { peakDuring, residentBytes } from "../measuring/memory.ts";
import { readText, SECRET } from "./raw-files.ts";
import { load } from "./wrk.ts";

/** Resident bytes of one workerd: warmed up and at rest, at most while it filled, and at rest again. */
export type FillMemory = { readonly idle: number; readonly peak: number; readonly after: number };

type Plan = { readonly paths: readonly string[]; readonly bytes: number; readonly signal: AbortSignal };

const WARM_UP = { connections: 8, seconds: 2 };
const REST_MS = 2000;

/** Fills an edge with several large files at once, each read by one client of its own. */
export async function measureFillMemory(
  edge: BenchEdge,
  { paths, bytes, signal }: Plan,
): Promise<FillMemory> {
  const small = edge.url + SECRET.path;
  const { length } = await readText(small, SECRET.headers, signal);
  await load({ ...WARM_UP, url: small, headers: SECRET.headers, bodyBytes: length, signal });
  await sleep(REST_MS, undefined, { signal });
  const idle = await residentBytes(edge.pid);
  const peak = await peakDuring(edge.pid, async () => {
    await Promise.all(paths.map((path) => readSpeed({ url: edge.url + path, bytes, times: 1, signal })));
  });
  await sleep(REST_MS, undefined, { signal });
  return { idle, peak, after: await residentBytes(edge.pid) };
}
