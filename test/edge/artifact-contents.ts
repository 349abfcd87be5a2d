import { randomBytes } from "node:crypto";
import { text, type ArtifactScene, type Built, type NewArchive } from "./artifact-scene.ts";

const KIB = 1024;
export const BLOCK_BYTES = 256 * KIB;
export const VARS = { BLOCK_BYTES, HOT_BODY_BYTES: 64 * KIB };

/** What an archive has of each kind: so small that it is kept in memory, and so large that it is not, over several blocks. */
export const CONTENTS = {
  "stored-small.bin": { content: randomBytes(3000) },
  "stored-large.bin": { content: randomBytes(5 * BLOCK_BYTES + 77) },
  "deflated-small.txt": { content: text(4000), method: 8 },
  "deflated-large.txt": { content: text(1100 * KIB + 5), method: 8 },
  "deflated-wide.bin": { content: hardly(700 * KIB), method: 8 },
  "zstd-small.txt": { content: text(4000), method: 93 },
  "zstd-large.txt": { content: text(600 * KIB + 5), method: 93 },
  "stored-empty": { content: Buffer.alloc(0) },
  "deflated-empty": { content: Buffer.alloc(0), method: 8 },
} as const;
export type Name = keyof typeof CONTENTS;
export const NAMES = Object.keys(CONTENTS) as Name[];

/** Bytes that deflate makes only a little smaller. */
function hardly(bytes: number): Buffer {
  return randomBytes(bytes).map((byte) => byte & 0x7f) as Buffer;
}

/** An archive of all of them in one directory, as GitLab Runner writes it. */
export function buildAll(scene: ArtifactScene, more: NewArchive = {}): Built {
  const entries = NAMES.map((name) =>
    Object.assign({ name: `dir/${name}`, descriptor: 16 as const }, CONTENTS[name]),
  );
  return scene.build(entries, more);
}
