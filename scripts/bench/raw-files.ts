import { createHash } from "node:crypto";
import { get } from "node:http";
import { pipeline } from "node:stream/promises";

/** A file of the demo's private project, and who may read it. */
export const SECRET = {
  project: "demo/nested/secret",
  path: "/demo/nested/secret/-/raw/main/config/private.txt",
  /** The cheapest question about the project that the origin has an answer to: it runs no git for it. */
  authPath: "/api/v4/projects/2",
  headers: { "PRIVATE-TOKEN": "glpat-reader" },
  strangersHeaders: { "PRIVATE-TOKEN": "glpat-nobody" },
} as const;

export const BIG_PATH = "/demo/hello/-/raw/main/big/blob.bin";

const MOST_MS = 60_000;

/** The text of a file, which must come with 200. */
export async function readText(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const response = await fetch(url, { headers, redirect: "manual", signal: bounded(signal) });
  const text = await response.text();
  if (response.status !== 200)
    throw new Error(`${url} was answered with ${response.status}: ${text.slice(0, 200)}`);
  return text;
}

/** Makes sure that a server keeps a private file from strangers, or a figure of it would say nothing. */
export async function expectRefusal(url: string, signal: AbortSignal): Promise<void> {
  const headers = SECRET.strangersHeaders;
  const response = await fetch(url, { headers, redirect: "manual", signal: bounded(signal) });
  await response.body?.cancel();
  if (response.ok) throw new Error(`${url} was given to a stranger`);
}

/** SHA-256 of a whole body, in hex; the body is never held whole. */
export async function digestOf(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal: bounded(signal) });
  if (response.status !== 200 || response.body === null)
    throw new Error(`${url} was answered with ${response.status}`);
  const hash = createHash("sha256");
  await pipeline(response.body, hash);
  return hash.digest("hex");
}

/** Milliseconds from asking for a range to its last byte; it must come with 206 and whole. */
export async function timeRange(
  url: string,
  start: number,
  length: number,
  signal: AbortSignal,
): Promise<number> {
  const began = performance.now();
  await new Promise<void>((resolve, reject) => {
    const headers = { Range: `bytes=${start}-${start + length - 1}` };
    const request = get(url, { headers, signal }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => (bytes += chunk.length));
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode === 206 && bytes === length) resolve();
        else
          reject(new Error(`${url} gave ${response.statusCode} and ${bytes} bytes for a range of ${length}`));
      });
    });
    request.on("error", reject);
  });
  return performance.now() - began;
}

function bounded(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]);
}
