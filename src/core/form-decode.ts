import { uriDecode } from "./uri-encode.ts";

/**
 * A name or value of a query after one decoding (WHATWG URL: "application/x-www-form-urlencoded parsing"); `undefined` where
 * not every reader would read the same: bytes that are not UTF-8, a stray `%`.
 */
export function formDecode(text: string): string | undefined {
  return uriDecode(text.replaceAll("+", " "));
}
