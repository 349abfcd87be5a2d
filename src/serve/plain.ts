/** Whether a GET with these header fields wants the plain whole. */
export function isPlain(headers: Headers): boolean {
  return (
    headers.get("range") === null &&
    headers.get("if-none-match") === null &&
    headers.get("if-modified-since") === null &&
    headers.get("if-match") === null &&
    headers.get("if-unmodified-since") === null
  );
}
