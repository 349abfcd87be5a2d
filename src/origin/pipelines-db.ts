import type { Defer } from "../core/defer.ts";
import type { HeaderFields } from "../core/header-fields.ts";
import type { PipelinesTarget } from "../core/target.ts";
import { databaseRests } from "./database-rests.ts";
import { pageHeaders } from "./pipelines-page.ts";
import { pipelinesQuery, type PipelinesRow } from "./pipelines-sql.ts";
import { DatabaseFailure, type DatabaseFault, type RunQuery } from "./postgres.ts";

/** Why the origin has to be asked instead. */
export type NoAnswer =
  /** Not a list, or one that only the repository can tell (`scope=branches`). */
  | "unsupported"
  /** No such project; what that looks like, the origin says. */
  | "absent"
  /** A setting of GitLab's decides which pipelines are meant. */
  | "ambiguous"
  /** It failed a moment ago, and is left alone. */
  | "resting"
  | Exclude<DatabaseFault, "too_slow">;

export type PipelinesAnswer =
  | { readonly kind: "answer"; readonly body: string; readonly headers: HeaderFields }
  | { readonly kind: "none"; readonly reason: NoAnswer; readonly failure?: DatabaseFailure };

/** GitLab's own database, as far as lists of pipelines are made of it. */
export type PipelinesDatabase = {
  /** The list as GitLab's API would answer it at `address` (no slash at its end); who may see it is not asked here. */
  list(target: PipelinesTarget, address: string, defer: Defer): Promise<PipelinesAnswer>;
};

export type PipelinesDatabaseOptions = {
  readonly run: RunQuery;
  /** For how many milliseconds the database is left alone after it failed, and a list that it took too long for. */
  readonly restMs: number;
  readonly now: () => number;
};

export function pipelinesDatabase({ run, restMs, now }: PipelinesDatabaseOptions): PipelinesDatabase {
  const rests = databaseRests(restMs, now);
  return {
    async list(target, address, defer) {
      const asked = pipelinesQuery(target, address);
      if (asked.kind !== "query") return none(asked.kind);
      const name = `${target.project}?${target.query}`;
      if (!rests.claim(name)) return none("resting");
      try {
        const [row] = (await run(asked.query, defer)) as readonly PipelinesRow[];
        rests.wake(name);
        const reason = noAnswer(row);
        if (row === undefined || reason !== undefined) return none(reason ?? "error");
        const headers = pageHeaders({ target, parameters: asked.parameters, address }, row);
        return { kind: "answer", body: row.body, headers };
      } catch (error) {
        if (!(error instanceof DatabaseFailure)) throw error;
        rests.fail(name, error);
        return { kind: "none", reason: error.fault === "too_slow" ? "timeout" : error.fault, failure: error };
      }
    },
  };
}

/** A source without a name is one of a newer GitLab. */
function noAnswer(row: PipelinesRow | undefined): NoAnswer | undefined {
  if (row === undefined) return "error";
  if (!row.is_found) return "absent";
  if (row.is_ambiguous) return "ambiguous";
  return row.is_known ? undefined : "schema";
}

function none(reason: NoAnswer): PipelinesAnswer {
  return { kind: "none", reason };
}
