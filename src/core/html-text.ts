const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text as HTML has it between tags and in quoted attributes (HTML "named character references"). */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** What cannot be seen, or moves what can: controls, marks of direction, ends of lines, nothing at all. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\u00ad\u200b\u2028\u2029\u2060-\u2064\ufeff\ufff9-\ufffb]/gu;

/** The longest path that is ever served; what an archive has beyond that is not worth showing. */
const MOST_SHOWN = 4096;

/** A name as it is shown: each unseen character as its code, so that it can neither hide nor move anything. */
export function visibleName(name: string): string {
  const shown = name.length > MOST_SHOWN ? `${name.slice(0, MOST_SHOWN)}\u2026` : name;
  return shown.toWellFormed().replace(UNSEEN, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return `[U+${code.padStart(4, "0")}]`;
  });
}
