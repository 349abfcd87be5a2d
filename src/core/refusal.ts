import type { HeaderFields, ReadHeader } from "./header-fields.ts";
import { parseHttpDate } from "./http-date.ts";

/** An origin's own "no", small enough to be kept and said again to the same asker. */
export type Refusal = {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly body: string;
};

const REFUSAL_HEADERS = [
  "content-type",
  "www-authenticate",
  "location",
  "retry-after",
  "x-amz-delete-marker",
  "x-amz-id-2",
  "x-amz-request-id",
  "x-amz-version-id",
] as const;

/** The header fields of a refusal that are said again to the same asker; never a cookie. */
export function refusalHeaders(header: ReadHeader): [string, string][] {
  return REFUSAL_HEADERS.flatMap((name): [string, string][] => {
    const value = header(name);
    return value === null ? [] : [[name, value]];
  });
}

const LONGEST_HOLD_S = 300;
const DEFAULT_HOLD_S = 10;

/** How many seconds `Retry-After` asks us to stay away (RFC 9110 §10.2.3), within bounds; dates count from `now`. */
export function retryAfterSeconds(value: string | null, now: number): number {
  if (value === null) return DEFAULT_HOLD_S;
  const date = parseHttpDate(value);
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : date === undefined
      ? DEFAULT_HOLD_S
      : (date - now) / 1000;
  return Math.min(Math.max(Math.ceil(seconds), 1), LONGEST_HOLD_S);
}
