import { ANONYMOUS, credentialHeaders, holdsCredential, readPrincipal } from "../core/principal.ts";
import type { ForgeSite } from "../core/site.ts";
import type { MemoryStore } from "../core/store.ts";
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

/** Where a request may carry credentials. */
type Carrier = { readonly headers: Headers; readonly search: string };

/** Who sent a request, where that is remembered or nobody; `undefined` where it must be hashed first. */
export function findAsker({ known }: AskerParts, site: ForgeSite, carrier: Carrier): Asker | undefined {
  const sent = sentBy(site, carrier);
  return sent === "" ? NOBODY : known.get(sent);
}

/** Who sent a request. */
export async function identify(parts: AskerParts, site: ForgeSite, carrier: Carrier): Promise<Asker> {
  const { headers, search } = carrier;
  const principal = readPrincipal(site.kind, (name) => headers.get(name), search);
  const asker =
    principal.kind === "anonymous" ? NOBODY : { principal, id: await parts.digest(principal.text) };
  parts.known.set(sentBy(site, carrier), asker);
  return asker;
}

/** All that could hold a credential, in one text; empty for most anonymous requests. */
function sentBy({ kind }: ForgeSite, { headers, search }: Carrier): string {
  let sent = search === "" || !holdsCredential(kind, search) ? "" : `${kind} ${search}`;
  for (const name of credentialHeaders(kind)) {
    const value = headers.get(name);
    if (value !== null) sent += `\n${kind} ${name}:${value}`;
  }
  return sent;
}
