import { join } from "node:path";
import { runTool } from "../measuring/command.ts";

const MOST_S = 300;

type Download = {
  /** Where the archive is read. */
  readonly url: string;
  /** Where it is written. */
  readonly directory: string;
  /** What the client shows of itself. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/** Downloads an archive to the disk and prints one entry of it to nowhere; tells how long both took. */
export async function downloadAndPrint(download: Download, name: string): Promise<number> {
  return await timedDownload(download, 'unzip -p "$2" "$3" >/dev/null', name);
}

/** Downloads an archive to the disk and prints the names in it to nowhere; tells how long both took. */
export async function downloadAndList(download: Download): Promise<number> {
  return await timedDownload(download, 'unzip -Z1 "$2" >/dev/null && rm "$2"');
}

/** Downloads an archive to the disk and unpacks it into a directory that is empty; tells how long both took. */
export async function downloadAndUnpack(download: Download, into: string): Promise<number> {
  return await timedDownload(download, 'unzip -q "$2" -d "$3" && rm "$2"', into);
}

/** Unpacks a tar as it comes into a directory that is empty; tells how long it took. */
export async function unpackTar(download: Omit<Download, "directory">, into: string): Promise<number> {
  const command = 'set -o pipefail; curl -sSf "${@:3}" "$1" | tar -x -C "$2"';
  return await timed(command, download.signal, [download.url, into, ...fieldArgs(download.headers)]);
}

/** What is done then finds the archive in `$2` and what else it was given in `$3`. */
async function timedDownload(download: Download, then: string, given = ""): Promise<number> {
  const { url, directory, headers, signal } = download;
  const file = join(directory, "downloaded.zip");
  const command = `curl -sSf "\${@:4}" -o "$2" "$1" && ${then}`;
  return await timed(command, signal, [url, file, given, ...fieldArgs(headers)]);
}

function fieldArgs(headers: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
}

async function timed(command: string, signal: AbortSignal, args: readonly string[]): Promise<number> {
  const began = performance.now();
  await runTool("bash", ["-c", command, "bash", ...args], { signal, seconds: MOST_S });
  return performance.now() - began;
}
