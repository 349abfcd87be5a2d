import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { programsLack } from "../../scripts/servers/programs.ts";
import type { ZipProblem } from "../../src/core/zip/problems.ts";
import type { Answer } from "../edge/scene.ts";
import { describeWith } from "../servers/presence.ts";
import { SHELVES, startArchivePlace, type ArchivePlace, type Shelf } from "./archive-place.ts";
import { runProgram } from "./archive-programs.ts";

const LACKS = await programsLack(["7z", "zip"]);

/** What 7z packs that nothing here unpacks (APPNOTE 4.4.5 names methods by number). */
const UNSUPPORTED = [
  { option: "-mm=Deflate64", problem: "entry_method", says: "method 9 " },
  { option: "-mm=BZip2", problem: "entry_method", says: "method 12 " },
  { option: "-mm=LZMA", problem: "entry_method", says: "method 14 " },
  { option: "-mm=xz", problem: "entry_method", says: "method 95 " },
  { option: "-mm=PPMd", problem: "entry_method", says: "method 98 " },
  { option: "-pSECRET", problem: "entry_encrypted", says: "odd.txt" },
  { option: "-pSECRET -mem=AES256", problem: "entry_encrypted", says: "odd.txt" },
] as const;

const PLAIN = "Packed as everybody does it.\n".repeat(100);

describeWith("7z and zip", LACKS)("forms of archives that are not read", () => {
  let base: string;
  let place: ArchivePlace;
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "forgefront-unsupported-"));
    await mkdir(join(base, "tree"));
    await writeFile(join(base, "tree/odd.txt"), "Packed in an odd way.\n".repeat(100));
    await writeFile(join(base, "tree/plain.txt"), PLAIN);
    place = await startArchivePlace();
  });
  afterAll(async () => {
    await place.close();
    await rm(base, { recursive: true });
  });

  /** An archive whose one file is packed in an odd way, and whose other is not. */
  const makeOdd = async (option: string): Promise<Buffer> => {
    const archive = join(base, `${option.replaceAll(" ", "")}.zip`);
    const add = (file: string, options: readonly string[]) =>
      runProgram("7z", ["a", "-tzip", "-bd", ...options, archive, file], join(base, "tree"));
    await add("odd.txt", option.split(" "));
    await add("plain.txt", ["-mm=Deflate"]);
    return await readFile(archive);
  };

  it.each(UNSUPPORTED)(
    "says what is odd about 7z $option, and gives the rest",
    async ({ option, problem, says }) => {
      const archive = await makeOdd(option);
      for (const shelf of SHELVES) {
        const { entry, list, remade } = place.shelve(archive, shelf);
        for (let times = 0; times < 2; times += 1) {
          expect(shortOf(await place.ask(entry("odd.txt")), shelf, problem, says)).toEqual([]);
        }
        expect(await place.ask(entry("plain.txt"))).toMatchObject({ status: 200, body: Buffer.from(PLAIN) });
        expect((await list()).map(({ path }) => path)).toEqual(["plain.txt"]);
        const tar = await place.ask(remade("tar"));
        expect(tar).toMatchObject({ status: 200, headers: { "forgefront-omitted": "1" } });
      }
    },
  );

  it.each<Shelf>(SHELVES)("finds broken, from %s, what Info-ZIP breaks itself", async (shelf) => {
    const archive = join(base, `zip64-${shelf}.zip`);
    // With zip64 in a pipe its end record refers to another that it does not write (3.0)
    await runProgram("sh", ["-c", 'zip -q -r -fz - . | cat >"$0"', archive], join(base, "tree"));
    const { entry } = place.shelve(await readFile(archive), shelf);
    expect(shortOf(await place.ask(entry("plain.txt")), shelf, "archive_broken", "")).toEqual([]);
  });
});

/** What an answer does not say of a problem in the manner of its site: as a problem (RFC 9457), or as an error of S3. */
function shortOf(
  { status, body }: Answer,
  shelf: Shelf,
  problem: ZipProblem,
  says: string,
): readonly string[] {
  const name = shelf === "store" ? "<Code>InvalidArchive</Code>" : `"urn:forgefront:problem:${problem}"`;
  const told = `${status} ${body.toString()}`;
  return ["422", name, says].filter((each) => !told.includes(each));
}
