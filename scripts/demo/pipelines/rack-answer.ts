import { createHash, randomUUID } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import { countDenial, send } from "../exchange.ts";
import type { Exchange } from "../exchange.ts";

const ETAG_DIGITS = 32;

/**
 * Answers with JSON as GitLab's Rack does: an entity tag of the body, which only the very same text in `If-None-Match` matches, and a
 * 304 that keeps every header but those of the content (Rack::ETag, Rack::ConditionalGet). A HEAD is a GET without its body.
 */
export function answerJson(exchange: Exchange, value: unknown, headers: OutgoingHttpHeaders = {}): void {
  const body = railsJson(value);
  const digest = createHash("sha256").update(body).digest("hex");
  const tag = `W/"${digest.slice(0, ETAG_DIGITS)}"`;
  const kept = {
    ...commonHeaders(),
    ...headers,
    ETag: tag,
    "Cache-Control": "max-age=0, private, must-revalidate",
  };
  if (exchange.request.headers["if-none-match"] !== tag)
    return send(exchange, 200, { ...kept, "Content-Type": "application/json" }, body);
  exchange.head(304, kept);
  exchange.response.end();
}

/** Refuses, with no entity tag, so that Rack says `no-cache`. */
export function refuseJson(exchange: Exchange, status: 400 | 403 | 404, value: object): void {
  const headers = { ...commonHeaders(), "Cache-Control": "no-cache", "Content-Type": "application/json" };
  send(status === 403 ? countDenial(exchange) : exchange, status, headers, railsJson(value));
}

/** JSON in which nothing can be taken for HTML, or for the end of a line of JavaScript (`ActiveSupport.escape_html_entities_in_json`). */
function railsJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[&<>\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** What differs from answer to answer, or is the same on all of them. */
function commonHeaders(): OutgoingHttpHeaders {
  const correlation = randomUUID().replaceAll("-", "");
  return {
    Vary: "Origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "X-Gitlab-Meta": JSON.stringify({ correlation_id: correlation, version: "1" }),
    "X-Runtime": (0.01 + (performance.now() % 0.05)).toFixed(6),
  };
}
