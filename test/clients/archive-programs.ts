import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { TOOL_ENVIRONMENT } from "../../scripts/measuring/command.ts";
import { type Leaf, readTree, sortLeaves } from "./file-tree.ts";

const ARCHIVES_PY = join(import.meta.dirname, "archives.py");

/** The programs whose word counts here. */
export const ARCHIVE_PROGRAMS = ["7z", "bsdtar", "python3", "tar", "unzip", "zip"];

/** Times in archives are local ones to some; and only in UTF-8 do they all write the same names. */
const ENVIRONMENT = { ...TOOL_ENVIRONMENT, TZ: "UTC", LC_ALL: "C.UTF-8", PYTHONDONTWRITEBYTECODE: "1" };

/** What a program says. It must find nothing to warn of. */
export async function runProgram(program: string, args: readonly string[], cwd?: string): Promise<string> {
  const options = { env: ENVIRONMENT, cwd, maxBuffer: 64 * 1024 * 1024 };
  const { stdout, stderr } = await promisify(execFile)(program, args, options);
  expect(stderr).toBe("");
  return stdout;
}

/** Makes a zip archive of what is in a directory. */
export type ZipMaker = (archive: string, root: string) => Promise<unknown>;

export const ZIP_MAKERS: Readonly<Record<string, ZipMaker>> = {
  zip: (archive, root) => runProgram("zip", ["-q", "-r", "-y", archive, "."], root),
  "7z": (archive, root) => runProgram("7z", ["a", "-tzip", "-snl", "-bd", archive, "."], root),
  bsdtar: (archive, root) => runProgram("bsdtar", ["-c", "--format", "zip", "-f", archive, "."], root),
  python3: (archive, root) => runProgram("python3", [ARCHIVES_PY, "make", archive, root]),
};

/** What is found in an archive, by way of a new directory or not. */
export type ArchiveReader = (archive: string, root: string) => Promise<Leaf[]>;

export const TAR_READERS: Readonly<Record<string, ArchiveReader>> = {
  tar: unpacksBy("tar", (archive, root) => ["-x", "-p", "-f", archive, "-C", root]),
  bsdtar: unpacksBy("bsdtar", (archive, root) => ["-x", "-p", "-f", archive, "-C", root]),
  python3: listByPython,
};

export const ZIP_READERS: Readonly<Record<string, ArchiveReader>> = {
  unzip: unpacksBy("unzip", (archive, root) => ["-q", archive, "-d", root]),
  "7z": unpacksBy("7z", (archive, root) => ["x", "-snld", "-bd", `-o${root}`, archive]),
  bsdtar: unpacksBy("bsdtar", (archive, root) => ["-x", "-p", "-f", archive, "-C", root]),
  python3: listByPython,
};

/** Prints a file of an archive. */
type FilePrinter = (archive: string, path: string) => Promise<string>;

export const TAR_PRINTERS: Readonly<Record<string, FilePrinter>> = {
  tar: (archive, path) => runProgram("tar", ["-x", "-O", "-f", archive, path]),
  bsdtar: (archive, path) => runProgram("bsdtar", ["-x", "-O", "-f", archive, path]),
  python3: (archive, path) => runProgram("python3", ["-W", "error", ARCHIVES_PY, "print", archive, path]),
};

export const ZIP_PRINTERS: Readonly<Record<string, FilePrinter>> = {
  unzip: (archive, path) => runProgram("unzip", ["-p", archive, path]),
  "7z": (archive, path) => runProgram("7z", ["e", "-so", archive, path]),
  bsdtar: (archive, path) => runProgram("bsdtar", ["-x", "-O", "-f", archive, path]),
  python3: (archive, path) => runProgram("python3", ["-W", "error", ARCHIVES_PY, "print", archive, path]),
};

function unpacksBy(
  program: string,
  args: (archive: string, root: string) => readonly string[],
): ArchiveReader {
  return async (archive, root) => {
    await mkdir(root);
    await runProgram(program, args(archive, root));
    return await readTree(root);
  };
}

async function listByPython(archive: string): Promise<Leaf[]> {
  const found = await runProgram("python3", ["-W", "error", ARCHIVES_PY, "list", archive]);
  return sortLeaves(JSON.parse(found) as Leaf[]);
}
