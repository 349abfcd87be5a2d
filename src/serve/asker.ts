import { ANONYMOUS, credentialHeaders, readPrincipal } from "../core/principal.ts";
import type { MemoryStore } from "../core/store.ts";
import type { Arrival } from "./arrival.ts";
import type { Asker } from "./visit.ts";

export const NOBODY: Asker = { principal: ANONYMOUS, id: "anonymous" };

export type AskerParts = {
  readonly digest: (text: string) => Promise<string>;
  /**
   * Known askers by what they sent: hashing for every hit would cost more than the rest of the hit.
   * The one place where a credential is held as it came; it is memory of this isolate and is never written anywhere.
   */
  readonly known: MemoryStore<Asker>;
};

/** Who sent a request, where that is remembered or nobody; `undefined` where it must be hashed first. */
export function findAsker({ known }: AskerParts, arrival: Arrival): Asker | undefined {
  const sent = sentBy(arrival);
  return sent === "" ? NOBODY : known.get(sent);
}

/** Who sent a request. */
export async function identify(parts: AskerParts, arrival: Arrival): Promise<Asker> {
  const { site, headers, search } = arrival;
  const principal = readPrincipal(site.kind, (name) => headers.get(name), search);
  const asker =
    principal.kind === "anonymous" ? NOBODY : { principal, id: await parts.digest(principal.text) };
  parts.known.set(sentBy(arrival), asker);
  return asker;
}

/** All that could hold a credential, in one text; empty for most anonymous requests. */
function sentBy({ site, headers, search }: Arrival): string {
  let sent = search;
  for (const name of credentialHeaders(site.kind)) {
    const value = headers.get(name);
    if (value !== null) sent += `\n${name}:${value}`;
  }
  return sent === "" ? "" : `${site.kind}\n${sent}`;
}
