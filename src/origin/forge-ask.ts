import type { Answer } from "../core/dialect.ts";
import { strongEtag } from "../core/entry.ts";
import type { Principal } from "../core/principal.ts";
import { headOf } from "../core/revision.ts";
import type { RawTarget } from "../core/target.ts";
import { asPrincipal, type ForgeAsking, type ForgeParts } from "./forge.ts";
import { listRefs } from "./git.ts";
import { discard } from "./http.ts";
import { isPage, readVerdict } from "./verdict.ts";

/** Puts a question in the way it says (`Dialect.ask`). */
export async function askForge(parts: ForgeParts, asking: ForgeAsking): Promise<Answer> {
  if (asking.question.via === "git") return await askGit(parts, asking, asking.question.prefix);
  if (asking.question.via === "api" && parts.forge.askApi !== undefined)
    return await parts.forge.askApi(asking);
  return await replay(parts, asking);
}

async function askGit(
  { forge, ask, now, advertisements }: ForgeParts,
  { target, principal }: ForgeAsking,
  prefix: string | undefined,
): Promise<Answer> {
  const at = now();
  if (!principal.carriedByGit) throw new TypeError("Smart HTTP cannot carry this principal");
  const listed = await listRefs(ask, advertisements, {
    url: forge.gitUrl(target),
    authorization: principal.gitAuthorization,
    prefix,
  });
  if (listed.kind === "declined") {
    const verdict = await readVerdict(listed.response, forge.signInPath, now(), "scope");
    const url = verdict?.kind === "refused" ? forge.refusalUrl?.(target) : undefined;
    if (verdict === undefined || url === undefined) return verdict ?? { kind: "unclear" };
    return (await askRefusal({ ask, forge, now }, principal, url)) ?? verdict;
  }
  if (listed.kind === "unclear") return { kind: "unclear" };
  if (prefix !== undefined) return { kind: "admitted", revision: { at, ...listed } };
  const seen = listed.kind === "refs" ? headOf(listed.refs) : undefined;
  return { kind: "admitted", revision: undefined, seen };
}

/** A 404 does not say whether it means the name or all of the code; where that can be asked, it is. */
async function aboutScope(
  parts: Pick<ForgeParts, "ask" | "forge" | "now">,
  refused: Exclude<Answer, { kind: "admitted" }>,
  { target, principal }: { readonly target: RawTarget; readonly principal: Principal },
): Promise<Answer> {
  const url = principal.kind === "cookie" ? parts.forge.codeUrl?.(target) : undefined;
  if (refused.kind !== "refused" || refused.about === "scope" || url === undefined) return refused;
  const denied = await askRefusal(parts, principal, url);
  return denied === undefined ? refused : { ...refused, about: "scope" };
}

async function askRefusal(
  { ask, forge, now }: Pick<ForgeParts, "ask" | "forge" | "now">,
  principal: Principal,
  url: string,
): Promise<Answer | undefined> {
  const response = await ask(asPrincipal(principal, url, { deadline: "whole" }));
  const verdict = await readVerdict(response, forge.signInPath, now(), "scope");
  if (verdict === undefined) await discard(response);
  return verdict?.kind === "refused" ? verdict : undefined;
}

async function replay(
  { forge, ask, now }: ForgeParts,
  { target, principal, etag }: ForgeAsking,
): Promise<Answer> {
  const at = now();
  const conditional = forge.replay === "conditional GET";
  const request = asPrincipal(principal, forge.rawUrl(target, undefined), {
    method: conditional ? "GET" : "HEAD",
    headers: conditional ? [["If-None-Match", etag ?? "*"]] : [],
    deadline: "whole",
  });
  const response = await ask(request);
  const refused = await readVerdict(response, forge.signInPath, now(), "name");
  if (refused !== undefined) return await aboutScope({ forge, ask, now }, refused, { target, principal });
  await discard(response); // a 200 to a condition that no longer holds brings a body along
  const current = strongEtag(response.headers.get("etag"));
  if (current === undefined || isPage(response)) return { kind: "unclear" }; // a page that says 200 is no "yes"
  return { kind: "admitted", revision: { at, kind: "validator", etag: current } };
}
