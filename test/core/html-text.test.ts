import fc from "fast-check";
import { expect, it } from "vitest";
import { escapeHtml, visibleName } from "../../src/core/html-text.ts";

it.each([
  ["", ""],
  ["a b/é😀", "a b/é😀"],
  [`<b id="x" class='y'>&amp;`, "&lt;b id=&quot;x&quot; class=&#39;y&#39;&gt;&amp;amp;"],
])("escapeHtml() does write %j as %j", (text, escaped) => {
  expect(escapeHtml(text)).toBe(escaped);
});

it("escapeHtml() does lose nothing, and leave nothing that begins or ends a tag or a value", () => {
  const entities = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from("<>&\"'a;#3")) }), (text) => {
      const escaped = escapeHtml(text);
      expect(escaped).not.toMatch(/[<>"']|&(?!(?:lt|gt|amp|quot|#39);)/);
      const read = escaped.replace(/&([^;]+);/g, (_, name: keyof typeof entities) => entities[name]);
      expect(read).toBe(text);
    }),
  );
});

it.each([
  ["plain name.txt", "plain name.txt"],
  ["zero\u200bwidth", "zero[U+200B]width"],
  ["cod\u202egpj.exe", "cod[U+202E]gpj.exe"],
  ["a\u2066b\u2069", "a[U+2066]b[U+2069]"],
  ["a\nb\r\0\u007f\u0085", "a[U+000A]b[U+000D][U+0000][U+007F][U+0085]"],
  ["line\u2028\ufeff", "line[U+2028][U+FEFF]"],
  ["half\ud800", "half\ufffd"],
  // Joiners make letters of Persian and one picture of a family what they are.
  ["می\u200cخواهم", "می\u200cخواهم"],
  ["👩\u200d👧", "👩\u200d👧"],
  ["x".repeat(4096), "x".repeat(4096)],
  ["x".repeat(4097), `${"x".repeat(4096)}\u2026`],
])("visibleName() does show %j", (name, shown) => {
  expect(visibleName(name)).toBe(shown);
});
