import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { writeZip, type EntrySpec } from "../zip/write-zip.ts";
import { MARKER } from "./artifact-askers.ts";
import { text } from "./artifact-scene.ts";
import { encode, type Answer } from "./s3-client.ts";
import { PRIVATE, type S3Scene, type StoredFile } from "./s3-scene.ts";

const BLOCK_BYTES = 16 * 1024;
export const S3_ARCHIVE_VARS = { BLOCK_BYTES, HOT_BODY_BYTES: 8 * 1024 };

export const LARGE = randomBytes(4 * BLOCK_BYTES);
/** Marked in a content, and in a name. */
export const ENTRIES: readonly EntrySpec[] = [
  { name: "plain.txt", content: `${MARKER} content`, method: 8 },
  { name: `of-${MARKER}.txt`, content: "" },
  { name: "dir/large.bin", content: LARGE },
  { name: "dir/a b+c%.txt", content: "odd" },
  { name: "dir/sub/deep.txt", content: text(3000), method: 8 },
];
export const { bytes: ARCHIVE } = writeZip(ENTRIES);

/** Puts the archive, past the edge. */
export function putArchive(
  scene: S3Scene,
  bucket: string = PRIVATE,
  key = `${scene.name("builds/site")}.zip`,
): StoredFile {
  return scene.object(ARCHIVE, { bucket, key, headers: { "Content-Type": "application/zip" } });
}

/** The query that asks for an entry. */
export const entry = (path: string): string => `zip=entry&path=${encode(path)}`;

export function expectNothingTold({ status, headers, body }: Answer): void {
  expect([400, 401, 403, 404, 422]).toContain(status);
  expect(JSON.stringify(headers) + body.toString("latin1")).not.toContain(MARKER);
  expect(headers).not.toHaveProperty("etag");
}

/** Something of the archive, but not the archive itself. */
export function expectMarked({ status, body, whole }: Answer): void {
  expect([status, whole]).toEqual([200, true]);
  expect(body.toString("latin1")).toContain(MARKER);
  expect(body.equals(ARCHIVE)).toBe(false);
}
