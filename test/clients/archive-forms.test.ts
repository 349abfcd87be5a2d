import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programsLack } from "../../scripts/servers/programs.ts";
import { compactDirectory } from "../../src/core/zip/compact-directory.ts";
import { select } from "../../src/core/zip/selection.ts";
import { tarRuns } from "../../src/core/zip/tar-runs.ts";
import { zipRuns } from "../../src/core/zip/zip-runs.ts";
import { describeWith } from "../servers/presence.ts";
import { memberOf } from "../zip/member-of.ts";
import { type OpenedArchive, openArchive } from "../zip/open-archive.ts";
import { runBytes } from "../zip/run-bytes.ts";
import { writeSparse } from "../zip/write-sparse.ts";
import { type EntrySpec, writeZip } from "../zip/write-zip.ts";
import {
  ARCHIVE_PROGRAMS,
  runProgram,
  TAR_PRINTERS,
  TAR_READERS,
  ZIP_MAKERS,
  ZIP_PRINTERS,
  ZIP_READERS,
  type ZipMaker,
} from "./archive-programs.ts";
import { type Leaf, sortLeaves, writeTree } from "./file-tree.ts";

const LACKS = await programsLack(ARCHIVE_PROGRAMS);

const GIB = 2 ** 30;

const LONG = "name-".repeat(24);

/** Times are even, as MS-DOS has no others. */
const MTIME = Date.UTC(2024, 1, 29, 12, 34, 56) / 1000;

const file = (path: string, content = "", mode = 0o644): Leaf => {
  return { path, kind: "file", mode, mtime: MTIME, content };
};
const folder = (path: string, mode = 0o755): Leaf => {
  return { path, kind: "directory", mode, mtime: MTIME - 1000, content: "" };
};
const link = (path: string, content: string): Leaf => ({ path, kind: "link", mode: 0, mtime: 0, content });

const LEAVES: readonly Leaf[] = [
  file("README.md", "Read me.\n".repeat(200)),
  folder("bin/"),
  file("bin/run.sh", "#!/bin/sh\n", 0o755),
  folder("deep/"),
  folder(`deep/${LONG}/`),
  folder(`deep/${LONG}/${LONG}/`),
  file(`deep/${LONG}/${LONG}/${LONG}`, "far below"),
  folder("dir/", 0o700),
  file("dir/block", "b".repeat(512)),
  file("dir/empty", "", 0o600),
  folder("dir/empty dir/"),
  file("dir/naïve 😀.txt", "\xf0\x9f\x98\x80"),
  file(`dir/${LONG}`, "a long name"),
  link("dir/to-long", LONG),
  link("dir/up", "../bin/run.sh"),
  link("latest", "dir"),
  file(
    "noise",
    Buffer.from(Array.from({ length: 40_000 }, (_, at) => (at * at * 31) >>> 7)).toString("latin1"),
  ),
];

/** As GitLab Runner does: sizes follow the data. */
const descriptors: ZipMaker = async (archive) => {
  const entries = LEAVES.map(({ path, kind, mode, mtime, content }): EntrySpec => {
    if (kind === "link") return { name: path, link: content };
    const isFile = kind === "file";
    const more = isFile
      ? ({ descriptor: 16, method: 8, content: Buffer.from(content, "latin1") } as const)
      : {};
    return { name: path, mode: (isFile ? 0o100000 : 0o040000) | mode, mtime, ...more };
  });
  await writeFile(archive, writeZip(entries).bytes);
};

const FORMS = { tar: tarRuns, zip: zipRuns };
const READERS = [
  ...Object.entries(TAR_READERS).map(([name, read]) => ({ form: "tar" as const, name, read })),
  ...Object.entries(ZIP_READERS).map(([name, read]) => ({ form: "zip" as const, name, read })),
];

const PRINTERS = [
  ...Object.entries(TAR_PRINTERS).map(([name, print]) => ({ form: "tar" as const, name, print })),
  ...Object.entries(ZIP_PRINTERS).map(([name, print]) => ({ form: "zip" as const, name, print })),
];

describeWith("archivers", LACKS)("forms of an archive", () => {
  let base: string;
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "forgefront-archives-"));
    await mkdir(join(base, "tree"));
    await writeTree(join(base, "tree"), LEAVES);
  });
  afterAll(async () => {
    await rm(base, { recursive: true });
  });

  describe.each(Object.entries({ ...ZIP_MAKERS, descriptors }))("made by %s", (maker, make) => {
    let archive: OpenedArchive;
    beforeAll(async () => {
      const path = join(base, `${maker}.zip`);
      await make(path, join(base, "tree"));
      archive = openArchive(await readFile(path));
      const selection = select(archive.directory, "", archive.links);
      for (const [form, runs] of Object.entries(FORMS)) {
        await writeFile(join(base, `${maker}-new.${form}`), runBytes(archive.bytes, runs(selection)));
      }
    });

    it("nothing is left out", () => {
      expect(select(archive.directory, "", archive.links).omitted).toBe(0);
    });

    it.concurrent.each(READERS)(
      "$form is read by $name as the tree it was made of",
      async ({ form, name, read }) => {
        const found = await read(join(base, `${maker}-new.${form}`), join(base, `${maker}-${name}-${form}`));
        expect(found).toEqual(sortLeaves(LEAVES));
      },
    );
  });

  it("only what is below a path is in the forms of it", async () => {
    const path = join(base, "below.zip");
    await descriptors(path, "");
    const archive = openArchive(await readFile(path));
    const expected = sortLeaves(LEAVES.filter((leaf) => leaf.path.startsWith("dir/")));
    for (const { form, name, read } of READERS.filter((one) => one.name === "bsdtar")) {
      const selection = select(archive.directory, "dir", archive.links);
      await writeFile(join(base, `below.${form}`), runBytes(archive.bytes, FORMS[form](selection)));
      expect(await read(join(base, `below.${form}`), join(base, `below-${name}-${form}`))).toEqual(expected);
    }
  });

  const SMALL = "behind all that is large";
  const HUGE = {
    contents: { small: SMALL },
    directory: compactDirectory([
      memberOf({ path: "huge", size: 9 * GIB, compressedSize: 9 * GIB }),
      memberOf({ path: "huger/", headerOffset: 10 * GIB }),
      memberOf({
        path: "small",
        headerOffset: 11 * GIB,
        size: SMALL.length,
        compressedSize: SMALL.length,
        crc: crc32(SMALL),
        mtime: MTIME,
      }),
    ]),
  };

  it.concurrent.each(PRINTERS)(
    "a file behind one of 9 GiB is found in a $form by $name",
    async ({ form, name, print }) => {
      const archive = join(base, `huge-${name}.${form}`);
      await writeSparse(archive, FORMS[form](select(HUGE.directory, "", new Map())), HUGE.contents);
      expect(await print(archive, "small")).toBe(SMALL);
    },
  );

  it("all entries of as many as need zip64 are found in a zip", async () => {
    const paths = Array.from({ length: 0xffff }, (_, index) => `${index}`.padStart(5, "0"));
    const directory = compactDirectory(paths.map((path, headerOffset) => memberOf({ path, headerOffset })));
    const archive = join(base, "many.zip");
    await writeFile(archive, runBytes(new Uint8Array(), zipRuns(select(directory, "", new Map()))));
    const expected = paths.join("\n").concat("\n");
    expect(await runProgram("unzip", ["-Z", "-1", archive])).toBe(expected);
  });
});
