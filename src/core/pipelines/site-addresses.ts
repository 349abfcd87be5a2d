import type { ForgeKind, ForgeSite } from "../site.ts";
import type { PipelinesTarget } from "../target.ts";

type Scheme = PipelinesTarget["scheme"];

/** The keys whose values are addresses of the forge's own pages and resources (GitLab: entities; Gitea: `modules/structs`). */
const ADDRESS_KEYS: Record<ForgeKind, string> = { gitlab: "web_url", gitea: "html_url|url" };

/** A `Link` of the origin's as clients of the site can follow it (RFC 8288 §3): URLs of the origin's address become the site's. */
export function linkForSite(link: string, { origin, host }: ForgeSite, scheme: Scheme): string {
  return link.replaceAll(/<([^<>]*)>/g, (reference, url: string) =>
    beginsWith(url, origin) ? `<${scheme}//${host}${url.slice(origin.length)}>` : reference,
  );
}

/** Whether a URL is of this very scheme, host and port. */
function beginsWith(url: string, address: string): boolean {
  if (!url.startsWith(address)) return false;
  const next = url.charAt(address.length);
  return next === "" || next === "/" || next === "?";
}

/**
 * A JSON text whose values of the known keys name the site's address instead of the origin's; not a byte else is changed.
 *
 * It need not be parsed: within a string every quote has a backslash before it, so an unescaped `"web_url"` is a string
 * of its own, and one that a colon follows is a key (RFC 8259 §4, §7). What the address ends at must follow it.
 */
export function textForSite(json: string, { origin, host, kind }: ForgeSite, scheme: Scheme): string {
  const address = origin
    .split("/")
    .map(escaped)
    .join(String.raw`\\?/`);
  const value = new RegExp(
    String.raw`(?<!\\)("(?:${ADDRESS_KEYS[kind]})"[ \t\r\n]*:[ \t\r\n]*")${address}(?=["?]|\\?/)`,
    "g",
  );
  return json.replaceAll(value, (found, before: string) => {
    const slash = found.endsWith(origin) ? "//" : String.raw`\/\/`;
    return `${before}${scheme}${slash}${host}`;
  });
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
