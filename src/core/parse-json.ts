/** A value of JSON, or `undefined` for what is none: what is to be said of it, the caller knows. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
