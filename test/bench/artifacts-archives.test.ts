import { execFileSync } from "node:child_process";
import { mkdtempSync, openSync, closeSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Archives,
  type KnownEntry,
  makeArchives,
  MANY_DIRECTORY,
} from "../../scripts/bench/artifacts-archives.ts";

const MIB = 1024 * 1024;
const { signal } = new AbortController();
const directory = mkdtempSync(join(tmpdir(), "forgefront-test-"));
let archives: Archives;

beforeAll(async () => {
  const sizes = {
    many: { entries: 300, size: 5 * MIB },
    large: { size: 2 * MIB, text_size: 1_000_000 },
    small: { entries: 100, size: 2 * MIB },
    roomBytes: 100 * MIB,
  };
  archives = await makeArchives(directory, sizes, signal);
}, 30_000);

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function packedOf(path: string, { dataOffset, packedBytes }: KnownEntry): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(packedBytes);
    readSync(file, bytes, 0, packedBytes, dataOffset);
    return bytes;
  } finally {
    closeSync(file);
  }
}

function unzip(...args: readonly string[]): Buffer {
  return execFileSync("unzip", args, { maxBuffer: 64 * MIB });
}

test("makeArchives() makes archives that unzip finds right, of the sizes asked for", () => {
  const { many, large, small } = archives;
  for (const { path } of [many, large, small])
    expect(unzip("-tq", path).toString()).toContain("No errors detected");
  expect(many).toMatchObject({ entries: 300 });
  expect(many.bytes - many.directoryBytes).toBeGreaterThan(4.9 * MIB);
  expect(many.bytes - many.directoryBytes).toBeLessThan(5.1 * MIB);
  const listed = unzip("-Z1", many.path).toString().split("\n");
  expect(listed.filter((name) => name.startsWith(`${MANY_DIRECTORY}/`))).toHaveLength(59);
});

test("makeArchives() tells where the known entries are", () => {
  const { many, large } = archives;
  const texts = [many.known.middle, many.known.other].map((entry) => [many.path, entry] as const);
  for (const [path, entry] of [...texts, [large.path, large.known.log] as const]) {
    const content = inflateRawSync(packedOf(path, entry));
    expect(content).toHaveLength(entry.bytes);
    expect(content.equals(unzip("-p", path, entry.name))).toBe(true);
  }
  const { log, stored } = large.known;
  expect(stored.bytes).toBe(log.packedBytes);
  expect(packedOf(large.path, stored).equals(unzip("-p", large.path, stored.name))).toBe(true);
  expect(log.bytes / log.packedBytes).toBeGreaterThan(4);
  expect(log.bytes / log.packedBytes).toBeLessThan(8);
});

test("makeArchives() refuses a disk without room", async () => {
  const none = { entries: 1, size: 1 };
  const sizes = { many: none, large: { size: 1, text_size: 1 }, small: none, roomBytes: 2 ** 60 };
  await expect(makeArchives(directory, sizes, signal)).rejects.toThrow("has less room than");
});
