/** The upper half of IBM code page 437, by byte from 0x80 (APPNOTE D.1); the lower half is ASCII. */
const UPPER_HALF =
  "ÇüéâäàåçêëèïîìÄÅ" + // 0x80
  "ÉæÆôöòûùÿÖÜ¢£¥₧ƒ" + // 0x90
  "áíóúñÑªº¿⌐¬½¼¡«»" + // 0xa0
  "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" + // 0xb0
  "└┴┬├─┼╞╟╚╔╩╦╠═╬╧" + // 0xc0
  "╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀" + // 0xd0
  "αßΓπΣσµτΦΘΩδ∞φε∩" + // 0xe0
  "≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0"; // 0xf0

/** The text that bytes are in IBM code page 437, what a zip's names are in where nothing else is said; any bytes are text. */
export function decodeCp437(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte < 0x80 ? String.fromCharCode(byte) : UPPER_HALF[byte - 0x80]!;
  return text;
}
