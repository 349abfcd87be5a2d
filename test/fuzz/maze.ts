/** Whether a text leads through. A step at a time shows in its branches; to guess all of them at once takes 2^32 tries. */
export function leadsThrough(text: string): boolean {
  if (text.charAt(0) !== "m") return false;
  if (text.charAt(1) !== "a") return false;
  if (text.charAt(2) !== "z") return false;
  return text.charAt(3) === "e";
}
