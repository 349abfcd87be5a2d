import type { Answer } from "../core/dialect.ts";
import { Failure } from "../core/problem.ts";
import { retryAfterSeconds } from "../core/refusal.ts";
import { discard, readRefusal } from "./http.ts";

/** Reads an answer as a verdict; `undefined` where it is a yes, whose body the caller has yet to read or let go. */
export async function readVerdict(
  response: Response,
  signInPath: string,
  now: number,
  about: "scope" | "name",
): Promise<Exclude<Answer, { kind: "admitted" }> | undefined> {
  const { status } = response;
  if (status === 200 || status === 206 || status === 304) return undefined;
  if (status >= 500) {
    await discard(response);
    throw new Failure("origin_error", `Origin answered ${status}`);
  }
  if (status === 429) {
    const seconds = retryAfterSeconds(response.headers.get("retry-after"), now);
    return { kind: "busy", refusal: await readRefusal(response), seconds };
  }
  const signIn = status >= 300 && status < 400 && isPath(response.headers.get("location"), signInPath);
  if (signIn || status === 401 || status === 403) {
    return { kind: "refused", refusal: await readRefusal(response), about: "scope" };
  }
  if (status === 404) return { kind: "refused", refusal: await readRefusal(response), about };
  await discard(response);
  return { kind: "unclear" };
}

function isPath(location: string | null, path: string): boolean {
  const base = "http://origin.invalid/";
  return location !== null && URL.canParse(location, base) && new URL(location, base).pathname === path;
}

/** Whether an answer is a web page: no forge serves raw content as one, but what stands before a forge may ask to sign in with one. */
export function isPage({ headers }: Response): boolean {
  return (headers.get("content-type") ?? "").toLowerCase().startsWith("text/html");
}

/** Whether an answer has a content coding (RFC 9110 §8.4), though none was accepted: its length is not that of the content. */
export function isCoded({ headers }: Response): boolean {
  return !["identity", null, ""].includes(headers.get("content-encoding"));
}
