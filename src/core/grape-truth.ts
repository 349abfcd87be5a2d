/** How Grape, GitLab's API framework, spells the two truth values. */
const TRUTHS = new Set(["1", "t", "true", "y", "yes", "on"]);
const FALSEHOODS = new Set(["0", "f", "false", "n", "no", "off"]);

/** A truth value as GitLab's API reads it; `undefined` for what is none. */
export function readTruth(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (TRUTHS.has(word)) return true;
  return FALSEHOODS.has(word) ? false : undefined;
}
