/** A text after one decoding of its bytes; `undefined` where they are no UTF-8. */
export function percentDecoded(text: string): string | undefined {
  const bytes: number[] = [];
  const source = Buffer.from(text);
  for (let at = 0; at < source.length; at += 1) {
    if (source[at] !== 0x25) {
      bytes.push(source[at] ?? 0);
      continue;
    }
    const digits = source.toString("latin1", at + 1, at + 3);
    if (!/^[0-9a-f]{2}$/i.test(digits)) return undefined;
    bytes.push(Number.parseInt(digits, 16));
    at += 2;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}
