/** A tree of XML elements; a list repeats its element, undefined leaves it out. */
export type XmlContent =
  | string
  | number
  | boolean
  | undefined
  | readonly XmlContent[]
  | { readonly [name: string]: XmlContent };

const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** An XML document in S3's namespace. */
export function xmlDocument(root: string, content: XmlContent): string {
  return `${DECLARATION}<${root} xmlns="${NAMESPACE}">${inner(content)}</${root}>`;
}

/** S3's error document, which has no namespace. */
export function xmlError(content: XmlContent): string {
  return `${DECLARATION}<Error>${inner(content)}</Error>`;
}

function inner(content: XmlContent): string {
  if (content === undefined) return "";
  if (typeof content !== "object") return escapeText(String(content));
  return Object.entries(content)
    .map(([name, value]) => element(name, value))
    .join("");
}

function element(name: string, value: XmlContent): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.map((item: XmlContent) => element(name, item)).join("");
  return `<${name}>${inner(value)}</${name}>`;
}

function escapeText(text: string): string {
  // A carriage return would be read back as a line feed (XML 1.0 §2.11).
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\r", "&#13;");
}

/** The contents of every element of a name, in order and still escaped; enough for the few flat documents that S3 is sent. */
export function xmlElements(text: string, name: string): string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?(?:/>|>(.*?)</${name}>)`, "gs");
  return [...text.matchAll(pattern)].map(([, content = ""]) => content);
}

/** The text of the first element of a name. */
export function xmlText(text: string, name: string): string | undefined {
  const [content] = xmlElements(text, name);
  return content === undefined ? undefined : unescapeText(content);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescapeText(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(amp|lt|gt|quot|apos));/gi, (_match, hex, decimal, name) => {
    if (typeof name === "string") return ENTITIES[name.toLowerCase()] ?? "";
    return String.fromCodePoint(typeof hex === "string" ? Number.parseInt(hex, 16) : Number(decimal));
  });
}
