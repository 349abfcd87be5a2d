import type { MarkedContent } from "../../../scripts/load/content.ts";
import { judgeContent, type Sent, type Tagged } from "../../../scripts/load/judge-content.ts";
import { rangeHeader, type Part } from "../../../scripts/load/parts.ts";
import type { Asked } from "../../../scripts/load/truth.ts";
import { ask, type JudgeBody, type Question } from "./ask.ts";
import { between, byWeight } from "./dice.ts";
import { tally } from "./tally.ts";

/** How a content is asked for. */
export type Way =
  | "whole"
  | "head"
  | "conditional"
  | "range"
  | "suffix"
  | "parts"
  | "if-range"
  | "outside"
  | "leaving";

export const USUAL_WAYS: Readonly<Record<Way, number>> = {
  whole: 50,
  head: 5,
  conditional: 15,
  range: 12,
  suffix: 4,
  parts: 4,
  "if-range": 6,
  outside: 1,
  leaving: 3,
};

/** What is asked for, and what it may be when it is answered. */
export type ContentQuestion = Omit<Question, "headers" | "method" | "leavesAfterMs"> & {
  /** What the credential adds, which may depend on all else that is sent. */
  readonly headersFor: (method: "GET" | "HEAD") => Readonly<Record<string, string>>;
  /** How short a content may be. */
  readonly leastBytes: number;
  readonly contents: (asked: Asked) => readonly MarkedContent[];
};

/** The entity tags that this client was given with contents that were right, by URL. */
const tags = new Map<string, Tagged[]>();
const MOST_TAGS = 4;

export function askContent(
  question: ContentQuestion,
  ways: Readonly<Record<Way, number>> = USUAL_WAYS,
): void {
  const way = byWeight(ways);
  const sent = sentBy(way, question);
  const { method, parts, ifNoneMatch, ifRange } = sent;
  const { who, unit, url } = question;
  const range =
    way === "suffix" && parts !== undefined ? `bytes=-${suffixOf(question)}` : parts && rangeHeader(parts);
  const headers = {
    ...question.headersFor(method),
    ...(range !== undefined && { Range: range }),
    ...(ifNoneMatch !== undefined && { "If-None-Match": ifNoneMatch.etag }),
    ...(ifRange !== undefined && { "If-Range": ifRange.etag }),
  };
  const leaving = way === "leaving" ? { leavesAfterMs: between(2, 40) } : {};
  const judge = judgeBody(question, sent, way);
  ask({ who, unit, url, method, headers, ...leaving }, judge);
}

/** The parts of a suffix are known only with the length of the content. */
function judgeBody(question: ContentQuestion, sent: Sent, way: Way): JudgeBody {
  return (answer, asked) => {
    const contents = question.contents(asked);
    const judged = contents.map((content) => {
      const start = content.bytes - suffixOf(question);
      return judgeContent(
        [content],
        way === "suffix" ? { ...sent, parts: [{ start, end: content.bytes }] } : sent,
        answer,
      );
    });
    const right = judged.find((verdict) => verdict.kind === "right");
    if (right === undefined)
      return {
        kind: "wrong-bytes",
        text: judged.map((verdict) => ("text" in verdict ? verdict.text : "")).join("; "),
      };
    if (right.revision > 0) tally.renewed.add(1);
    return remember(question.url, answer.header("etag"), right.revision);
  };
}

function suffixOf({ leastBytes }: ContentQuestion): number {
  return Math.min(100, leastBytes);
}

function sentBy(way: Way, question: ContentQuestion): Sent {
  const { leastBytes, url } = question;
  const tag = tags.get(url)?.at(-1);
  const cut = between(1, leastBytes - 1);
  const part: Part = { start: cut, end: Math.min(leastBytes, cut + between(1, leastBytes)) };
  switch (way) {
    case "head":
      return { method: "HEAD" };
    case "conditional":
      return { method: "GET", ...(tag && { ifNoneMatch: tag }) };
    case "range":
      return { method: "GET", parts: [part] };
    case "suffix":
      return { method: "GET", parts: [part] };
    case "parts":
      return { method: "GET", parts: twoParts(leastBytes) };
    case "if-range":
      return { method: "GET", parts: [part], ...(tag && { ifRange: tag }) };
    case "outside":
      return { method: "GET", parts: [{ start: 1e9, end: 1e9 + 1 }] };
    default:
      return { method: "GET" };
  }
}

function twoParts(bytes: number): Part[] {
  const third = Math.floor(bytes / 3);
  return [
    { start: between(0, third), end: third },
    { start: 2 * third, end: between(2 * third + 1, bytes) },
  ];
}

/** One entity tag must never stand for two revisions. */
function remember(url: string, etag: string | undefined, revision: number) {
  if (etag === undefined) return undefined;
  const known = tags.get(url) ?? [];
  const before = known.find((tag) => tag.etag === etag);
  if (before === undefined) tags.set(url, [...known, { etag, revision }].slice(-MOST_TAGS));
  else if (before.revision !== revision)
    return {
      kind: "wrong-bytes" as const,
      text: `${etag} was revision ${before.revision}, and now is ${revision}`,
    };
  return undefined;
}
