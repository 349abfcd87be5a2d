import type { IncomingMessage } from "node:http";
import type { AccessTable, Claim } from "./access.ts";
import { authorizationClaim, basicCredentials, cookieClaim, queryClaim } from "./claims.ts";

const READER = "reader";
const OTHER = "other";

/** Whom the Gitea-shaped forge knows when it starts. */
export const GITEA_ACCESS: AccessTable = {
  accounts: [
    { form: "token", secret: "gitea-reader", user: READER },
    { form: "token", secret: "gitea-other", user: OTHER },
    { form: "session", secret: "session-reader", user: READER },
    { form: "password", secret: "password", user: READER },
  ],
  members: {
    [READER]: ["demo/hello", "demo/secret"],
    [OTHER]: ["demo/other"],
  },
  publicProjects: ["demo/hello"],
};

/** The credentials that the web and the API take. */
export function giteaClaims(request: IncomingMessage, query: URLSearchParams): Claim[] {
  return [
    ...queryClaim(query, "token", "token"),
    ...queryClaim(query, "access_token", "token"),
    ...giteaGitClaims(request),
    ...cookieClaim(request, "i_like_gitea"),
  ];
}

/** The credentials that smart HTTP takes: a token, or Basic with a password or with a token in either place. */
export function giteaGitClaims(request: IncomingMessage): Claim[] {
  const basic = basicCredentials(request);
  if (basic === undefined) return authorizationClaim(request, ["token", "bearer"], "token");
  const { user, password } = basic;
  return [
    { form: "token", secret: password },
    { form: "token", secret: user },
    { form: "password", user, secret: password },
  ];
}
