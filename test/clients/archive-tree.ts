import { pseudoRandomBytes } from "../../scripts/demo/pseudo-random.ts";
import type { Leaf } from "./file-tree.ts";

/** Times are even, as MS-DOS has no others. */
const MTIME = Date.UTC(2025, 5, 30, 8, 15, 42) / 1000;
/** More than one block. */
const LARGE_BYTES = 3 * 1024 * 1024;

const file = (path: string, content: string, mode = 0o644): Leaf => {
  return { path, kind: "file", mode, mtime: MTIME, content };
};
const utf8 = (text: string): string => Buffer.from(text).toString("latin1");
const folder = (path: string, mode = 0o755): Leaf => {
  return { path, kind: "directory", mode, mtime: MTIME - 86_400, content: "" };
};
const link = (path: string, content: string): Leaf => ({ path, kind: "link", mode: 0, mtime: 0, content });

/** Of no two lines alike. */
function largeText(size: number): string {
  const lines: string[] = [];
  for (let number = 0, bytes = 0; bytes < size; number += 1) {
    const line = `${number} ok ${Math.imul(number, 2_654_435_761) >>> 0}\n`;
    lines.push(line);
    bytes += line.length;
  }
  return lines.join("").slice(0, size);
}

/** One of everything that a job leaves behind, in the order of paths. */
export const TREE: readonly Leaf[] = [
  file("README.md", "Read me.\n".repeat(300)),
  folder("bin/"),
  file("bin/run.sh", "#!/bin/sh\necho built\n", 0o755),
  folder("docs/"),
  file("docs/Größe & Maß (1)+#2.txt", utf8("Jeder Name hat seinen Ort.\n")),
  folder("docs/deep/"),
  folder("docs/deep/er/"),
  file("docs/deep/er/noise", Buffer.concat([...pseudoRandomBytes("small", 5000)]).toString("latin1"), 0o600),
  file("docs/deep/table.csv", largeText(100_003)),
  file("docs/empty.txt", ""),
  folder("docs/empty/"),
  link("docs/program", "../bin/run.sh"),
  file("docs/日本語 😀.txt", utf8("日本語\n")),
  folder("large/", 0o700),
  file("large/log.txt", largeText(LARGE_BYTES)),
  file("large/noise.bin", Buffer.concat([...pseudoRandomBytes("large", LARGE_BYTES)]).toString("latin1")),
  link("latest", "docs"),
];

/** What there is below a directory of it, the directory and those above it included, as an archive of that unpacks. */
export function below(leaves: readonly Leaf[], directory: string): Leaf[] {
  return leaves.filter(({ path }) => path.startsWith(directory));
}
