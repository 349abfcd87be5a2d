import { createHash } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import { basename } from "node:path/posix";
import { pipeline } from "node:stream/promises";
import { sendBlob } from "./blob-response.ts";
import { contentDisposition } from "./content-disposition.ts";
import { headerBytes, sendJson } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { GitLabRoute } from "./gitlab-routes.ts";
import type { GitObject } from "./objects.ts";
import type { Repository } from "./repositories.ts";
import { blobAt, isExecutable, lastChange, resolveRevision } from "./revisions.ts";

const NEVER_STORED = { "Cache-Control": "max-age=0, private, must-revalidate, no-store" };
const BASE64_GROUP_BYTES = 3;

/** GitLab's description of a file, in the order of its JSON. */
interface FileFacts {
  readonly file_name: string;
  readonly file_path: string;
  readonly size: number;
  readonly encoding: "base64";
  readonly content_sha256: string;
  readonly ref: string;
  readonly blob_id: string;
  readonly commit_id: string;
  readonly last_commit_id: string;
  readonly execute_filemode: boolean;
}

/** `repository/files/:path`: its facts as headers (HEAD), as JSON with the content, or beside the raw bytes. */
export async function serveGitLabFile(
  exchange: Exchange,
  repository: Repository,
  route: Extract<GitLabRoute, { kind: "api-file" }>,
): Promise<void> {
  const ref = exchange.address.query.get("ref") ?? "HEAD";
  const commit = await resolveRevision(repository, ref, ["refs/tags/", "refs/heads/"]);
  if (commit === undefined) return sendJson(exchange, 404, { message: "404 Commit Not Found" });
  const blob = await blobAt(repository, commit, route.path);
  if (blob === undefined) return sendJson(exchange, 404, { message: "404 File Not Found" });
  const facts = await readFacts(repository, blob, { ref, commit, path: route.path });
  const headers = { ...NEVER_STORED, ...factHeaders(facts) };
  if (route.raw)
    return sendBlob(exchange, {
      repository,
      blob,
      headers: () => ({ ...headers, ...rawHeaders(facts.file_name) }),
    });
  await sendContentJson(exchange, repository, facts, headers);
}

interface FileAddress {
  readonly ref: string;
  readonly commit: string;
  readonly path: string;
}

async function readFacts(
  repository: Repository,
  blob: GitObject,
  { ref, commit, path }: FileAddress,
): Promise<FileFacts> {
  const [digest, last, executable] = await Promise.all([
    sha256(repository, blob.oid),
    lastChange(repository, commit, path),
    isExecutable(repository, commit, path),
  ]);
  return {
    file_name: basename(path),
    file_path: path,
    size: blob.size,
    encoding: "base64",
    content_sha256: digest,
    ref,
    blob_id: blob.oid,
    commit_id: commit,
    last_commit_id: last.commit,
    execute_filemode: executable,
  };
}

function readBlob(repository: Repository, oid: string): AsyncIterable<Buffer> {
  return repository.git.start(["-C", repository.directory, "cat-file", "blob", oid])
    .stdout as AsyncIterable<Buffer>;
}

async function sha256(repository: Repository, oid: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of readBlob(repository, oid)) hash.update(chunk);
  return hash.digest("hex");
}

function factHeaders(facts: FileFacts): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(facts)) {
    const words = name.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
    headers[`X-Gitlab-${words.join("-")}`] = headerBytes(String(value));
  }
  return headers;
}

function rawHeaders(name: string): OutgoingHttpHeaders {
  return {
    "Content-Type": "text/plain",
    "Content-Disposition": contentDisposition("inline", name),
    "X-Content-Type-Options": "nosniff",
  };
}

/** The facts and the content in one JSON object, written while the blob is read. */
async function sendContentJson(
  exchange: Exchange,
  repository: Repository,
  facts: FileFacts,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const opening = `${JSON.stringify(facts).slice(0, -1)},"content":"`;
  const closing = `"}`;
  const base64Bytes = Math.ceil(facts.size / BASE64_GROUP_BYTES) * 4;
  exchange.head(200, {
    ...headers,
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(opening) + base64Bytes + closing.length,
  });
  if (exchange.request.method === "HEAD") {
    exchange.response.end();
    return;
  }
  await pipeline(async function* () {
    yield opening;
    yield* base64(readBlob(repository, facts.blob_id));
    yield closing;
  }, exchange.response);
}

async function* base64(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % BASE64_GROUP_BYTES);
    yield bytes.toString("base64", 0, whole);
    rest = bytes.subarray(whole);
  }
  yield rest.toString("base64");
}
