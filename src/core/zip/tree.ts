import type { Directory, Member } from "./member.ts";
import { pathProblem } from "./path-problem.ts";
import type { ZipProblem } from "./problems.ts";

/** One line of a listing. */
export type TreeItem = {
  readonly name: string;
  /** As that of a member: a directory's ends with `/`. */
  readonly path: string;
  readonly type: Member["type"];
  /** Directories have none. */
  readonly size: number | undefined;
  readonly mode: number | undefined;
  /** In seconds since 1970; 0 where that is not known. */
  readonly mtime: number;
  readonly problem: ZipProblem | undefined;
};

/** What is below a directory; `items` are made as they are asked for, anew each time, in the order of their paths' UTF-8 bytes. */
export type TreeListing = {
  readonly kind: "items";
  /** Ends with `/`; that of the root is empty. */
  readonly path: string;
  readonly recursive: boolean;
  readonly items: Iterable<TreeItem>;
};

/** A link is a "file" too, wherever it leads. */
export type TreeAnswer =
  | TreeListing
  | { readonly kind: "file"; readonly member: Member }
  | { readonly kind: "missing" };

/**
 * What a path of an archive, with or without a slash at its end, has below it: only what is right below, or all of it.
 * A directory of which the archive has but what it contains is listed as if it were a member; one that it has twice stands there once.
 */
export function listTree(directory: Directory, path: string, recursive: boolean): TreeAnswer {
  const bare = path.endsWith("/") ? path.slice(0, -1) : path;
  const base = bare === "" ? "" : `${bare}/`;
  const { first, end } = directory.below(base);
  if (base !== "" && first === end) {
    // A path that still ends with a slash is one no member has but a directory.
    const member = bare.endsWith("/") ? undefined : directory.find(bare);
    return member === undefined ? { kind: "missing" } : { kind: "file", member };
  }
  const walk = recursive ? walkAll : walkLevel;
  return {
    kind: "items",
    path: base,
    recursive,
    items: { [Symbol.iterator]: () => walk(directory, base) },
  };
}

function* walkLevel(directory: Directory, base: string): Generator<TreeItem> {
  const { first, end } = directory.below(base);
  let shown: string | undefined;
  let position = first;
  while (position < end) {
    const member = directory.at(position);
    if (shown !== undefined && member.path.startsWith(shown)) {
      position = directory.below(shown).end;
      continue;
    }
    const slash = nextSlash(member, base);
    if (slash !== -1) {
      shown = member.path.slice(0, slash + 1);
      yield directoryItem(shown, member);
    } else if (!isItself(member, base)) {
      yield fileItem(member);
    }
    position += 1;
  }
}

function* walkAll(directory: Directory, base: string): Generator<TreeItem> {
  const { first, end } = directory.below(base);
  let inside = base;
  for (let position = first; position < end; position += 1) {
    const member = directory.at(position);
    while (!member.path.startsWith(inside)) inside = parentOf(inside);
    for (let slash = nextSlash(member, inside); slash !== -1; slash = nextSlash(member, inside)) {
      inside = member.path.slice(0, slash + 1);
      yield directoryItem(inside, member);
    }
    if (!isItself(member, inside)) yield fileItem(member);
  }
}

/** Whether a member is the very directory that is being listed; one without a name is in the root, but is not the root. */
function isItself(member: Member, base: string): boolean {
  return base !== "" && member.path === base;
}

function nextSlash(member: Member, inside: string): number {
  return member.path.indexOf("/", inside.length);
}

function parentOf(path: string): string {
  return path.slice(0, path.slice(0, -1).lastIndexOf("/") + 1);
}

function fileItem({ path, type, size, mode, mtime, problem }: Member): TreeItem {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return { name, path, type, size: type === "directory" ? undefined : size, mode, mtime, problem };
}

/** `first` is the first member at or below the path: the directory itself, where the archive has it. */
function directoryItem(path: string, first: Member): TreeItem {
  const name = path.slice(parentOf(path).length, -1);
  const known = { name, path, type: "directory", size: undefined } as const;
  if (first.path === path) {
    return { ...known, mode: first.mode, mtime: first.mtime, problem: first.problem };
  }
  // What is wrong with a member need not be wrong with the directory it is in, but what is wrong with that is with both.
  const problem = first.problem === undefined ? undefined : pathProblem(path);
  return { ...known, mode: undefined, mtime: 0, problem };
}
