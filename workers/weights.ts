import type { Changes, GroupChanges } from "../src/core/events/changes.ts";
import type { Written } from "../src/core/events/written.ts";
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

export const SMALL_RECORD_BYTES = 256;

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

/** What was told of a project or object: lists of refs, pipelines or prefixes. */
export function weighAccount(account: Changes | GroupChanges | Written): number {
  const lists = Object.values(account).filter((value) => Array.isArray(value));
  return lists.reduce((sum, list) => sum + list.length * SMALL_RECORD_BYTES, SMALL_RECORD_BYTES);
}

export function weighEntry({ headers }: Pick<Entry, "headers">): number {
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
