/** What the edge of a run stands before. */
export const SITES = ["gitlab", "gitea", "s3"] as const;
export type Site = (typeof SITES)[number];

/** The sites' hosts, by which requests are told apart: the port is another one after each restart. */
export const HOSTS: Readonly<Record<Site, string>> = {
  gitlab: "git.chaos.test",
  gitea: "code.chaos.test",
  s3: "s3.chaos.test",
};
