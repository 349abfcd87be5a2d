import type { OutgoingHttpHeaders } from "node:http";
import { basename, extname } from "node:path/posix";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { sniffContentType } from "./content-type.ts";
import { headerBytes, PLAIN_TEXT, send } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import { REVALIDATED } from "./gitlab-artifacts.ts";
import type { Artifact } from "./jobs.ts";
import { openZipEntry, readZipDirectory } from "./zip-reader.ts";
import type { ZipEntry } from "./zip-reader.ts";

const SNIFFED_BYTES = 512;
const NO_SNIFFING = { "X-Content-Type-Options": "nosniff" };
const UNKNOWN_TYPE = "application/octet-stream";
/** What Go's `mime.TypeByExtension` has built in. */
const TYPES: ReadonlyMap<string, string> = new Map([
  [".avif", "image/avif"],
  [".css", "text/css; charset=utf-8"],
  [".gif", "image/gif"],
  [".htm", "text/html; charset=utf-8"],
  [".html", "text/html; charset=utf-8"],
  [".jpeg", "image/jpeg"],
  [".jpg", "image/jpeg"],
  [".js", "text/javascript; charset=utf-8"],
  [".json", "application/json"],
  [".mjs", "text/javascript; charset=utf-8"],
  [".pdf", "application/pdf"],
  [".png", "image/png"],
  [".svg", "image/svg+xml"],
  [".txt", PLAIN_TEXT],
  [".wasm", "application/wasm"],
  [".webp", "image/webp"],
  [".xml", "text/xml; charset=utf-8"],
]);

/**
 * One file of an archive as Workhorse sends it: looked up by its whole name in a directory that is read anew, unpacked, with a
 * length but without ranges, validators and anything that a browser would show. Whether its type comes from the name alone or from
 * what is in it depends on the route.
 */
export async function serveArtifactFile(
  exchange: Exchange,
  archive: Artifact,
  path: string,
  typeBy: "name" | "content",
): Promise<void> {
  const entry = (await readZipDirectory(archive.bytes)).find(({ name }) => name === path);
  if (entry === undefined) return fail(exchange, 404, "404 page not found");
  const content = await openZipEntry(archive.bytes, entry);
  if (content === undefined) return fail(exchange, 500, "Internal Server Error");
  const type = TYPES.get(extname(path).toLowerCase()) ?? UNKNOWN_TYPE;
  const headers = (start: Uint8Array): OutgoingHttpHeaders => ({
    ...REVALIDATED,
    ...NO_SNIFFING,
    "Content-Type": typeBy === "name" || start.length === 0 ? type : sniffContentType(start),
    "Content-Disposition": headerBytes(`attachment; filename="${basename(path).replace(/["\\]/g, "\\$&")}"`),
    "Content-Length": entry.size,
  });
  await sendContent(exchange, content, entry, headers);
}

async function sendContent(
  exchange: Exchange,
  content: Readable,
  entry: ZipEntry,
  headers: (start: Uint8Array) => OutgoingHttpHeaders,
): Promise<void> {
  const { request, response, counter } = exchange;
  const chunks = content[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>;
  const start = await readStart(chunks);
  exchange.head(200, headers(start));
  if (request.method === "HEAD") {
    content.destroy();
    response.end();
    return;
  }
  await pipeline(async function* () {
    let missing = entry.size - start.length;
    counter.add("bytes", start.length);
    yield start;
    for await (const chunk of chunks) {
      missing -= chunk.length;
      counter.add("bytes", chunk.length);
      yield chunk;
    }
    if (missing !== 0) throw new Error(`Cannot send ${entry.name}: ${missing} bytes are missing`);
  }, response);
}

async function readStart(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let start = Buffer.alloc(0);
  while (start.length < SNIFFED_BYTES) {
    const next = await chunks.next();
    if (next.done) break;
    start = Buffer.concat([start, next.value]);
  }
  return start;
}

function fail(exchange: Exchange, status: number, message: string): void {
  send(exchange, status, { "Content-Type": PLAIN_TEXT, ...NO_SNIFFING }, `${message}\n`);
}
