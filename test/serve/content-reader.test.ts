import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Failure } from "../../src/core/problem.ts";
import type { Member } from "../../src/core/zip/member.ts";
import type { ArchiveBytes } from "../../src/serve/archive-bytes.ts";
import { BodyRefused, type Chunk } from "../../src/serve/body-reader.ts";
import { contentReader } from "../../src/serve/content-reader.ts";
import { codec } from "../../workers/codec.ts";
import { directoryIn } from "../zip/read-zip.ts";
import { type EntrySpec, writeZip } from "../zip/write-zip.ts";
import { addReadAtLeast } from "./read-at-least.ts";

addReadAtLeast();

const BLOCK = 64;
const METHODS = [0, 8, 93];
const CONTENT = Buffer.from(
  Array.from({ length: 400 }, (_, index) => `${(index * 7919) % 10_007} `).join(""),
);

type Shape = {
  readonly kind?: Chunk["kind"];
  readonly failAt?: { readonly index: number; readonly error: Error };
};

/** An archive whose blocks are lent: what is in one is gone once it was given back. */
function archiveOf(bytes: Uint8Array, { kind = "bytes", failAt }: Shape = {}) {
  const asked: number[] = [];
  const loans = { lent: 0 };
  const archive: ArchiveBytes = {
    size: bytes.byteLength,
    blockBytes: BLOCK,
    key: "archive",
    stallMs: 1000,
    spare: {
      take() {
        loans.lent += 1;
        return undefined;
      },
      give(buffer) {
        loans.lent -= 1;
        new Uint8Array(buffer).fill(0);
      },
    },
    reader: {
      async piece({ index, start, end }) {
        asked.push(index);
        await Promise.resolve();
        if (failAt !== undefined && index >= failAt.index) throw failAt.error;
        const part = bytes.slice(index * BLOCK + start, index * BLOCK + end);
        if (kind === "stream") return { kind, stream: new Blob([part]).stream() };
        loans.lent += 1;
        const done = () => {
          loans.lent -= 1;
          part.fill(0);
        };
        return { kind, bytes: part, done };
      },
      forget: () => Promise.resolve(),
      close: () => undefined,
    },
    close: () => undefined,
  };
  return { archive, asked, loans };
}

/** An archive with an entry between two others, and what its directory says of the entry. */
function archived(entry: Omit<EntrySpec, "name">): { bytes: Uint8Array; member: Member } {
  const { bytes } = writeZip([{ name: "0", content: "before" }, { name: "dir/a", ...entry }, { name: "z" }]);
  return { bytes, member: directoryIn(bytes).find("dir/a")! };
}

/** All of the content in reads of `step` bytes, to its end. */
async function readAll(archive: ArchiveBytes, member: Member, step: number): Promise<Buffer> {
  const reader = await contentReader(codec, archive, member);
  const taken: Uint8Array[] = [];
  try {
    for (let left = member.size; left > 0; left -= step)
      taken.push((await reader.read(Math.min(step, left))).slice());
    await reader.end();
    return Buffer.concat(taken);
  } finally {
    await reader.close();
  }
}

