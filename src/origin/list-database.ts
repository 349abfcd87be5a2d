import type { ToldList } from "../core/dialect.ts";
import type { ListDatabase } from "../core/pipelines/list-database.ts";
import { projectNumber } from "../core/pipelines/finished.ts";
import type { ForgeSite } from "../core/site.ts";
import type { MemoryStore } from "../core/store.ts";
import type { PipelinesAnswer, PipelinesDatabase } from "./pipelines-db.ts";

export type ListDatabaseParts = {
  readonly database: PipelinesDatabase;
  readonly site: ForgeSite;
  readonly now: () => number;
  /** For how many milliseconds the forge is asked for a list that could not be made, and for all where the database failed. */
  readonly restMs: number;
  /** Until when the forge is asked for a list, by the list. */
  readonly unmade: MemoryStore<number>;
  /** Told what became of each list, and the failure where there was one. */
  readonly onAnswer: (outcome: string, failure: unknown) => void;
};

/** Lists made of the database of a site's forge, for as long as it works; no answer of it is ever an error to a client. */
export function listDatabase(parts: ListDatabaseParts): ListDatabase {
  const { database, site, now, restMs, unmade, onAnswer } = parts;
  let restsUntil = 0;

  const rest = ({ reason, failure }: Extract<PipelinesAnswer, { kind: "none" }>, name: string): void => {
    const until = now() + restMs;
    unmade.set(name, until);
    if (failure !== undefined && reason !== "timeout") restsUntil = until;
  };

  return {
    isAvailable: (target) => now() >= restsUntil && now() >= (unmade.get(nameOf(target)) ?? 0),
    async make(target, defer): Promise<ToldList | undefined> {
      const answer = await database.list(target, `${target.scheme}//${site.host}`, defer);
      if (answer.kind === "none") {
        rest(answer, nameOf(target));
        onAnswer(answer.reason, answer.failure);
        return undefined;
      }
      onAnswer("made", undefined);
      const { body, headers } = answer;
      const bytes = new TextEncoder().encode(body);
      return {
        kind: "list",
        headers,
        bytes,
        origin: undefined,
        isFinished: false,
        projectNumber: projectNumber(body),
      };
    },
  };
}

function nameOf({ project, query }: { readonly project: string; readonly query: string }): string {
  return `${project}?${query}`;
}
