import { LONGER_BYTES } from "./decoy.ts";

/** What is known to be true of one read: who may have it, and what its bytes are. */
export type Truth = {
  /** `until revoked`: the asker was refused by the origin a moment ago, and grants may still live. */
  readonly asker: "may" | "may not" | "until revoked";
  /** How many bytes the asked part has, and where it lies in which whole; without a range, the whole. */
  readonly length: number;
  readonly range?: { readonly start: number; readonly end: number; readonly size: number };
};

/** One answer as it came over the wire, its bytes already compared with the true ones. */
export type Answer = {
  /** 0 where the connection ended before any answer. */
  readonly status: number;
  readonly contentRange: string | undefined;
  /** `whole` as its framing says, `cut` where it visibly broke off, `late` where the deadline was reached first. */
  readonly end: "whole" | "cut" | "late";
  readonly bytes: number;
  /** The first byte that is not the true one, with one too many among them. */
  readonly wrongAt: number | undefined;
  /** Whether the body says something that only some may read. */
  readonly tellsSecret: boolean;
  /** Whether the body is something that a faulty origin sent in the place of content and that nobody can tell from it. */
  readonly isDecoy: boolean;
  /** Whether it came by a second connection, as the first had stood idle for too long. */
  readonly isAnew?: true;
  /** How the body begins, where it is no content; else what its header fields say of it. */
  readonly says: string;
};

/** What may go wrong at the moment; nothing of it may once the fault is over. */
export type Leeway = {
  readonly failures: boolean;
  /** Statuses beside those of failures. */
  readonly statuses: readonly number[];
  readonly decoys: boolean;
};

export type Verdict =
  | { readonly kind: "right" | "refused" | "decoy" }
  /** Visibly, as it may. */
  | { readonly kind: "failed"; readonly how: string }
  | { readonly kind: "wrong" | "leak" | "stuck" | "unexpected"; readonly why: string };

const REFUSALS = new Set([302, 401, 403, 404]);
/** What tells of content, its size or its entity tag. */
const TELLING = new Set([200, 206, 304, 412, 416]);
/** What an edge says of an origin that fails; 0 is a connection that broke off. */
const FAILURES = new Set([0, 429, 502, 503, 504]);

/** `Cache-Status` of what the edge only passes on: what a part of it is said to be is the origin's word alone, and its client can tell. */
const PASSED_ON = "(forgefront; fwd=bypass";

/** Judges one answer by what is true; nothing but this decides what counts as wrong, as a leak or as stuck. */
export function verdictOn(truth: Truth, answer: Answer, leeway: Leeway): Verdict {
  const { status, end } = answer;
  if (truth.asker === "may not" && (TELLING.has(status) || answer.tellsSecret))
    return { kind: "leak", why: `status ${status}, ${answer.bytes} bytes, to someone who may not read it` };
  if (end === "late") return { kind: "stuck", why: `status ${status}, ${answer.bytes} bytes, then nothing` };
  if (answer.isDecoy) return decoy(leeway);
  if (FAILURES.has(status)) return failure(status === 0 ? "no answer" : String(status), answer, leeway);
  if (leeway.statuses.includes(status)) return { kind: "failed", how: String(status) };
  if (REFUSALS.has(status)) return refusal(truth, answer);
  if (status !== 200 && status !== 206) return { kind: "unexpected", why: `status ${status} ${answer.says}` };
  return content(truth, answer, leeway);
}

function decoy({ decoys }: Leeway): Verdict {
  return decoys ? { kind: "decoy" } : { kind: "wrong", why: "what a faulty origin once sent is still there" };
}

function failure(how: string, { says }: Answer, { failures }: Leeway): Verdict {
  return failures ? { kind: "failed", how } : { kind: "unexpected", why: `${how} without a fault ${says}` };
}

function refusal({ asker }: Truth, { status, says }: Answer): Verdict {
  if (asker !== "may") return { kind: "refused" };
  return { kind: "unexpected", why: `status ${status} to someone who may read it ${says}` };
}

function content({ length, range }: Truth, answer: Answer, leeway: Leeway): Verdict {
  const { status, contentRange, bytes, wrongAt, end } = answer;
  if (status === 206 && range === undefined) return failure("206 unasked", answer, leeway);
  if (status === 206 && range !== undefined) {
    const asked = `bytes ${range.start}-${range.end - 1}/`;
    if (wrongAt === undefined && contentRange === `${asked}${range.size + LONGER_BYTES}`)
      return decoy(leeway);
    if (contentRange !== `${asked}${range.size}` && answer.says.includes(PASSED_ON))
      return failure("another part, passed on", answer, leeway);
    if (contentRange !== `${asked}${range.size}`)
      return {
        kind: "wrong",
        why: `Content-Range ${contentRange}, where ${asked}${range.size} was asked for ${answer.says}`,
      };
  }
  if (wrongAt !== undefined)
    return { kind: "wrong", why: `status ${status}, byte ${wrongAt} is another ${answer.says}` };
  if (end === "cut") return failure("broken off", answer, leeway);
  const expected = status === 200 && range !== undefined ? range.size : length;
  if (bytes === expected) return { kind: "right" };
  return {
    kind: "wrong",
    why: `status ${status} ended well after ${bytes} bytes of ${expected} ${answer.says}`,
  };
}
