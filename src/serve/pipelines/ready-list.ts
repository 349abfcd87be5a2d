import type { Rendering } from "../../core/pipelines/rendering.ts";
import type { RequestRecord } from "../../core/telemetry.ts";
import { grantLifetime } from "../grant-life.ts";
import { newestKey, numberKey, renderingKey, standingKey } from "../keys.ts";
import { keepReady, lookAgain, type Rest } from "../ready.ts";
import { numberLifetime } from "./by-number.ts";
import { isMadeHere } from "./database.ts";
import type { ListVisit } from "./list-visit.ts";
import { listLifetime } from "./list-lifetime.ts";
import { entryOf } from "./told.ts";

/** Remembers the answer to a plain GET of a list that memory alone has given, for the URL that asked for it. */
export function rememberReadyList(
  visit: ListVisit,
  rendering: Rendering,
  made: { readonly headers: Headers; readonly counted: RequestRecord },
): void {
  const { target, asked, isolate, trace } = visit;
  const { standings, renderings } = isolate.ports;
  const now = trace.startedAt;
  const isMade = isMadeHere(visit);
  const key = isMade ? newestKey(visit, target, "database") : standingKey(visit, target);
  const standing = standings.hot(key);
  if (standing === undefined) return;
  const head = renderingKey(visit, target, rendering.tag);
  const footings = [
    { in: standings, key, record: standing },
    { in: renderings, key: head, record: rendering },
  ];
  const ends = [lookAgain(rendering.at, now, listLifetime(visit, rendering))];
  if (!isMade) ends.push(lookAgain(standing.at, now, grantLifetime(visit, { at: standing.at, kind: "yes" })));
  const number = asked && standings.hot(numberKey(visit, asked));
  if (asked !== undefined && number !== undefined) {
    footings.push({ in: standings, key: numberKey(visit, asked), record: number });
    ends.push(lookAgain(number.at, now, numberLifetime(visit)));
  }
  const rest: Rest = { footings, until: Math.min(...ends) };
  keepReady(visit, entryOf(rendering), made, asked === undefined ? rest : { ...rest, as: asked });
}
