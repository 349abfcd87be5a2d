import {
  chmod,
  lstat,
  lutimes,
  mkdir,
  readdir,
  readFile,
  readlink,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";

/** A file, a directory or a link, as an archive is to keep it. Permissions and time of links are nobody's concern, and 0. */
export type Leaf = {
  readonly path: string;
  readonly kind: "file" | "directory" | "link";
  readonly mode: number;
  /** In seconds since 1970. */
  readonly mtime: number;
  /** A character a byte; of a link the target. */
  readonly content: string;
};

/** In an order that does not depend on who found them. */
export function sortLeaves(leaves: readonly Leaf[]): Leaf[] {
  return leaves
    .map((leaf) => (leaf.kind === "link" ? { ...leaf, mode: 0, mtime: 0 } : leaf))
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

export async function writeTree(root: string, leaves: readonly Leaf[]): Promise<void> {
  for (const leaf of leaves) await writeLeaf(join(root, leaf.path), leaf);
  // What is written into a directory changes its time.
  for (const { path, kind, mode, mtime } of leaves.toReversed()) {
    if (kind === "link") {
      await lutimes(join(root, path), mtime, mtime);
      continue;
    }
    await chmod(join(root, path), mode);
    await utimes(join(root, path), mtime, mtime);
  }
}

async function writeLeaf(path: string, { kind, content }: Leaf): Promise<void> {
  await mkdir(kind === "directory" ? path : dirname(path), { recursive: true });
  if (kind === "link") await symlink(Buffer.from(content, "latin1"), path);
  if (kind === "file") await writeFile(path, content, "latin1");
}

export async function readTree(root: string): Promise<Leaf[]> {
  return sortLeaves(await readBelow(root, ""));
}

/** Node's own recursion would go through links. */
async function readBelow(root: string, parent: string): Promise<Leaf[]> {
  const leaves: Leaf[] = [];
  for (const name of await readdir(join(root, parent))) {
    const leaf = await readLeaf(root, parent + name);
    leaves.push(leaf);
    if (leaf.kind === "directory") leaves.push(...(await readBelow(root, leaf.path)));
  }
  return leaves;
}

async function readLeaf(root: string, name: string): Promise<Leaf> {
  const path = join(root, name);
  const found = await lstat(path);
  const known = { mode: found.mode & 0o777, mtime: Math.floor(found.mtimeMs / 1000) };
  if (found.isSymbolicLink()) {
    return {
      path: name,
      kind: "link",
      ...known,
      content: (await readlink(path, "buffer")).toString("latin1"),
    };
  }
  if (found.isDirectory()) return { path: `${name}/`, kind: "directory", ...known, content: "" };
  return { path: name, kind: "file", ...known, content: await readFile(path, "latin1") };
}
