import { uriDecode } from "./uri-encode.ts";

/** Whether a query would change header fields of the answer, which only a signed request may (S3: GetObject). */
export function hasOverrides(search: string): boolean {
  const parameters = search.slice(1).split("&");
  return parameters.some((parameter) => (uriDecode(parameter) ?? parameter).startsWith("response-"));
}
