import fc from "fast-check";
import type { EntrySpec } from "./write-zip.ts";

const anyName = fc.oneof(
  fc.constantFrom("a", "b", "é", "😀", "long-".repeat(25)),
  fc.string({ unit: fc.constantFrom("x", "y", " ", "ü"), minLength: 1, maxLength: 120 }),
);

const anyPath = fc.array(anyName, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));

const anyContent = fc.oneof(
  fc.uint8Array({ maxLength: 1200 }),
  fc.constantFrom("", "x".repeat(512), "text ".repeat(300)),
);

const anyFile = fc.record({
  name: anyPath,
  content: anyContent,
  method: fc.constantFrom(0, 8, 93),
  mode: fc.constantFrom(0o100644, 0o100755, 0o100400, 0),
  mtime: fc.option(fc.nat(2 ** 32 - 1), { nil: 0 }),
});

const anyDirectory = fc.record({ name: anyPath.map((path) => `${path}/`), mtime: fc.nat(2 ** 31) });

const anyLink = fc.record({
  name: anyPath,
  link: fc.oneof(
    anyPath,
    anyPath.map((path) => `../${path}`),
    fc.constantFrom("/etc", "a/../b"),
  ),
});

/** What may be in an archive: paths of every kind, empty and packed content, links that lead out, names that clash. */
export const anyEntries: fc.Arbitrary<readonly EntrySpec[]> = fc.array(
  fc.oneof({ weight: 4, arbitrary: anyFile }, anyDirectory, anyLink),
  { maxLength: 12 },
);
