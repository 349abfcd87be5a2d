import type { Codec } from "../core/codec.ts";
import type { Answer, Asking, Dialect, ToldList } from "../core/dialect.ts";
import { isFinished, projectNumber } from "../core/pipelines/finished.ts";
import { listHeaders } from "../core/pipelines/list-headers.ts";
import { pipelinesPath } from "../core/pipelines/origin-path.ts";
import type { OriginTag } from "../core/pipelines/rendering.ts";
import { parseJson } from "../core/parse-json.ts";
import { linkForSite, textForSite } from "../core/pipelines/site-addresses.ts";
import type { Principal } from "../core/principal.ts";
import { signInPath } from "../core/sign-in.ts";
import type { ForgeSite } from "../core/site.ts";
import { strictUtf8 } from "../core/strict-utf8.ts";
import type { PipelinesTarget } from "../core/target.ts";
import { wholeNumber } from "../core/whole-number.ts";
import { asPrincipal } from "./forge.ts";
import { discard, readUpToLimit, type AskOrigin } from "./http.ts";
import { isPage, readVerdict } from "./verdict.ts";

type PipelinesAsking = Asking<PipelinesTarget, Principal>;

export type PipelinesParts = {
  readonly site: ForgeSite;
  readonly ask: AskOrigin;
  readonly now: () => number;
  readonly codec: Codec;
};

/** The longest list that is kept; a longer one is the origin's to serve. In bytes. */
const LONGEST_LIST_BYTES = 1024 * 1024;

/** Lists of pipelines, of GitLab and Gitea: asked for as the asker, on condition that they are not the one that is known. */
export function pipelinesDialect(parts: PipelinesParts): Dialect {
  return {
    ask: (asking: PipelinesAsking) =>
      asking.question.via === "may" ? askWhether(parts, asking) : askList(parts, asking),
    open: () => Promise.resolve({ kind: "unclear" }), // a list is told in full with its question
  };
}

async function askList(parts: PipelinesParts, { target, principal, etag }: PipelinesAsking): Promise<Answer> {
  const { site, ask, now } = parts;
  const url = site.origin + pipelinesPath(site.kind, target);
  const headers = etag === undefined ? [] : [["If-None-Match", etag] as const];
  const response = await ask(asPrincipal(principal, url, { headers, deadline: "whole" }));
  const refused = await readVerdict(response, signInPath(site.kind), now(), refusedAbout(target));
  if (refused !== undefined) return refusedName(refused, target);
  const list =
    response.status === 304
      ? await sameList(parts, target, response, etag)
      : await readList(parts, target, response);
  return list === undefined ? { kind: "unclear" } : { kind: "admitted", revision: undefined, list };
}

/** The shortest list there is tells whether one may read any. */
async function askWhether(
  { site, ask, now }: PipelinesParts,
  { target, principal }: PipelinesAsking,
): Promise<Answer> {
  const list: PipelinesTarget = { ...target, resource: { kind: "list" }, query: "per_page=1" };
  const url = site.origin + pipelinesPath(site.kind, list);
  const response = await ask(asPrincipal(principal, url, { deadline: "whole" }));
  const refused = await readVerdict(response, signInPath(site.kind), now(), "scope");
  if (refused !== undefined) return refused;
  await discard(response);
  return isPage(response) ? { kind: "unclear" } : { kind: "admitted", revision: undefined }; // a page that says 200 is no "yes"
}

/** A list is there wherever its project is; a pipeline may be missing on its own. */
function refusedAbout({ resource }: PipelinesTarget): "scope" | "name" {
  return resource.kind === "list" || resource.kind === "tasks" ? "scope" : "name";
}

/** GitLab says 403 of the latest pipeline where there is none. */
function refusedName(answer: Exclude<Answer, { kind: "admitted" }>, target: PipelinesTarget): Answer {
  if (answer.kind !== "refused" || answer.refusal.status === 401) return answer;
  return { ...answer, about: refusedAbout(target) };
}

async function sameList(
  { site }: PipelinesParts,
  { scheme }: PipelinesTarget,
  response: Response,
  etag: string | undefined,
): Promise<ToldList | undefined> {
  await discard(response);
  const told = response.headers.get("etag");
  if (etag === undefined || (told !== null && opaque(told) !== opaque(etag))) return undefined; // a 304 about something else
  return { kind: "same", headers: headersOf(site, scheme, response) };
}

async function readList(
  { site, codec }: PipelinesParts,
  target: PipelinesTarget,
  response: Response,
): Promise<ToldList | undefined> {
  const length = wholeNumber(response.headers.get("content-length")) ?? 0;
  const isJson = /^application\/(?:[\w.+-]+\+)?json\b/i.test(response.headers.get("content-type") ?? "");
  if (response.status !== 200 || response.body === null || !isJson || length > LONGEST_LIST_BYTES) {
    await discard(response);
    return undefined;
  }
  const told = await readUpToLimit(response.body, LONGEST_LIST_BYTES);
  const text = told && strictUtf8(told); // what is no text cannot be told from what it might be
  if (told === undefined || text === undefined || parseJson(text) === undefined) return undefined; // a body may end early unnoticed
  const { scheme, resource } = target;
  return {
    kind: "list",
    headers: headersOf(site, scheme, response),
    bytes: new TextEncoder().encode(textForSite(text, site, scheme)),
    origin: await originTag(codec, told, response.headers.get("etag")),
    isFinished: site.kind === "gitlab" && isFinished(resource, text),
    projectNumber: site.kind === "gitlab" ? projectNumber(text) : undefined,
  };
}

function headersOf(
  site: ForgeSite,
  scheme: PipelinesTarget["scheme"],
  { headers }: Response,
): [string, string][] {
  return listHeaders((name) => headers.get(name)).map(([name, value]) => [
    name,
    name === "link" ? linkForSite(value, site, scheme) : value,
  ]);
}

/** How many hex digits of a body's SHA-256 Rack gives as its entity tag (Rack::ETag). */
const RACK_DIGITS = 32;

async function originTag(
  codec: Codec,
  body: Uint8Array,
  etag: string | null,
): Promise<OriginTag | undefined> {
  if (etag === null || !/^(?:W\/)?"[^"]+"$/.test(etag)) return undefined;
  const digest = await codec.sha256(body);
  const tag = opaque(etag);
  return { etag, isDigest: tag === digest || tag === digest.slice(0, RACK_DIGITS) };
}

function opaque(etag: string): string {
  return etag.replace(/^W\//, "").slice(1, -1);
}
