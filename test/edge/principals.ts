import { basic, type ForgeName } from "./scene.ts";

/** Which door of a forge is knocked at. */
export type Channel = "web" | "api";

/** Somebody who asks, and what the demo forges let them see. */
export type Principal = {
  readonly name: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  /** Where it may read the private project. */
  readonly reads: readonly Channel[];
  /** Whether it may read a public one: what the forge does not know is refused there too. */
  readonly unknown?: boolean;
  /** What a revocation takes away. */
  readonly secret?: string;
};

export const WEB_AND_API = ["web", "api"] as const;
const glpat = { reads: WEB_AND_API, secret: "glpat-reader" };
export const DEPLOY_USER = "gitlab+deploy-token-1";

export const PRINCIPALS: Readonly<Record<ForgeName, readonly Principal[]>> = {
  gitlab: [
    { name: "no token", reads: [] },
    { name: "wrong token", headers: { "PRIVATE-TOKEN": "glpat-wrong" }, reads: [], unknown: true },
    { name: "wrong job token", headers: { "JOB-TOKEN": "job-wrong" }, reads: [], unknown: true },
    { name: "expired token", headers: { "PRIVATE-TOKEN": "glpat-expired" }, reads: [], unknown: true },
    { name: "token of another project", headers: { "PRIVATE-TOKEN": "glpat-other" }, reads: [] },
    { name: "its Bearer form", headers: { authorization: "Bearer glpat-other" }, reads: [] },
    { name: "token as header", headers: { "PRIVATE-TOKEN": "glpat-reader" }, ...glpat },
    { name: "token as Bearer", headers: { authorization: "Bearer glpat-reader" }, ...glpat },
    {
      name: "token as Basic",
      headers: { authorization: basic("oauth2", "glpat-reader") },
      ...glpat,
      reads: ["web"],
    },
    { name: "token as private_token=", query: "private_token=glpat-reader", ...glpat },
    { name: "token as access_token=", query: "access_token=glpat-reader", ...glpat },
    {
      name: "password",
      headers: { authorization: basic("reader", "password") },
      reads: ["web"],
      secret: "password",
    },
    { name: "job token", headers: { "JOB-TOKEN": "job-reader" }, reads: WEB_AND_API, secret: "job-reader" },
    { name: "job_token=", query: "job_token=job-reader", reads: WEB_AND_API, secret: "job-reader" },
    {
      name: "deploy token",
      headers: { "Deploy-Token": "gldt-secret" },
      reads: WEB_AND_API,
      secret: "gldt-secret",
    },
    {
      name: "deploy token as Basic",
      headers: { authorization: basic(DEPLOY_USER, "gldt-secret") },
      reads: ["web"],
      secret: "gldt-secret",
    },
    {
      name: "static object token",
      headers: { "X-Gitlab-Static-Object-Token": "static-reader" },
      reads: ["web"],
      secret: "static-reader",
    },
    { name: "static token=", query: "token=static-reader", reads: ["web"], secret: "static-reader" },
    {
      name: "session cookie",
      headers: { cookie: "theme=dark; _gitlab_session=session-reader" },
      reads: WEB_AND_API,
      secret: "session-reader",
    },
    { name: "bad session cookie", headers: { cookie: "_gitlab_session=session-wrong" }, reads: [] },
    {
      name: "two tokens, right one first",
      headers: { "PRIVATE-TOKEN": "glpat-reader", authorization: "Bearer glpat-other" },
      ...glpat,
    },
    {
      name: "two tokens, wrong one first",
      headers: { "PRIVATE-TOKEN": "glpat-other", authorization: "Bearer glpat-reader" },
      reads: [],
    },
    {
      name: "two tokens, first unknown",
      headers: { "PRIVATE-TOKEN": "glpat-wrong" },
      query: "access_token=glpat-reader",
      ...glpat,
    },
  ],
  gitea: [
    { name: "no token", reads: [] },
    { name: "wrong token", headers: { authorization: "token gitea-wrong" }, reads: [], unknown: true },
    {
      name: "wrong password",
      headers: { authorization: basic("reader", "wrong") },
      reads: [],
      unknown: true,
    },
    { name: "token of another project", headers: { authorization: "token gitea-other" }, reads: [] },
    { name: "token as header", headers: { authorization: "token gitea-reader" }, ...gitea() },
    { name: "token as Bearer", headers: { authorization: "Bearer gitea-reader" }, ...gitea() },
    { name: "token as Basic", headers: { authorization: basic("any", "gitea-reader") }, ...gitea() },
    { name: "token as Basic user", headers: { authorization: basic("gitea-reader", "x") }, ...gitea() },
    { name: "token as token=", query: "token=gitea-reader", ...gitea() },
    { name: "token as access_token=", query: "access_token=gitea-reader", ...gitea() },
    {
      name: "password",
      headers: { authorization: basic("reader", "password") },
      reads: WEB_AND_API,
      secret: "password",
    },
    {
      name: "session cookie",
      headers: { cookie: "lang=en; i_like_gitea=session-reader" },
      reads: WEB_AND_API,
      secret: "session-reader",
    },
    { name: "bad session cookie", headers: { cookie: "i_like_gitea=session-wrong" }, reads: [] },
    {
      name: "two tokens, right one first",
      query: "token=gitea-reader",
      headers: { authorization: "token gitea-other" },
      ...gitea(),
    },
    {
      name: "two tokens, wrong one first",
      query: "token=gitea-other",
      headers: { authorization: "token gitea-reader" },
      reads: [],
    },
  ],
};

function gitea() {
  return { reads: WEB_AND_API, secret: "gitea-reader" };
}

/** Two who may read the private project at both doors. */
export const READERS = {
  gitlab: [
    { headers: { "PRIVATE-TOKEN": "glpat-reader" } },
    { headers: { cookie: "_gitlab_session=session-reader" } },
  ],
  gitea: [
    { headers: { authorization: "token gitea-reader" } },
    { headers: { cookie: "i_like_gitea=session-reader" } },
  ],
} as const;
