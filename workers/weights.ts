import type { Entry } from "../src/core/entry.ts";
import type { Grant } from "../src/core/grant.ts";
import type { Refusal } from "../src/core/refusal.ts";
import type { Revision } from "../src/core/revision.ts";
import type { Links } from "../src/core/zip/links.ts";
import type { KnownDirectory } from "../src/serve/known-directory.ts";
import type { KnownAsker } from "../src/serve/asker.ts";

/*
 * What records weigh in memory, roughly, in bytes.
 */

const SMALL_RECORD_BYTES = 256;

export function weighRefused({ refusal }: { readonly refusal: Refusal }): number {
  return SMALL_RECORD_BYTES + refusal.body.length;
}

export function weighGrant(grant: Grant): number {
  return grant.kind === "yes" ? SMALL_RECORD_BYTES : weighRefused(grant);
}

export function weighRevision(revision: Revision): number {
  if (revision.kind === "object") return SMALL_RECORD_BYTES + weighEntry(revision.entry);
  return SMALL_RECORD_BYTES + (revision.kind === "refs" ? revision.refs.length * 160 : 0);
}

export function weighEntry({ headers }: Entry): number {
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length, 2 * SMALL_RECORD_BYTES);
}

/** What was sent is held twice: as the asker, and as the key it is found by. */
export function weighAsker({ asker, sentLength }: KnownAsker): number {
  return SMALL_RECORD_BYTES + 2 * (sentLength + asker.principal.text.length);
}

export function weighDirectory(known: KnownDirectory): number {
  return SMALL_RECORD_BYTES + (known.kind === "directory" ? known.directory.bytes.byteLength : 0);
}

export function weighLinks(links: Links): number {
  let weight = SMALL_RECORD_BYTES;
  for (const [path, text] of links) weight += SMALL_RECORD_BYTES + path.length + text.length;
  return weight;
}
