import { listServerRefs } from "isomorphic-git";
import { Failure } from "../core/problem.ts";
import type { Ref } from "../core/ref-path.ts";
import type { MemoryStore } from "../core/store.ts";
import { readUpToLimit, type AskOrigin } from "./http.ts";

/** What smart HTTP said to `ls-refs`. */
export type ListedRefs =
  | { readonly kind: "refs"; readonly refs: readonly Ref[] }
  | { readonly kind: "crowded" }
  /** Any answer but a plain 200; its body is unread. */
  | { readonly kind: "declined"; readonly response: Response }
  /** Not git: the repository moved, or the server speaks another protocol. */
  | { readonly kind: "unclear" };

export type RefsQuestion = {
  /** `https://host/group/project.git` */
  readonly url: string;
  readonly authorization: string | undefined;
  /** Beginnings of a branch's or tag's short name; `undefined` asks for HEAD alone. */
  readonly prefix: string | undefined;
};

/** The most an answer may hold before a longer prefix is asked for: about 4,000 refs. */
const MOST_ANSWER_BYTES = 256 * 1024;

type GitHttp = Parameters<typeof listServerRefs>[0]["http"];
type GitRequest = Parameters<GitHttp["request"]>[0];
type GitResponse = Awaited<ReturnType<GitHttp["request"]>>;

/**
 * Asks a git server which refs begin as given, with the asker's authorization (gitprotocol-v2: `ls-refs`).
 *
 * isomorphic-git speaks the protocol. Two things are added at its HTTP seam: further `ref-prefix` lines, since it sends
 * but one, so that branches, tags and HEAD come in one answer; and the capabilities of a repository are remembered
 * (`advertisements`), so that a question costs one request instead of two. The advertisement of v2 holds no refs,
 * and the server checks permission again for `ls-refs` itself.
 */
export async function listRefs(
  ask: AskOrigin,
  advertisements: MemoryStore<Uint8Array>,
  question: RefsQuestion,
): Promise<ListedRefs> {
  const remembered = advertisements.get(question.url) !== undefined;
  const answer = await listOnce(ask, advertisements, question);
  if (answer.kind !== "unclear" || !remembered) return answer;
  advertisements.delete(question.url);
  return await listOnce(ask, advertisements, question);
}

class Declined extends Error {
  readonly response: Response;
  constructor(response: Response) {
    super("The origin declined");
    this.response = response;
  }
}
class Crowded extends Error {}

async function listOnce(
  ask: AskOrigin,
  advertisements: MemoryStore<Uint8Array>,
  { url, authorization, prefix }: RefsQuestion,
): Promise<ListedRefs> {
  const [first = "HEAD", ...more] = refPrefixes(prefix);
  const http: GitHttp = { request: (request) => send(ask, advertisements, request, more) };
  const headers = authorization === undefined ? {} : { Authorization: authorization };
  try {
    const listed = await listServerRefs({
      http,
      url,
      headers,
      prefix: first,
      peelTags: true,
      protocolVersion: 2,
    });
    return { kind: "refs", refs: listed.map((ref) => ({ name: ref.ref, oid: ref.peeled ?? ref.oid })) };
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (error instanceof Crowded) return { kind: "crowded" };
    if (error instanceof Declined) return { kind: "declined", response: error.response };
    if (error instanceof Error && "code" in error) return { kind: "unclear" }; // isomorphic-git's own errors have one
    throw new Failure("origin_error", "Origin's answer is no git", error);
  }
}

function refPrefixes(prefix: string | undefined): string[] {
  if (prefix === undefined || prefix === "HEAD") return ["HEAD"];
  if (prefix.startsWith("refs/")) return [prefix, "HEAD"];
  return [`refs/heads/${prefix}`, `refs/tags/${prefix}`, "HEAD"];
}

async function send(
  ask: AskOrigin,
  advertisements: MemoryStore<Uint8Array>,
  { url, method = "GET", headers = {}, body }: GitRequest,
  morePrefixes: readonly string[],
): Promise<GitResponse> {
  const repository = method === "GET" ? url.slice(0, url.lastIndexOf("/info/refs")) : undefined;
  const known = repository === undefined ? undefined : advertisements.get(repository);
  if (known !== undefined) return gitResponse(url, "application/x-git-upload-pack-advertisement", [known]);

  const pieces = body === undefined ? [] : await Array.fromAsync(body);
  const request = { method, url, headers: Object.entries(headers), deadline: "whole" } as const;
  const response = await ask(
    pieces.length === 0 ? request : { ...request, body: withPrefixes(pieces, morePrefixes) },
  );
  if (response.status !== 200 || response.body === null) throw new Declined(response);
  const answer = await readUpToLimit(response.body, MOST_ANSWER_BYTES);
  if (answer === undefined) throw new Crowded();
  if (repository !== undefined && speaksVersion2(answer)) advertisements.set(repository, answer);
  return gitResponse(url, response.headers.get("content-type") ?? "", [answer]);
}

function gitResponse(url: string, type: string, body: Uint8Array[]): GitResponse {
  const pieces = (async function* () {
    yield* body;
  })();
  return { url, statusCode: 200, statusMessage: "OK", headers: { "content-type": type }, body: pieces };
}

/** Puts further `ref-prefix` lines before the flush packet that ends the arguments (gitprotocol-common: pkt-line). */
function withPrefixes(pieces: readonly Uint8Array[], prefixes: readonly string[]): Blob {
  const encoder = new TextEncoder();
  const lines = prefixes.map((prefix) => {
    const payload = encoder.encode(`ref-prefix ${prefix}`);
    const length = (payload.byteLength + 4).toString(16).padStart(4, "0");
    return new Blob([length, payload]);
  });
  return new Blob([...pieces.slice(0, -1), ...lines, ...pieces.slice(-1)]);
}

function speaksVersion2(advertisement: Uint8Array): boolean {
  return new TextDecoder().decode(advertisement.subarray(0, 256)).includes("version 2\n");
}
