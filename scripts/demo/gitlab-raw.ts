import { createHash } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import { basename } from "node:path/posix";
import { sendBlob } from "./blob-response.ts";
import { contentDisposition } from "./content-disposition.ts";
import { sniffContentType } from "./content-type.ts";
import { matchesWeakly } from "./entity-tags.ts";
import { sendHtml } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { Gate } from "./gate.ts";
import { webClaims } from "./gitlab-claims.ts";
import { refuseWeb } from "./gitlab-refusals.ts";
import type { GitLabRoute } from "./gitlab-routes.ts";
import { splitLongestRef } from "./ref-path.ts";
import { blobAt, commitOf, isFullCommitId, resolveRevision } from "./revisions.ts";
import type { Repository } from "./repositories.ts";

const BRANCH_OR_TAG_SECONDS = 60;
const COMMIT_SECONDS = 3600;

/** A raw file on the web: validators but no ranges, and a redirect to the sign-in page where GitLab wants to know who asks. */
export async function serveGitLabRaw(
  exchange: Exchange,
  route: Extract<GitLabRoute, { kind: "raw" }>,
  gate: Gate,
): Promise<void> {
  const { request, address } = exchange;
  const admission = await gate(webClaims(request, address.query), { name: route.project });
  if (admission.kind !== "admitted") return refuseWeb(exchange, admission);
  const { repository } = admission.project;
  const cut = await splitLongestRef(repository, route.refAndPath);
  const commit = cut && (await resolveRef(repository, cut.ref, address.query.get("ref_type")));
  const blob = commit && (await blobAt(repository, commit, cut.path));
  if (!cut || !blob) return sendHtml(exchange, 404, "Not found");

  const tag = entityTag(blob.oid);
  const seconds = isFullCommitId(cut.ref) ? COMMIT_SECONDS : BRANCH_OR_TAG_SECONDS;
  const validators = { ETag: tag, "Cache-Control": cacheControl(seconds, admission.isPublic) };
  if (matchesWeakly(request.headers["if-none-match"], tag)) {
    exchange.head(304, validators);
    exchange.response.end();
    return;
  }
  const inline = address.query.get("inline") !== "false";
  const headers = (start: Uint8Array) => ({
    ...validators,
    ...contentHeaders(start, cut.path, inline),
  });
  await sendBlob(exchange, { repository, blob, headers });
}

async function resolveRef(
  repository: Repository,
  ref: string,
  type: string | null,
): Promise<string | undefined> {
  if (type === "heads" || type === "tags") return commitOf(repository, `refs/${type}/${ref}`);
  // Of a tag and a branch of one name, git takes the tag.
  return resolveRevision(repository, ref, ["refs/tags/", "refs/heads/"]);
}

/** As Rails makes them: a digest, so that the tag is strong, but is not the blob's id. */
function entityTag(oid: string): string {
  return `"${createHash("sha256").update(oid).digest("hex").slice(0, 32)}"`;
}

function cacheControl(seconds: number, isPublic: boolean): string {
  const scope = isPublic ? "public" : "private";
  return `max-age=${seconds}, ${scope}, must-revalidate, stale-while-revalidate=60, stale-if-error=300, s-maxage=60`;
}

function contentHeaders(start: Uint8Array, path: string, inline: boolean): OutgoingHttpHeaders {
  const type = sniffContentType(start);
  return {
    "Content-Type": type,
    "Content-Disposition": safeDisposition(type, basename(path), inline),
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
  };
}

function safeDisposition(type: string, name: string, inline: boolean): string {
  if (!inline) return contentDisposition("attachment", name);
  // An image that can hold scripts, and bytes that nobody knows, are for saving only.
  const shown = type !== "image/svg+xml" && type !== "application/octet-stream";
  return shown ? "inline" : "attachment";
}
