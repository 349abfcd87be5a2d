/** A number of bytes as header fields write it; `undefined` for anything else. */
export function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
