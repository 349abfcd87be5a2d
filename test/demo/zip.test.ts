import { execFile } from "node:child_process";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openArtifact } from "../../scripts/demo/artifact-bytes.ts";
import type { ArtifactSource } from "../../scripts/demo/artifact-bytes.ts";
import { sampleArchive, smallArchive } from "../../scripts/demo/sample-archive.ts";
import { openZipEntry, readZipDirectory } from "../../scripts/demo/zip-reader.ts";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "forgefront-zip-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function entryOf(source: ArtifactSource, name: string): Promise<Buffer> {
  const bytes = openArtifact(source);
  const entry = (await readZipDirectory(bytes)).find((candidate) => candidate.name === name);
  const content = entry && (await openZipEntry(bytes, entry));
  if (content === undefined) throw new Error(`There is no ${name}`);
  return buffer(content);
}

describe("sampleArchive()", () => {
  it("does write what another program unpacks, byte for byte", async () => {
    const path = join(directory, "sample.zip");
    await writeFile(path, sampleArchive("A title", { "more/a.txt": "more\n" }));
    const script = [
      "import json, sys, zipfile, zlib",
      "archive = zipfile.ZipFile(sys.argv[1])",
      "print(json.dumps([[i.filename, i.file_size, zlib.crc32(archive.read(i)), oct(i.external_attr >> 16)]",
      "                  for i in archive.infolist()]))",
    ].join("\n");
    const { stdout } = await promisify(execFile)("python3", ["-c", script, path]);
    const read = JSON.parse(stdout) as [string, number, number, string][];
    const bytes = openArtifact({ path });
    const own = await Promise.all(
      (await readZipDirectory(bytes)).map(async (entry) => {
        const content = await entryOf({ path }, entry.name);
        expect(content.length).toBe(entry.size);
        return [entry.name, entry.size, crc32(content), `0o${entry.mode.toString(8)}`];
      }),
    );
    expect(own).toEqual(read);
    const modes = new Map(read.map(([name, , , mode]) => [name, mode]));
    expect(modes.get("coverage/")).toBe("0o40755");
    expect(modes.get("bin/run.sh")).toBe("0o100755");
    expect(modes.get("latest.html")).toBe("0o120777");
    expect(modes.has("docs/Größe und Maß (1).txt")).toBe(true);
    expect(await entryOf({ path }, "coverage/index.html").then(String)).toContain("<h1>A title</h1>");
    expect(await entryOf({ path }, "more/a.txt").then(String)).toBe("more\n");
  });

  it("does shape regular files as GitLab Runner: no sizes in front of the data, a descriptor behind it", async () => {
    const archive = Buffer.from(sampleArchive("A title"));
    const entries = await readZipDirectory(openArtifact(archive));
    const shapes = entries.map(({ name, headerOffset: at, compressedSize, method }) => {
      const data = at + 30 + archive.readUInt16LE(at + 26) + archive.readUInt16LE(at + 28);
      const end = data + compressedSize;
      const described = archive.readUInt32LE(end) === 0x08074b50 ? archive.readUInt32LE(end + 8) : -1;
      return {
        name,
        method,
        flags: archive.readUInt16LE(at + 6),
        local: archive.readUInt32LE(at + 18),
        described: described === compressedSize,
      };
    });
    expect(shapes).toEqual(
      expect.arrayContaining([
        { name: "./", method: 0, flags: 0, local: 0, described: false },
        { name: "empty.txt", method: 0, flags: 8, local: 0, described: true },
        { name: "logs/build.log", method: 8, flags: 8, local: 0, described: true },
        { name: "data/random.bin", method: 0, flags: 8, local: 0, described: true },
        { name: "latest.html", method: 0, flags: 0, local: 19, described: false },
        expect.objectContaining({ name: "docs/Größe und Maß (1).txt", flags: 0x808 }),
      ]),
    );
  });
});

describe("readZipDirectory()", () => {
  it("does find a directory and an entry past 4 GiB, by the zip64 records", async () => {
    const path = join(directory, "large.zip");
    await writeLargeArchive(path);
    const entries = await readZipDirectory(openArtifact({ path }));
    expect(entries.map(({ name, size }) => [name, size])).toEqual([
      ["zeros.bin", HOLE_BYTES],
      ["after.txt", 6],
    ]);
    expect(await entryOf({ path }, "after.txt").then(String)).toBe("after\n");
  });

  it.each([
    ["is no archive", Buffer.from("not a zip file".repeat(10))],
    ["is cut short", smallArchive({ "a.txt": "a\n" }).subarray(0, -10)],
    ["has a directory of something else", overwritten(smallArchive({ "a.txt": "a\n" }))],
  ])("does refuse what %s", async (_, bytes) => {
    await expect(readZipDirectory(openArtifact(bytes))).rejects.toThrow("Cannot read the archive");
  });
});

function overwritten(archive: Uint8Array): Uint8Array {
  const bytes = Buffer.from(archive);
  bytes.fill(0, bytes.readUInt32LE(bytes.length - 6), bytes.length - 22);
  return bytes;
}

const HOLE_BYTES = 5 * 1024 ** 3;
const SENTINEL = 0xffffffff;

/** A file with a hole: a stored entry of zeros, and a small one behind it. */
async function writeLargeArchive(path: string): Promise<void> {
  const file = await open(path, "w");
  const members = [
    { name: "zeros.bin", size: HOLE_BYTES, offset: 0 },
    { name: "after.txt", size: 6, offset: 30 + 9 + HOLE_BYTES },
  ];
  for (const { name, offset } of members) {
    const header = Buffer.alloc(30 + name.length);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(name.length, 26);
    header.write(name, 30);
    await file.write(header, 0, header.length, offset);
  }
  const start = 30 + 9 + HOLE_BYTES + 30 + 9 + 6;
  await file.write("after\n", start - 6);
  const records = Buffer.concat(members.map(wideRecord));
  const end = Buffer.alloc(56 + 20 + 22);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(BigInt(records.length), 40);
  end.writeBigUInt64LE(BigInt(start), 48);
  end.writeUInt32LE(0x07064b50, 56);
  end.writeBigUInt64LE(BigInt(start + records.length), 56 + 8);
  end.writeUInt32LE(0x06054b50, 76);
  end.fill(0xff, 76 + 8, 76 + 20);
  await file.write(Buffer.concat([records, end]), 0, records.length + end.length, start);
  await file.close();
}

function wideRecord({ name, size, offset }: { name: string; size: number; offset: number }): Buffer {
  const record = Buffer.alloc(46 + name.length + 28);
  record.writeUInt32LE(0x02014b50, 0);
  for (const field of [20, 24, 42]) record.writeUInt32LE(SENTINEL, field);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt16LE(28, 30);
  record.write(name, 46);
  record.writeUInt16LE(0x0001, 46 + name.length);
  record.writeUInt16LE(24, 48 + name.length);
  for (const [index, number] of [size, size, offset].entries())
    record.writeBigUInt64LE(BigInt(number), 50 + name.length + 8 * index);
  return record;
}
