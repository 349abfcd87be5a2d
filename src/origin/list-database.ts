import type { ToldList } from "../core/dialect.ts";
import type { ListDatabase } from "../core/pipelines/list-database.ts";
import { projectNumber } from "../core/pipelines/finished.ts";
import { listHeaders } from "../core/pipelines/list-headers.ts";
import type { ForgeSite } from "../core/site.ts";
import { databaseRests } from "./database-rests.ts";
import type { PipelinesAnswer, PipelinesDatabase } from "./pipelines-db.ts";
import { DatabaseFailure } from "./postgres.ts";

export type ListDatabaseParts = {
  readonly database: PipelinesDatabase;
  readonly site: ForgeSite;
  readonly now: () => number;
  /** For how many milliseconds the forge is asked for a list that could not be made, and for all where the database failed. */
  readonly restMs: number;
  /** Told what became of each list, and the failure where there was one. */
  readonly onAnswer: (outcome: string, failure: unknown) => void;
};

/** Lists made of the database of a site's forge, for as long as it works; no answer of it is ever an error to a client. */
export function listDatabase(parts: ListDatabaseParts): ListDatabase {
  const { database, site, now, restMs, onAnswer } = parts;
  const rests = databaseRests(restMs, now);

  const rest = ({ reason, failure }: NoList, name: string): void => {
    if (reason === "resting") return; // another is trying again just now
    if (failure === undefined) rests.rest(name);
    else rests.fail(name, failure);
  };

  return {
    isAvailable: (target) => !rests.isResting(nameOf(target)),
    async make(target, defer): Promise<ToldList | undefined> {
      const answer = await list(database, target, `${target.scheme}//${site.host}`, defer);
      if (answer.kind === "answer") {
        onAnswer("made", undefined);
        return toldList(answer);
      }
      rest(answer, nameOf(target));
      onAnswer(answer.reason, answer.failure);
      return undefined;
    },
  };
}

type NoList = Extract<PipelinesAnswer, { kind: "none" }>;

/** What nobody thought of is a failure like any other: the forge can still be asked. */
async function list(
  database: PipelinesDatabase,
  ...asked: Parameters<PipelinesDatabase["list"]>
): Promise<PipelinesAnswer> {
  try {
    return await database.list(...asked);
  } catch (cause) {
    return { kind: "none", reason: "error", failure: new DatabaseFailure("error", cause) };
  }
}

function toldList({ body, headers }: Extract<PipelinesAnswer, { kind: "answer" }>): ToldList {
  const said = new Map(headers);
  return {
    kind: "list",
    headers: listHeaders((name) => said.get(name) ?? null), // in the order in which the forge's own are kept
    bytes: new TextEncoder().encode(body),
    origin: undefined,
    isFinished: false,
    projectNumber: projectNumber(body),
  };
}

function nameOf({ project, query }: { readonly project: string; readonly query: string }): string {
  return `${project}?${query}`;
}
