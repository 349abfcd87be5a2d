import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programsLack } from "../../scripts/servers/programs.ts";
import { describeWith } from "../servers/presence.ts";
import {
  SHELVES,
  startArchivePlace,
  type ArchivePlace,
  type Shelf,
  type ShelvedArchive,
} from "./archive-place.ts";
import { ARCHIVE_PROGRAMS, ZIP_READERS, type ZipMaker } from "./archive-programs.ts";
import { below, TREE } from "./archive-tree.ts";
import { readTree, writeTree, type Leaf } from "./file-tree.ts";
import { buildGoZip, GO_FORMS } from "./go-zip.ts";
import { ZIP_FORMS } from "./zip-forms.ts";

const LACKS = await programsLack([...ARCHIVE_PROGRAMS, "curl"]);
const GO_LACKS = LACKS ?? (await programsLack(["go"]));

const FILES = TREE.filter(({ kind }) => kind === "file");
const SMALL_FILES = FILES.filter(({ content }) => content.length < 200_000);

/** GNU tar keeps links that lead up to the end, unless `-P` is given, and may then forget a directory's time (1.34). */
const TAR_PROGRAMS = [
  { program: "tar", flags: "-P", shelf: "local" },
  { program: "bsdtar", flags: "", shelf: "store" },
] as const;

let base: string;
let place: ArchivePlace;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "forgefront-through-edge-"));
  await mkdir(join(base, "tree"));
  await writeTree(join(base, "tree"), TREE);
  place = await startArchivePlace();
});
afterAll(async () => {
  await place.close();
  await rm(base, { recursive: true });
});

describeWith("archivers", LACKS)("an archive through the edge", () => {
  describe.each(numbered(ZIP_FORMS))("made by $name", ({ made, number }) => {
    readsAlike(() => made, number);
  });
});

describeWith("Go", GO_LACKS)("an archive through the edge", () => {
  let goZip: Awaited<ReturnType<typeof buildGoZip>>;
  beforeAll(async () => {
    goZip = await buildGoZip(base);
  });
  describe.each(numbered(GO_FORMS))("made by $name", ({ made, number }) => {
    // Members stay packed as they are, and Info-ZIP's unzip knows nothing of zstd
    readsAlike(() => goZip(made), number, made === "fast-zstd" ? "7z" : "unzip");
  });
});

function numbered<Made>(forms: Readonly<Record<string, Made>>) {
  return Object.entries(forms).map(([name, made], number) => ({ name, made, number }));
}

/** However it was packed, and wherever it is, it is read as what was packed. The large files are read at one place each, and tars by one program, in turn. */
function readsAlike(maker: () => ZipMaker, number: number, unpacker: "unzip" | "7z" = "unzip"): void {
  let directory: string;
  let archive: Buffer;
  beforeAll(async () => {
    directory = await mkdtemp(join(base, "archive-"));
    const path = join(directory, "made.zip");
    await maker()(path, join(base, "tree"));
    archive = await readFile(path);
  });
  const shelved = (shelf: Shelf): ShelvedArchive => place.shelve(archive, shelf);

  it.each(SHELVES)("gives each file from %s", async (shelf) => {
    const { entry } = shelved(shelf);
    const isAll = shelf === SHELVES[number % SHELVES.length];
    for (const leaf of isAll ? FILES : SMALL_FILES)
      expect([leaf.path, await readTwice(entry(leaf.path), leaf)]).toEqual([leaf.path, RIGHT]);
    const program = FILES.find(({ path }) => path === "bin/run.sh");
    expect(await readTwice(entry("docs/program"), program)).toEqual(RIGHT);
  });

  it("lists what is in it", async () => {
    const items = await shelved("object").list();
    expect(items.map(({ path, type, size, mode }) => ({ path, type, size, mode }))).toEqual(LISTED);
  });

  const tar = TAR_PROGRAMS[number % TAR_PROGRAMS.length] ?? TAR_PROGRAMS[0];
  it(`becomes a tar that ${tar.program} unpacks out of a pipe`, async () => {
    const { program, flags, shelf } = tar;
    const url = shelved(shelf).remade("tar");
    const root = join(directory, program);
    await mkdir(root);
    await runPipe(`curl -sS --fail '${url}' | ${program} ${flags} -x -p -f - -C '${root}'`);
    expect(differences(await readTree(root), TREE)).toEqual([]);
  });

  it("becomes a zip of a directory that unzip unpacks, or 7z where that cannot", async () => {
    const url = shelved("local").remade("zip", "docs/");
    const root = join(directory, "unpacked");
    await runPipe(`curl -sS --fail -o '${root}.zip' '${url}'`);
    const unpacked = unpacker === "unzip" ? ZIP_READERS["unzip"] : ZIP_READERS["7z"];
    const found = (await unpacked?.(`${root}.zip`, root)) ?? [];
    expect(differences(below(found, "docs/"), below(TREE, "docs/"))).toEqual([]);
  });
}

/** As GitLab lists them (a link is a file there): in the order of their paths. */
const LISTED = TREE.map(({ path, kind, mode, content }) => ({
  path,
  type: kind === "directory" ? "directory" : "file",
  size: kind === "directory" ? undefined : content.length,
  mode: kind === "link" ? "120777" : `${kind === "file" ? "100" : "040"}${mode.toString(8)}`,
}));

/** What is read, as it is and as gzip. */
const RIGHT = [1, 2].map(() => ({ status: 200, isWhole: true, isRight: true }));

async function readTwice(url: string, leaf: Leaf | undefined) {
  const content = Buffer.from(leaf?.content ?? "", "latin1");
  const answers = [await place.ask(url), await place.ask(url, { headers: { "accept-encoding": "gzip" } })];
  return answers.map(({ status, headers, whole, body }) => {
    const got = headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
    return { status, isWhole: whole, isRight: got.equals(content) };
  });
}

/** Where two trees are not alike; without the contents, of which some are long. */
function differences(found: readonly Leaf[], leaves: readonly Leaf[]): unknown[] {
  const shown = (leaf: Leaf | undefined) => leaf && { ...leaf, content: leaf.content.length };
  const length = Math.max(found.length, leaves.length);
  const pairs = Array.from({ length }, (_, index) => [found[index], leaves[index]] as const);
  return pairs.filter((pair) => !isDeepStrictEqual(...pair)).map((pair) => pair.map(shown));
}

async function runPipe(command: string): Promise<void> {
  const { stderr } = await promisify(execFile)("bash", ["-o", "pipefail", "-c", command], {
    env: { ...process.env, TZ: "UTC", LC_ALL: "C.UTF-8" },
  });
  expect(stderr).toBe("");
}
