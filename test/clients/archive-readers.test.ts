import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { configure, HttpRangeReader, HttpReader, Uint8ArrayWriter, ZipReader } from "@zip.js/zip.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programsLack } from "../../scripts/servers/programs.ts";
import { describeWith } from "../servers/presence.ts";
import { SHELVES, startArchivePlace, type ArchivePlace, type ShelvedArchive } from "./archive-place.ts";
import { runProgram, ZIP_READERS } from "./archive-programs.ts";
import { TREE } from "./archive-tree.ts";
import { type Leaf, writeTree } from "./file-tree.ts";
import { ZIP_FORMS } from "./zip-forms.ts";
import { pythonEnvironment, pythonLacks } from "./python.ts";

const LACKS = await programsLack(["curl", "unzip", "7z"]);
const PYTHON_LACKS = LACKS ?? (await pythonLacks());
const REMOTE_ZIP = join(import.meta.dirname, "remote_zip.py");

/** Packed by deflate, and not packed at all. */
const LARGE = ["large/log.txt", "large/noise.bin"] as const;

configure({ useWebWorkers: false });

/** An archive as programs that know HTTP, and that know zip, read it through the edge. */
describeWith("curl and archivers", LACKS)("an archive's readers", () => {
  let base: string;
  let place: ArchivePlace;
  let archive: Buffer;
  const shelved: Record<string, ShelvedArchive> = {};
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "forgefront-readers-"));
    await mkdir(join(base, "tree"));
    await writeTree(join(base, "tree"), TREE);
    await ZIP_FORMS["7z, deflated"]?.(join(base, "made.zip"), join(base, "tree"));
    archive = await readFile(join(base, "made.zip"));
    place = await startArchivePlace();
    for (const shelf of SHELVES) shelved[shelf] = place.shelve(archive, shelf);
  });
  afterAll(async () => {
    await place.close();
    await rm(base, { recursive: true });
  });

  describe.each(SHELVES)("from %s", (shelf) => {
    const at = (): ShelvedArchive => shelved[shelf] as ShelvedArchive;
    const things = () => [
      { url: at().whole, bytes: archive },
      ...LARGE.map((path) => ({ url: at().entry(path), bytes: contentOf(path) })),
    ];
    let directory: string;
    beforeAll(async () => {
      directory = await mkdtemp(join(base, `${shelf}-`));
    });

    /** What curl writes, and what it says of the transfer. */
    const curl = async (url: string, ...options: readonly string[]) => {
      const file = join(directory, "got");
      const says = "%{http_code} %{size_download}";
      const args = ["-sS", "-o", file, "-D", join(directory, "head"), "-w", says, ...options, url];
      const [status = 0, bytes = 0] = (await runProgram("curl", args)).split(" ").map(Number);
      return { status, bytes, head: await readFile(join(directory, "head"), "latin1"), file };
    };
    const clear = () => rm(join(directory, "got"), { force: true });

    it("curl gets all of it, and all of a file in it", async () => {
      for (const { url, bytes } of things()) {
        const got = await curl(url);
        expect(got).toMatchObject({ status: 200, bytes: bytes.length });
        expect((await readFile(got.file)).equals(bytes)).toBe(true);
      }
    });

    it("curl --compressed gets what is packed as it is packed", async () => {
      for (const { url, bytes } of things()) {
        const got = await curl(url, "--compressed");
        expect(got.status).toBe(200);
        expect((await readFile(got.file)).equals(bytes)).toBe(true);
        const isPacked = url.endsWith("log.txt");
        expect(/^content-encoding: gzip\r$/im.test(got.head)).toBe(isPacked);
        expect(got.bytes < bytes.length / 2).toBe(isPacked);
      }
    });

    it.each(["0-0", "100-299", "1048570-1048600", "2000000-", "-500"])(
      "curl -r %s gets a part",
      async (range) => {
        for (const { url, bytes } of things()) {
          const got = await curl(url, "-r", range);
          const [start = "", end = ""] = range.split("-");
          const part =
            start === "" ? bytes.subarray(-Number(end)) : bytes.subarray(Number(start), lastOf(end));
          expect([got.status, (await readFile(got.file)).equals(part)]).toEqual([206, true]);
        }
      },
    );

    it("curl -C - goes on where it stopped", async () => {
      for (const { url, bytes } of things()) {
        const had = 1_234_567;
        await writeFile(join(directory, "got"), bytes.subarray(0, had));
        const got = await curl(url, "-C", "-");
        expect(got).toMatchObject({ status: 206, bytes: bytes.length - had });
        expect((await readFile(got.file)).equals(bytes)).toBe(true);
      }
    });

    it("curl gets nothing again that has not changed", async () => {
      for (const { url, bytes } of things()) {
        const etag = join(directory, "etag");
        const got = await curl(url, "-R", "--etag-save", etag);
        expect([got.status, (await readFile(etag, "latin1")).length > 10]).toEqual([200, true]);
        expect(await curl(url, "--etag-compare", etag)).toMatchObject({ status: 304, bytes: 0 });
        // An origin that streams what it sends does not say when that was written
        expect(/^last-modified: /im.test(got.head)).toBe(shelf !== "rangeless");
        if (shelf !== "rangeless")
          expect(await curl(url, "-z", got.file)).toMatchObject({ status: 304, bytes: 0 });
        expect((await stat(got.file)).size).toBe(bytes.length);
        await clear();
      }
    });

    it.each(["unzip", "7z"])("%s reads what was downloaded", async (reader) => {
      const { file } = await curl(at().whole);
      if (reader === "7z") expect(await runProgram("7z", ["t", file])).toContain("Everything is Ok");
      const found = await ZIP_READERS[reader]?.(file, join(directory, reader));
      expect(found?.map(summary)).toEqual(TREE.map(summary));
    });

    it.each([
      { name: "HttpRangeReader", open: (url: string) => new HttpRangeReader(url) },
      { name: "HttpReader", open: (url: string) => new HttpReader(url) },
    ])("zip.js reads it by $name", async ({ open }) => {
      const reader = new ZipReader(open(at().whole));
      const found = new Map<string, string>();
      for (const entry of await reader.getEntries()) {
        if (entry.directory) found.set(entry.filename, "");
        else found.set(entry.filename, hash(await entry.getData(new Uint8ArrayWriter())));
      }
      await reader.close();
      expect(Object.fromEntries(found)).toEqual(HASHES);
    });

    describeWith("remotezip", PYTHON_LACKS)("in Python", () => {
      it("zipfile reads it at once, and by ranges: one file, and little else, or all", async () => {
        const env = await pythonEnvironment();
        const args = [REMOTE_ZIP, at().whole, "docs/deep/er/noise"];
        const { stdout } = await promisify(execFile)("python3", args, { env });
        const { one, ranges, whole } = JSON.parse(stdout) as Record<"one" | "ranges" | "whole", RemoteRead>;
        expect(one.listed.toSorted()).toEqual(Object.keys(HASHES).toSorted());
        expect(one.read).toEqual({ "docs/deep/er/noise": HASHES["docs/deep/er/noise"] });
        expect(one.bytes).toBeLessThan(80_000);
        expect(new Set([...one.statuses, ...ranges.statuses])).toEqual(new Set([206]));
        const hashes = Object.entries(HASHES).map(([name, of]) => [name, of === "" ? hash("") : of]);
        expect(ranges.read).toEqual(Object.fromEntries(hashes));
        expect(whole.read).toEqual(Object.fromEntries(hashes));
      });
    });
  });
});

type RemoteRead = {
  readonly listed: readonly string[];
  readonly read: Readonly<Record<string, string>>;
  readonly statuses: readonly number[];
  readonly bytes: number;
};

/** Of what each name holds; directories hold nothing. */
const HASHES: Readonly<Record<string, string>> = Object.fromEntries(
  TREE.map(({ path, kind, content }) => [
    path,
    kind === "directory" ? "" : hash(Buffer.from(content, "latin1")),
  ]),
);

function hash(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Short, so that what differs can be read. */
function summary({ content, ...leaf }: Leaf) {
  return { ...leaf, content: hash(Buffer.from(content, "latin1")) };
}

function contentOf(path: string): Buffer {
  return Buffer.from(TREE.find((leaf) => leaf.path === path)?.content ?? "", "latin1");
}

function lastOf(end: string): number | undefined {
  return end === "" ? undefined : Number(end) + 1;
}
