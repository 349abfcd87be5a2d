/** `Content-Disposition` with a file name, twice where RFC 6266 §4.3 asks for it: plain for old readers, and whole. */
export function contentDisposition(kind: "inline" | "attachment", name: string): string {
  const plain = name.replace(/[^ -~]/g, "?").replace(/["\\%]/g, "_");
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`;
}
