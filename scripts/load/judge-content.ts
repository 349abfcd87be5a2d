import { contentOf, type MarkedContent } from "./content.ts";
import { isPartOf, type Part } from "./parts.ts";

/** An entity tag, and the revision that it came with. */
export type Tagged = { readonly etag: string; readonly revision: number };

/** What was asked for, as far as the answer depends on it. */
export type Sent = {
  readonly method: "GET" | "HEAD";
  readonly parts?: readonly Part[];
  readonly ifNoneMatch?: Tagged;
  readonly ifRange?: Tagged;
};

export type ContentAnswer = {
  readonly status: number;
  readonly body: string;
  /** By any spelling of its name. */
  readonly header: (name: string) => string | undefined;
};

export type ContentVerdict =
  | { readonly kind: "right"; readonly revision: number }
  | { readonly kind: "wrong"; readonly text: string };

/** Whether an answer is one of the contents that it may be, or of it the part that was asked for. */
export function judgeContent(
  contents: readonly MarkedContent[],
  sent: Sent,
  answer: ContentAnswer,
): ContentVerdict {
  const found = contents.find((content) => isAnswerOf(content, sent, answer));
  if (found !== undefined) return { kind: "right", revision: found.revision };
  const { name = "nothing" } = contents[0] ?? {};
  const revisions = contents.map(({ revision }) => revision).join(" or ");
  const { status, body, header } = answer;
  const got = `${status}, ${body.length} bytes (${header("content-range") ?? "no range"}) ${JSON.stringify(body.slice(0, 80))}`;
  return { kind: "wrong", text: `Not ${name} of revision ${revisions}: ${got}, for ${JSON.stringify(sent)}` };
}

function isAnswerOf(content: MarkedContent, sent: Sent, answer: ContentAnswer): boolean {
  const { status, header } = answer;
  const { parts, ifNoneMatch, ifRange } = sent;
  const tag = header("etag");
  if (status === 304)
    return ifNoneMatch?.revision === content.revision && (tag ?? ifNoneMatch.etag) === ifNoneMatch.etag;
  if (ifNoneMatch !== undefined && tag === ifNoneMatch.etag) return false; // that would have been a 304
  if (status === 200) return isWhole(content, sent, answer);
  if (status === 416)
    return isUnsatisfiable(content, parts) && header("content-range") === `bytes */${content.bytes}`;
  if (status !== 206 || parts === undefined || sent.method === "HEAD") return false;
  if (ifRange !== undefined && ifRange.revision !== content.revision) return false;
  const partial = {
    contentType: header("content-type") ?? "",
    contentRange: header("content-range"),
    body: answer.body,
  };
  return isPartOf(partial, content, parts);
}

function isWhole(
  content: MarkedContent,
  { method, parts, ifRange }: Sent,
  { body, header }: ContentAnswer,
): boolean {
  if (method === "HEAD") return Number(header("content-length")) === content.bytes && body === "";
  const mayBeWhole = parts === undefined || (ifRange !== undefined && ifRange.revision !== content.revision);
  return mayBeWhole && body.length === content.bytes && body === contentOf(content);
}

function isUnsatisfiable({ bytes }: MarkedContent, parts: readonly Part[] = []): boolean {
  return parts.length > 0 && parts.every(({ start }) => start >= bytes);
}
