import type { Unit } from "./catalogue.ts";
import { CONTENT_MARK } from "./content.ts";
import type { Asked, Truth } from "./truth.ts";

/** What is wrong with an answer, of the worst kind first. */
export type Finding = { readonly kind: "leak" | "wrong-bytes" | "error"; readonly text: string };

/** An answer as far as anyone's rights matter. */
export type Shown = {
  readonly status: number;
  readonly cacheControl: string;
  readonly setsCookie: boolean;
  readonly body: string;
};

/** Answers that say of something that it is there. */
const SHOWING = new Set([200, 206, 304, 412, 416]);
/** How a forge or a store says no; a 302 leads to the page to sign in. */
const REFUSING = new Set([302, 401, 403, 404]);

export function isShown(status: number): boolean {
  return SHOWING.has(status);
}

export function isRefused(status: number): boolean {
  return REFUSING.has(status);
}

/** Whether an asker may be shown this answer, or has to be shown another one. */
export function judgeAccess(
  truth: Truth,
  { who, unit }: { readonly who: string; readonly unit: Unit },
  shown: Shown,
  asked: Asked,
): Finding | undefined {
  const { status, body } = shown;
  if (isShown(status)) return judgeShown(truth, { who, unit }, shown, asked);
  if (!isRefused(status)) return { kind: "error", text: `${status}: ${body.slice(0, 120)}` };
  if (body.includes(CONTENT_MARK))
    return { kind: "leak", text: `${status} to ${who} holds bytes of ${unit}` };
  if (truth.mustShow(who, unit, asked))
    return { kind: "error", text: `${status} to ${who}, who may read ${unit}` };
  return undefined;
}

function judgeShown(
  truth: Truth,
  { who, unit }: { readonly who: string; readonly unit: Unit },
  { status, cacheControl, setsCookie }: Shown,
  asked: Asked,
): Finding | undefined {
  if (!truth.mayShow(who, unit, asked))
    return { kind: "leak", text: `${status} to ${who}, who may not read ${unit}` };
  if (setsCookie) return { kind: "leak", text: `${status} of ${unit} sets a cookie` };
  if (/\bpublic\b/.test(cacheControl) && !truth.mayBePublic(unit, asked))
    return { kind: "leak", text: `${status} of ${unit} is public: ${cacheControl}` };
  return undefined;
}
