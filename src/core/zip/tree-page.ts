import type { TreeItem } from "./tree.ts";

/** A page of a listing, and what all its pages add up to. */
export type TreePage = {
  readonly items: readonly TreeItem[];
  readonly directories: number;
  /** Links are counted as files. */
  readonly files: number;
  /** Of all files. */
  readonly bytes: number;
};

/**
 * The items from `start` up to, but not including, `end` of a listing that has directories before files. All of it is looked
 * at, as a directory may come last, but no more is held than may be on the page or before it.
 */
export function directoriesFirst(items: Iterable<TreeItem>, start: number, end: number): TreePage {
  const directories: TreeItem[] = [];
  const files: TreeItem[] = [];
  let directoryCount = 0;
  let fileCount = 0;
  let bytes = 0;
  for (const item of items) {
    if (item.type === "directory") {
      directoryCount += 1;
      if (directoryCount <= end) directories.push(item);
    } else {
      fileCount += 1;
      bytes += item.size ?? 0;
      if (fileCount <= end) files.push(item);
    }
  }
  const fileStart = Math.max(start - directoryCount, 0);
  const fileEnd = Math.max(end - directoryCount, 0);
  return {
    items: [...directories.slice(start, end), ...files.slice(fileStart, fileEnd)],
    directories: directoryCount,
    files: fileCount,
    bytes,
  };
}
