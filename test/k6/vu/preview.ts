import crypto from "k6/crypto";
import http, { type RefinedResponse } from "k6/http";
import { judgePreview } from "../../../scripts/load/judge-preview.ts";
import type { PreviewAsker, PreviewPlan, Target } from "../../../scripts/load/plan.ts";
import { isShown, type Finding } from "../../../scripts/load/verdict.ts";
import { between, byWeight, oneOf } from "./dice.ts";
import { signatureHeaders } from "./sigv4.ts";
import { countFinding, countHits, tally } from "./tally.ts";

/** What a target's body has to be, in SHA-256; lists may be another one each time. */
export type Learned = Readonly<Record<string, string>>;

/** A body that was right, of which parts can be checked. */
type Kept = { readonly etag: string; readonly body: ArrayBuffer };

type Part = { readonly start: number; readonly end: number };

type Sent = { readonly method: "GET" | "HEAD"; readonly etag?: string; readonly part?: Part };

const WAYS = { whole: 50, head: 5, conditional: 20, range: 25 } as const;
const TIMEOUT_MS = 30_000;
const MOST_KEPT_BYTES = 1024 * 1024;
const HTTP_ERRORS_FROM = 1400;

const kept = new Map<string, Kept>();

/** Reads each target once as somebody who may, before anybody else asks. */
export function learn({ targets, askers, storeAskers }: PreviewPlan): Learned {
  const learned: Record<string, string> = {};
  for (const target of targets) {
    const [reader] = target.lane === "objects" ? storeAskers : askers;
    if (reader === undefined) throw new RangeError("Nobody asks");
    const response = send(target, reader, { method: "GET" });
    if (response.status !== 200)
      throw new Error(
        `${target.url} was answered to ${reader.who} with ${response.status} ${response.error}`,
      );
    if (target.lane !== "pipelines") learned[target.url] = target.sha256 ?? digest(response.body);
  }
  return learned;
}

/** Asks for a target in some way as somebody, and judges the answer. */
export function askTarget(target: Target, askers: readonly PreviewAsker[], learned: Learned): void {
  const asker = oneOf(askers);
  const sent = someSent(target);
  const response = send(target, asker, sent);
  const finding = judge(target, asker, { sent, response, expected: learned[target.url] });
  countFinding(finding, `${sent.method} ${target.url}`);
  tally.took.add(response.timings.duration);
  countHits(response.headers["Cache-Status"]);
  if (!isShown(response.status)) tally.refused.add(1);
}

function someSent({ url }: Target): Sent {
  const known = kept.get(url);
  const way = byWeight(WAYS);
  if (way === "head") return { method: "HEAD" };
  if (known === undefined || way === "whole") return { method: "GET" };
  if (way === "conditional") return { method: "GET", etag: known.etag };
  const start = between(0, known.body.byteLength);
  return { method: "GET", part: { start, end: between(start, known.body.byteLength) + 1 } };
}

type Got = {
  readonly sent: Sent;
  readonly response: RefinedResponse<"binary">;
  readonly expected: string | undefined;
};

function judge(target: Target, asker: PreviewAsker, got: Got): Finding | undefined {
  const { response } = got;
  if (response.error_code !== 0 && response.error_code < HTTP_ERRORS_FROM)
    return { kind: "error", text: `${response.error} (${response.error_code})` };
  const shown = {
    status: response.status,
    body: "",
    cacheControl: response.headers["Cache-Control"] ?? "",
    setsCookie: response.headers["Set-Cookie"] !== undefined,
  };
  const access = judgePreview(target, asker, shown);
  if (access !== undefined || !isShown(response.status)) return access;
  return isRight(target, got)
    ? undefined
    : { kind: "wrong-bytes", text: `${response.status} is not what was read first` };
}

function isRight({ url }: Target, { sent, response, expected }: Got): boolean {
  const { status, body } = response;
  if (sent.method === "HEAD") return status === 200;
  if (status === 304) return sent.etag !== undefined;
  if (expected === undefined) return status === 200; // of a list nothing is known but that it is there
  if (status === 200) return digest(body) === expected && keep(url, response);
  const known = kept.get(url);
  if (status !== 206 || sent.part === undefined || known === undefined || body === null) return false;
  const { start, end } = sent.part;
  const range = `bytes ${start}-${end - 1}/${known.body.byteLength}`;
  return response.headers["Content-Range"] === range && digest(body) === digest(known.body.slice(start, end));
}

function keep(url: string, { body, headers }: RefinedResponse<"binary">): boolean {
  const etag = headers["Etag"];
  if (etag !== undefined && body !== null && body.byteLength > 0 && body.byteLength <= MOST_KEPT_BYTES)
    kept.set(url, { etag, body });
  return true;
}

function digest(body: ArrayBuffer | null): string {
  return crypto.sha256(body ?? new ArrayBuffer(0), "hex");
}

function send(
  { url }: Target,
  { headers, key }: PreviewAsker,
  { method, etag, part }: Sent,
): RefinedResponse<"binary"> {
  return http.request(method, url, null, {
    headers: {
      ...headers,
      ...(key !== undefined && signatureHeaders(key, method, url)),
      ...(etag !== undefined && { "If-None-Match": etag }),
      ...(part !== undefined && { Range: `bytes=${part.start}-${part.end - 1}` }),
    },
    redirects: 0,
    timeout: TIMEOUT_MS,
    responseType: "binary",
    jar: new http.CookieJar(), // what one asker is given must not be sent by the next
  });
}
