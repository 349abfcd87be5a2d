import type { Changes, GroupChanges } from "../src/core/events/changes.ts";
import type { Written } from "../src/core/events/written.ts";
import type { Entry } from "../src/core/entry.ts";
import type { Grant } from "../src/core/grant.ts";
import type { Refusal } from "../src/core/refusal.ts";
import type { Revision } from "../src/core/revision.ts";
import type { Links } from "../src/core/zip/links.ts";
import type { AskedFiles } from "../src/serve/asked-files.ts";
import type { KnownDirectory } from "../src/serve/known-directory.ts";
import type { Asker } from "../src/serve/visit.ts";

/*
 * What records hold in memory beside their key and a few numbers, roughly, in bytes.
 */

/** One more thing in a list or map of a record. */
const ITEM_BYTES = 256;
const REF_BYTES = 160;

export function weighRefused({ refusal: { body, headers } }: { readonly refusal: Refusal }): number {
  return body.length + weighHeaders(headers);
}

export function weighGrant(grant: Grant): number {
  return grant.kind === "yes" ? 0 : weighRefused(grant);
}

export function weighRevision(revision: Revision): number {
  if (revision.kind === "object") return weighEntry(revision.entry);
  return revision.kind === "refs" ? revision.refs.length * REF_BYTES : 0;
}

/** What was told of a project or object: lists of refs, pipelines or prefixes. */
export function weighAccount(account: Changes | GroupChanges | Written): number {
  const lists = Object.values(account).filter((value) => Array.isArray(value));
  return lists.reduce((sum, list) => sum + list.length * ITEM_BYTES, 0);
}

export function weighEntry({ headers }: Pick<Entry, "headers">): number {
  return ITEM_BYTES + weighHeaders(headers);
}

/** What was sent is the key, and is held once more in the parts that make the asker. */
export function weighAsker({ principal }: Asker, sent: string): number {
  return sent.length + principal.text.length;
}

/** What is counted holds on to what was asked for. */
export function weighAsked({ now, before }: AskedFiles): number {
  return (now.counts.size + before.counts.size) * 4 * ITEM_BYTES;
}

export function weighDirectory(known: KnownDirectory): number {
  return known.kind === "directory" ? known.directory.bytes.byteLength : 0;
}

export function weighLinks(links: Links): number {
  let weight = 0;
  for (const [path, text] of links) weight += ITEM_BYTES + path.length + text.length;
  return weight;
}

function weighHeaders(headers: Entry["headers"]): number {
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}
