import type { SiteKind } from "./site.ts";

/** Where each forge sends people who must sign in. */
export function signInPath(kind: SiteKind): string {
  return kind === "gitlab" ? "/users/sign_in" : "/user/login";
}
