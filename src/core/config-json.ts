/** A value of JSON, or `undefined` for what is none: reported by the caller, who knows which variable it was. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
