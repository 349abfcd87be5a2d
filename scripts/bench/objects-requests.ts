import { open } from "node:fs/promises";
import type { Sign } from "./objects-signing.ts";

type Plan = {
  readonly sign: Sign;
  /** Host and port as the client writes them, for which every request is signed. */
  readonly host: string;
  /** Read in turn. */
  readonly paths: readonly string[];
  readonly count: number;
};

/** How many requests are in memory at once. */
const BATCH = 1000;

/** Requests as they go on the wire, each with a signature of its own. */
export function* signedRequests({ sign, host, paths, count }: Plan): Generator<string, void> {
  for (let index = 0; index < count; index++) {
    const path = paths[index % paths.length];
    if (path === undefined) throw new RangeError("There is no path to ask for");
    yield requestText(host, path, sign({ method: "GET", host, path }));
  }
}

function requestText(host: string, path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

/** Writes them to a file, one behind the other. */
export async function writeRequests(file: string, plan: Plan): Promise<void> {
  const handle = await open(file, "w");
  try {
    let batch: string[] = [];
    for (const request of signedRequests(plan)) {
      if (batch.push(request) < BATCH) continue;
      await handle.write(batch.join(""));
      batch = [];
    }
    await handle.write(batch.join(""));
  } finally {
    await handle.close();
  }
}
