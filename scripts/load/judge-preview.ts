import type { PreviewAsker, Target } from "./plan.ts";
import { isRefused, isShown, type Finding, type Shown } from "./verdict.ts";

/** Whether an asker may be shown this answer of a target, or has to be; of what is in it nothing is said. */
export function judgePreview(
  { isPrivate }: Pick<Target, "isPrivate">,
  { who, mayRead }: Pick<PreviewAsker, "who" | "mayRead">,
  { status, cacheControl, setsCookie }: Shown,
): Finding | undefined {
  if (!isShown(status)) {
    if (isRefused(status) && !mayRead) return undefined;
    return { kind: "error", text: `${status} to ${who}` };
  }
  if (isPrivate && !mayRead) return { kind: "leak", text: `${status} to ${who}, who may not read it` };
  if (isPrivate && /\bpublic\b/.test(cacheControl))
    return { kind: "leak", text: `What is private is said to be public: ${cacheControl}` };
  return setsCookie ? { kind: "leak", text: "A cookie comes with it" } : undefined;
}
