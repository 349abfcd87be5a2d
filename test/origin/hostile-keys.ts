import fc from "fast-check";

/** What a key can hold that some reader of paths takes for something else. */
const HOSTILE = [
  "",
  ".",
  "..",
  "...",
  "\\",
  "%",
  "%2F",
  "%2e%2e",
  "%zz",
  " ",
  "+",
  "a b",
  "a+b",
  "?",
  "#",
  "&",
  "=",
  ";",
  ":",
  "@",
  "~",
  "*",
  "'",
  "(",
  ")",
  "!",
  '"',
  "<",
  "|",
  "^",
  "`",
  "{}",
  "[",
  "é",
  "e\u0301",
  "😀",
  "\u2028",
  "\ufeff",
  "\u0000",
  "\n",
  "\r",
  "__proto__",
  ".hidden",
  "a.",
  "key",
];

const segment = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.tuple(fc.constantFrom(...HOSTILE), fc.constantFrom(...HOSTILE)).map((pair) => pair.join("")),
);

/** Keys of objects with every kind of segment; never empty. */
export const anyKey = fc
  .array(segment, { minLength: 1, maxLength: 6 })
  .map((segments) => segments.join("/"))
  .filter((key) => key !== "");
