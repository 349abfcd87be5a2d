import { summedLook } from "../core/look/colo-look.ts";
import { LOOK_CSP, lookPage } from "../core/look/page.ts";
import { shownSettings, type Bound } from "../core/look/settings.ts";
import { savedQuestions } from "../core/look/tiles.ts";
import type { Lookout } from "./lookout.ts";
import type { Ports } from "./ports.ts";
import { problemResponse } from "./problem-response.ts";

export type LookParts = {
  readonly ports: Pick<Ports, "config" | "now">;
  /** Absent without a control token. */
  readonly lookout: Lookout | undefined;
  readonly bound: Bound;
};

/** What the caches of this colo do, for the holder of the control token: as a page, or as JSON of the same. */
export async function takeLook(
  { ports, lookout, bound }: LookParts,
  form: "page" | "json",
): Promise<Response> {
  if (lookout === undefined) return problemResponse("not_found");
  const look = summedLook(await lookout.look());
  const settings = shownSettings(ports.config, bound);
  const now = ports.now();
  const headers = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": LOOK_CSP,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
  };
  if (form === "json")
    return Response.json({ at: now, questions: savedQuestions(look), ...look, settings }, { headers });
  return new Response(lookPage(look, settings, now), {
    headers: { "Content-Type": "text/html; charset=utf-8", ...headers },
  });
}
