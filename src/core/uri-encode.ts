/** Encodes a text as signatures want it: all but `A-Za-z0-9-._~` (SigV4: "UriEncode()", RFC 3986 §2.3). */
export function uriEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The same for a path: its slashes stay. */
export function uriEncodePath(path: string): string {
  return path.split("/").map(uriEncode).join("/");
}

/** A text after one decoding; `undefined` where it is not UTF-8, or has a stray "%". */
export function uriDecode(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
