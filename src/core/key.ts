import { uriDecode } from "./uri-encode.ts";

/** Raised when the meaning of anything stored changes; what an older Worker stored is then never read. */
const GENERATION = "1";

export const KEY_KINDS = ["grant", "revision", "entry", "latest", "body", "list", "change", "look"] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/**
 * The one maker of cache keys. Each part is escaped and marked, so that no two lists of parts make one key,
 * and no part can become a dot segment when the key is used as a URL path.
 */
export function makeKey(kind: KeyKind, ...parts: readonly string[]): string {
  return `${GENERATION}/${kind}/${parts.map((part) => `~${encodeURIComponent(part)}`).join("/")}`;
}

export type ReadKey = { readonly kind: KeyKind; readonly parts: readonly string[] };

/** What a key was made of; `undefined` for a text that `makeKey` never makes. */
export function readKey(key: string): ReadKey | undefined {
  const [generation, name, ...rest] = key.split("/");
  const kind = KEY_KINDS.find((each) => each === name);
  if (generation !== GENERATION || kind === undefined || rest.length === 0) return undefined;
  const marked = rest.length === 1 && rest[0] === "" ? [] : rest;
  const parts: string[] = [];
  for (const segment of marked) {
    const part = uriDecode(segment.slice(1));
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return makeKey(kind, ...parts) === key ? { kind, parts } : undefined;
}
