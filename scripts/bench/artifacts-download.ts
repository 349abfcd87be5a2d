import { join } from "node:path";
import { runTool } from "./command.ts";

const MOST_S = 300;

type Download = {
  /** Where the archive is read. */
  readonly url: string;
  /** Where it is written. */
  readonly directory: string;
  readonly signal: AbortSignal;
};

/** Downloads an archive to the disk and prints one entry of it to nowhere; tells how long both took. */
export async function downloadAndPrint(download: Download, name: string): Promise<number> {
  const file = join(download.directory, "downloaded.zip");
  return await timed('curl -sSf -o "$1" "$2" && unzip -p "$1" "$3" >/dev/null', download, [
    file,
    download.url,
    name,
  ]);
}

/** Downloads an archive to the disk and unpacks it into a directory that is empty; tells how long both took. */
export async function downloadAndUnpack(download: Download, into: string): Promise<number> {
  const file = join(download.directory, "downloaded.zip");
  const command = 'curl -sSf -o "$1" "$2" && unzip -q "$1" -d "$3" && rm "$1"';
  return await timed(command, download, [file, download.url, into]);
}

/** Unpacks a tar as it comes into a directory that is empty; tells how long it took. */
export async function unpackTar({ url, signal }: Omit<Download, "directory">, into: string): Promise<number> {
  const command = 'set -o pipefail; curl -sSf "$1" | tar -x -C "$2"';
  return await timed(command, { url, signal }, [url, into]);
}

async function timed(
  command: string,
  { signal }: Pick<Download, "url" | "signal">,
  args: readonly string[],
): Promise<number> {
  const began = performance.now();
  await runTool("bash", ["-c", command, "bash", ...args], { signal, seconds: MOST_S });
  return performance.now() - began;
}