describe("contentReader()", () => {
  it.each(METHODS)(
    "contentReader() does read what method %d packed, from blocks of either kind",
    async (method) => {
      for (const kind of ["bytes", "stream"] as const)
        for (const content of ["", "x", CONTENT])
          for (const step of [1000, CONTENT.byteLength]) {
            const { bytes, member } = archived({ content, method });
            const read = await readAll(archiveOf(bytes, { kind }).archive, member, step);
            expect(Buffer.compare(read, Buffer.from(content))).toBe(0);
          }
    },
  );

  it("contentReader() does read any content in any steps, and after any that were skipped", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 600 }),
        fc.constantFrom(...METHODS),
        fc.constantFrom<Chunk["kind"]>("bytes", "stream"),
        fc.array(fc.integer({ min: 0, max: 250 }), { maxLength: 5 }),
        async (content, method, kind, steps) => {
          const { bytes, member } = archived({ content, method });
          const reader = await contentReader(codec, archiveOf(bytes, { kind }).archive, member);
          let position = 0;
          for (const [turn, step] of steps.entries()) {
            const length = Math.min(step, content.byteLength - position);
            if (turn % 2 === 0) await reader.skip(length);
            else
              expect(
                Buffer.compare(await reader.read(length), content.subarray(position, position + length)),
              ).toBe(0);
            position += length;
          }
          await reader.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  it("contentReader() does read into memory that it is given", async () => {
    const { bytes, member } = archived({ content: CONTENT, method: 8 });
    const reader = await contentReader(codec, archiveOf(bytes).archive, member);
    const buffer = new ArrayBuffer(100);
    const read = await reader.read(60, buffer);
    expect(read.buffer).toBe(buffer);
    expect(Buffer.compare(read, CONTENT.subarray(0, 60))).toBe(0);
    await reader.close();
  });

  it("contentReader() does read no more of the archive than it needs", async () => {
    const { bytes, member } = archived({ content: CONTENT });
    const { archive, asked } = archiveOf(bytes);
    const reader = await contentReader(codec, archive, member);
    const forHeader = asked.length;
    await reader.read(10);
    await reader.close();
    expect(asked.length - forHeader).toBeLessThanOrEqual(2);
  });

  it.each<[string, Omit<EntrySpec, "name">]>([
    ["a size too small", { content: CONTENT, method: 8, ...lie({ size: 400 }) }],
    ["a size too large", { content: CONTENT, method: 8, ...lie({ size: CONTENT.byteLength + 1 }) }],
    ["a size of 0", { content: CONTENT, method: 8, ...lie({ size: 0 }) }],
    ["another checksum", { content: CONTENT, method: 8, ...lie({ crc: 7 }) }],
    ["another checksum of what is stored", { content: CONTENT, ...lie({ crc: 7 }) }],
    ["a checksum of nothing", { content: "", ...lie({ crc: 7 }) }],
    ["another method", { content: CONTENT, method: 8, ...lie({ method: 93 }) }],
    [
      "packed bytes that are none",
      { content: CONTENT, method: 8, packed: Buffer.from("garbage, no deflate") },
    ],
    ["packed bytes that are not all", { content: CONTENT, method: 93, packed: new Uint8Array(8) }],
  ])(
    "contentReader() does say of an entry with %s that it is corrupt, and which it is",
    async (_case, entry) => {
      const { bytes, member } = archived(entry);
      for (const step of [100, 1_000_000]) {
        const reading = readAll(archiveOf(bytes).archive, member, step);
        await expect(reading).rejects.toMatchObject({ problem: "entry_corrupt", detail: "dir/a" });
      }
    },
  );

  it.each(METHODS)(
    "contentReader() does not give the last bytes of what is another (method %d)",
    async (method) => {
      const { bytes, member } = archived({ content: CONTENT, method, ...lie({ crc: 7 }) });
      const reader = await contentReader(codec, archiveOf(bytes).archive, member);
      await reader.read(member.size - 1);
      await expect(reader.read(1)).rejects.toMatchObject({ problem: "entry_corrupt" });
      await reader.close();
    },
  );

  it.each([8, 93])(
    "contentReader() does not give the last bytes of what goes on after them (method %d)",
    async (method) => {
      const start = CONTENT.subarray(0, 300);
      const fields = { size: start.byteLength, crc: codec.crc32(start, 0) };
      const { bytes, member } = archived({ content: CONTENT, method, ...lie(fields) });
      const reader = await contentReader(codec, archiveOf(bytes).archive, member);
      expect(Buffer.compare(await reader.read(299), CONTENT.subarray(0, 299))).toBe(0);
      await expect(reader.read(1)).rejects.toMatchObject({ problem: "entry_corrupt", detail: "dir/a" });
      await reader.close();
    },
  );

  it("contentReader() does fail at once where the data is not where the directory says", async () => {
    const { bytes, member } = archived({ content: CONTENT, local: { method: 8 } });
    const opening = contentReader(codec, archiveOf(bytes).archive, member);
    await expect(opening).rejects.toMatchObject({ problem: "entry_lies", detail: "dir/a" });
  });

  it.each(METHODS)("contentReader() does fail as the archive's bytes do (method %d)", async (method) => {
    const content = Uint8Array.from({ length: 2000 }, (_, index) => (index * index * 31) % 251);
    const { bytes, member } = archived({ content, method });
    const refusal = { status: 404, headers: [], body: "" };
    for (const error of [
      new Failure("origin_timeout"),
      new Failure("origin_truncated"),
      new BodyRefused(refusal),
    ]) {
      const index = Math.floor((member.headerOffset + member.compressedSize) / BLOCK);
      const { archive } = archiveOf(bytes, { failAt: { index, error } });
      const outcome: unknown = await readAll(archive, member, 100).catch((thrown: unknown) => thrown);
      expect(outcome).toBe(error);
    }
  });

  it.each(METHODS)(
    "contentReader() does give back all blocks, however early it is left (method %d)",
    async (method) => {
      for (const kind of ["bytes", "stream"] as const)
        for (const length of [0, 10, 500, CONTENT.byteLength]) {
          const { bytes, member } = archived({ content: CONTENT, method });
          const { archive, loans } = archiveOf(bytes, { kind });
          const reader = await contentReader(codec, archive, member);
          await reader.read(length);
          await reader.close();
          expect([kind, length, loans.lent]).toEqual([kind, length, 0]);
        }
    },
  );

  it("contentReader() does not find an end where there is more to read", async () => {
    const { bytes, member } = archived({ content: CONTENT, method: 8 });
    const reader = await contentReader(codec, archiveOf(bytes).archive, member);
    await reader.read(10);
    await expect(reader.end()).rejects.toMatchObject({ problem: "entry_corrupt" });
    await reader.close();
  });
});

/** The same lie in both headers, so that nobody finds out before the content is read. */
function lie(fields: { size?: number; crc?: number; method?: number }): Pick<EntrySpec, "local" | "central"> {
  return { local: fields, central: fields };
}
