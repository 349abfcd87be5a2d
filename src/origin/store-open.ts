import type { Opened } from "../core/dialect.ts";
import { Failure } from "../core/problem.ts";
import { discard } from "./http.ts";
import type { ObjectOpening, StoreParts } from "./store-parts.ts";
import { rangeHeader, storeRequest } from "./store-request.ts";
import { readStoreVerdict } from "./store-verdict.ts";
import { bringsWanted, readStoredObject } from "./stored-object.ts";

/** Reads a range of an object that is known: of that very version, or not at all. */
export async function openStore(parts: StoreParts, opening: ObjectOpening): Promise<Opened> {
  const { target, principal, pin, from, until } = opening;
  if (pin.kind !== "object" || until === undefined)
    throw new TypeError("Only what is known of an object can be opened");
  const { entry } = pin;
  const condition: [string, string][] =
    entry.originEtag === undefined ? [] : [["if-match", entry.originEtag]];
  const headers = [...rangeHeader({ kind: "range", start: from, end: until }), ...condition];
  const response = await parts.ask(storeRequest(parts, { target, principal, method: "GET", headers }));
  if (response.status === 412 || response.status === 416) {
    await discard(response);
    throw new Failure("origin_changed");
  }
  const refused = await readStoreVerdict(response, parts.now());
  if (refused?.kind === "refused") return { kind: "refused", refusal: refused.refusal };
  if (refused !== undefined) return refused;
  const object = readStoredObject(response, entry.at, parts.limits);
  const isSame = object.kind === "object" && object.entry.identity === entry.identity;
  if (
    !isSame ||
    response.body === null ||
    !bringsWanted(object, { kind: "range", start: from, end: until })
  ) {
    await discard(response);
    throw new Failure("origin_changed");
  }
  return { kind: "entry", entry, body: response.body, offset: object.part.start, until: object.part.end };
}
