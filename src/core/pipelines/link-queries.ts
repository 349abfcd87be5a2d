import { holdsCredential } from "../principal.ts";
import { FORGE_KINDS } from "../site.ts";
import { uriDecode } from "../uri-encode.ts";

/** A `Link` (RFC 8288 §3) whose URLs have no credential in their query, of whichever forge. */
export function withoutCredentials(link: string): string {
  return link.replaceAll(/<[^<>]*>/g, (reference) => {
    const mark = reference.indexOf("?");
    if (mark === -1) return reference;
    const [, query = "", end = ""] = /^([^#>]*)(.*)$/s.exec(reference.slice(mark + 1)) ?? [];
    const pieces = query.split("&");
    const kept = pieces.filter((piece) => !isCredential(piece));
    if (kept.length === pieces.length) return reference;
    return reference.slice(0, mark) + (kept.length === 0 ? "" : `?${kept.join("&")}`) + end;
  });
}

/** A name that cannot be decoded, or is escaped twice, may be anything. */
function isCredential(piece: string): boolean {
  const name = uriDecode(piece.split("=", 1)[0] ?? "");
  return name === undefined || FORGE_KINDS.some((kind) => holdsCredential(kind, name));
}
