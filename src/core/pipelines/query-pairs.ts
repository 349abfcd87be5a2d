import { CONTROL_CHARACTER } from "../control-characters.ts";
import { formDecode } from "../form-decode.ts";

/** What a query may consist of once a URL parser has read it; `;` parted parameters once (HTML 4.01 §B.2.2), and does for some. */
const PLAIN = /^[\u0021-\u003a\u003c-\u007e]*$/;

/** A parameter of a query, its name and value each decoded once. */
export type QueryPair = readonly [name: string, value: string];

/**
 * The parameters of a query in their order (WHATWG URL: "application/x-www-form-urlencoded parsing"); `undefined` where
 * not every reader would read the same: bytes that are not UTF-8, a stray `%`, a name without `=`, control characters.
 */
export function readPairs(search: string): readonly QueryPair[] | undefined {
  const query = search.startsWith("?") ? search.slice(1) : search;
  if (!PLAIN.test(query)) return undefined;
  const pairs: QueryPair[] = [];
  for (const piece of query.split("&")) {
    if (piece === "") continue;
    const equals = piece.indexOf("=");
    const name = equals === -1 ? undefined : plainly(piece.slice(0, equals));
    const value = plainly(piece.slice(equals + 1));
    if (name === undefined || value === undefined) return undefined;
    pairs.push([name, value]);
  }
  return pairs;
}

function plainly(text: string): string | undefined {
  const decoded = formDecode(text);
  return decoded === undefined || CONTROL_CHARACTER.test(decoded) ? undefined : decoded;
}
