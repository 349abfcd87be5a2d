import type { ForgeSite, Site } from "./site.ts";

/** The GitLab whose database is bound as `PIPELINES_DB`: the only one among the sites, or the one that `PIPELINES_DB_HOST` names. */
export function readDatabaseSite(
  vars: Readonly<Record<string, unknown>>,
  sites: readonly Site[],
  faults: string[],
): ForgeSite | undefined {
  const host = vars["PIPELINES_DB_HOST"];
  const isBound = vars["PIPELINES_DB"] !== undefined;
  const forges = sites.filter((site): site is ForgeSite => site.kind === "gitlab");
  if (host !== undefined) {
    const named = forges.find((site) => site.host === host);
    if (named === undefined) faults.push("PIPELINES_DB_HOST must be the host of a gitlab among SITES");
    if (!isBound) faults.push("PIPELINES_DB_HOST is set, but no database is bound as PIPELINES_DB");
    return isBound ? named : undefined;
  }
  if (!isBound) return undefined;
  const [only, second] = forges;
  if (only !== undefined && second === undefined) return only;
  faults.push(
    forges.length === 0
      ? "PIPELINES_DB is bound, but no site is a gitlab"
      : "PIPELINES_DB_HOST is missing: it says which of several gitlabs the database PIPELINES_DB is of",
  );
  return undefined;
}
