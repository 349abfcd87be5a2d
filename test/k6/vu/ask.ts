import exec from "k6/execution";
import http, { type RefinedResponse } from "k6/http";
import type { Unit } from "../../../scripts/load/catalogue.ts";
import type { ContentAnswer } from "../../../scripts/load/judge-content.ts";
import type { Asked } from "../../../scripts/load/truth.ts";
import { isShown, judgeAccess, type Finding } from "../../../scripts/load/verdict.ts";
import { catchUp, truth } from "./journal.ts";
import { PLAN } from "./plan.ts";
import { countFinding, countHits, tally } from "./tally.ts";

/** One question to the edge, and for whose answer it has to be right. */
export type Question = {
  readonly who: string;
  readonly unit: Unit;
  readonly url: string;
  readonly method?: "GET" | "HEAD";
  readonly headers: Readonly<Record<string, string>>;
  /** When the client goes away. */
  readonly leavesAfterMs?: number;
};

/** What a body has to be, once it is settled that it may be shown. */
export type JudgeBody = (answer: ContentAnswer, asked: Asked) => Finding | undefined;

const TIMEOUT_MS = 20_000;
const HTTP_ERRORS_FROM = 1400;

/** Asks, counts what came, and judges it by what is true. */
export function ask(question: Question, judgeBody: JudgeBody): void {
  const { who, unit, url, method = "GET", headers, leavesAfterMs } = question;
  const askedMs = Date.now();
  const response = http.request(method, url, null, {
    headers,
    redirects: 0,
    timeout: leavesAfterMs ?? TIMEOUT_MS,
    responseType: "text",
    jar: new http.CookieJar(), // what one asker is given must not be sent by the next
  });
  const asked = { askedMs, answeredMs: Date.now() };
  const isBroken = response.error_code !== 0 && response.error_code < HTTP_ERRORS_FROM;
  if (isBroken && leavesAfterMs !== undefined) {
    tally.aborted.add(1);
    return;
  }
  catchUp();
  const answer = answerOf(response);
  const judge = () =>
    isBroken
      ? ({ kind: "error", text: `${response.error} (${response.error_code})` } as const)
      : (judgeAccess(truth, question, shownOf(answer), asked) ??
        (isShown(answer.status) ? judgeBody(answer, asked) : undefined));
  let finding = judge();
  // The copy of what is true may be a moment behind the answer
  if (finding !== undefined && catchUp(0)) finding = judge();
  countFinding(finding, `${method} ${url} ${JSON.stringify(question.headers)}`);
  if (isWarm()) {
    tally.took.add(response.timings.duration);
    countHits(answer.header("cache-status"));
  }
  if (!isShown(answer.status)) tally.refused.add(1);
  if (!truth.mayShow(who, unit, asked) && wasWithdrawn(who, unit, askedMs)) tally.withdrawnAsked.add(1);
}

/** What is asked at first is asked of empty caches: speed and hits count from half of the run on. */
function isWarm(): boolean {
  return exec.instance.currentTestRunDuration > (PLAN.seconds * 1000) / 2;
}

function wasWithdrawn(who: string, unit: Unit, nowMs: number): boolean {
  return truth.withdrawn(nowMs).some((right) => right.who === who && right.unit === unit);
}

function shownOf({ status, body, header }: ContentAnswer) {
  return {
    status,
    body,
    cacheControl: header("cache-control") ?? "",
    setsCookie: header("set-cookie") !== undefined,
  };
}

function answerOf(response: RefinedResponse<"text">): ContentAnswer {
  const { headers } = response;
  return {
    status: response.status,
    body: response.body ?? "",
    header: (name) => headers[name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())],
  };
}
