import type { OutgoingHttpHeaders } from "node:http";
import { basename } from "node:path/posix";
import { sendBlob } from "./blob-response.ts";
import { contentDisposition } from "./content-disposition.ts";
import { sniffContentType } from "./content-type.ts";
import { matchesExactly } from "./entity-tags.ts";
import { sendText } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import { giteaRange } from "./gitea-range.ts";
import type { GitObject } from "./objects.ts";
import type { Repository } from "./repositories.ts";
import { blobAt, lastChange } from "./revisions.ts";

const CACHE_SECONDS = 6 * 3600;

export interface GiteaFile {
  readonly repository: Repository;
  readonly commit: string;
  readonly path: string;
  readonly isPublic: boolean;
}

/** Answers with a file's bytes, the whole or one range; false, with nothing sent, where there is no such file. */
export async function sendGiteaFile(exchange: Exchange, file: GiteaFile): Promise<boolean> {
  const { repository, commit, path } = file;
  const blob = await blobAt(repository, commit, path);
  if (blob === undefined) return false;
  const { seconds } = await lastChange(repository, commit, path);
  const validators = {
    ETag: `"${blob.oid}"`,
    "Last-Modified": new Date(seconds * 1000).toUTCString(),
    "Cache-Control": `${file.isPublic ? "public" : "private"}, max-age=${CACHE_SECONDS}, no-transform`,
  };
  if (isNotModified(exchange, validators.ETag, seconds)) {
    exchange.head(304, validators);
    exchange.response.end();
  } else {
    await sendContent(exchange, file, blob, validators);
  }
  return true;
}

/** Either header alone is enough; Gitea does not let `If-None-Match` overrule the date. */
function isNotModified(exchange: Exchange, tag: string, seconds: number): boolean {
  const { headers } = exchange.request;
  if (matchesExactly(headers["if-none-match"], tag)) return true;
  const since = Date.parse(headers["if-modified-since"] ?? "");
  return !Number.isNaN(since) && seconds * 1000 <= since;
}

async function sendContent(
  exchange: Exchange,
  file: GiteaFile,
  blob: GitObject,
  validators: OutgoingHttpHeaders,
): Promise<void> {
  const answer = giteaRange(exchange.request.headers.range, blob.size);
  if (answer.kind === "refused") return sendText(exchange, answer.status, `${answer.message}\n`, validators);
  const range = answer.kind === "part" ? answer.range : undefined;
  const partial = range && {
    "Content-Range": `bytes ${range.start}-${range.end - 1}/${blob.size}`,
  };
  const headers = (start: Uint8Array) => ({
    ...validators,
    ...contentHeaders(start, file.path),
    ...partial,
  });
  await sendBlob(exchange, { repository: file.repository, blob, headers, range });
}

function contentHeaders(start: Uint8Array, path: string): OutgoingHttpHeaders {
  return {
    "Content-Type": sniffContentType(start),
    "Content-Disposition": contentDisposition("inline", basename(path)),
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
  };
}
