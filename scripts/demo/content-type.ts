const SNIFFED_BYTES = 512;
const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n/, "image/png"],
  [/^GIF8[79]a/, "image/gif"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^%PDF-/, "application/pdf"],
];

/** The type a forge finds in a file's first bytes: an image, or text that no browser runs, or bytes. */
export function sniffContentType(start: Uint8Array): string {
  const text = Buffer.from(start.subarray(0, SNIFFED_BYTES)).toString("latin1");
  if (/^\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*(<!doctype svg[^>]*>\s*)?<svg\b/is.test(text))
    return "image/svg+xml";
  const known = SIGNATURES.find(([signature]) => signature.test(text));
  if (known !== undefined) return known[1];
  return start.subarray(0, SNIFFED_BYTES).some(isBinary)
    ? "application/octet-stream"
    : "text/plain; charset=utf-8";
}

/** The control characters by which https://mimesniff.spec.whatwg.org tells a binary resource: all but tabs, line and page breaks, and escape. */
function isBinary(byte: number): boolean {
  return byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte);
}
