import type { IncomingMessage } from "node:http";
import type { AccessTable, Claim } from "./access.ts";
import { authorizationClaim, basicCredentials, cookieClaim, headerClaim, queryClaim } from "./claims.ts";

const READER = "reader";
const DEVELOPER = "developer";
const OTHER = "other";
const DEPLOY_USER = "gitlab+deploy-token-1";
const JOB_USER = "gitlab-ci-token";

/** Whom the GitLab-shaped forge knows when it starts. */
export const GITLAB_ACCESS: AccessTable = {
  accounts: [
    { form: "token", secret: "glpat-reader", user: READER },
    { form: "token", secret: "glpat-developer", user: DEVELOPER },
    { form: "session", secret: "session-developer", user: DEVELOPER },
    { form: "token", secret: "glpat-other", user: OTHER },
    { form: "token", secret: "glpat-expired", user: READER, expired: true },
    { form: "job", secret: "job-reader", user: READER },
    { form: "deploy", secret: "gldt-secret", user: DEPLOY_USER },
    { form: "static", secret: "static-reader", user: READER },
    { form: "session", secret: "session-reader", user: READER },
    { form: "password", secret: "password", user: READER },
  ],
  members: {
    [READER]: ["demo/hello", "demo/nested/secret"],
    [DEVELOPER]: ["demo/hello", "demo/nested/secret"],
    [OTHER]: ["demo/other"],
    [DEPLOY_USER]: ["demo/nested/secret"],
  },
  publicProjects: ["demo/hello"],
  developers: [DEVELOPER],
};

/** The credentials that the API takes: everything but Basic and the static object token. */
export function apiClaims(request: IncomingMessage, query: URLSearchParams): Claim[] {
  return [
    ...headerClaim(request, "private-token", "token"),
    ...queryClaim(query, "private_token", "token"),
    ...authorizationClaim(request, ["bearer"], "token"),
    ...queryClaim(query, "access_token", "token"),
    ...headerClaim(request, "job-token", "job"),
    ...queryClaim(query, "job_token", "job"),
    ...headerClaim(request, "deploy-token", "deploy"),
    ...pageClaims(request),
  ];
}

/** The credentials that raw files on the web take. */
export function webClaims(request: IncomingMessage, query: URLSearchParams): Claim[] {
  return [
    ...headerClaim(request, "x-gitlab-static-object-token", "static"),
    ...queryClaim(query, "token", "static"),
    ...gitClaims(request),
    ...apiClaims(request, query),
  ];
}

/** The credentials that the pages of the web take, and the downloads beside them that are not raw files of a repository. */
export function pageClaims(request: IncomingMessage): Claim[] {
  return cookieClaim(request, "_gitlab_session");
}

/** The credentials that smart HTTP takes: Basic alone, with a password or a token in the password's place. */
export function gitClaims(request: IncomingMessage): Claim[] {
  const basic = basicCredentials(request);
  if (basic === undefined) return [];
  const { user, password } = basic;
  const job: Claim[] = user === JOB_USER ? [{ form: "job", secret: password }] : [];
  return [
    { form: "token", secret: password },
    { form: "password", user, secret: password },
    { form: "deploy", user, secret: password },
    ...job,
  ];
}
