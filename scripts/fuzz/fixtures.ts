import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bytesOf, textOf, type FuzzTarget } from "./target.ts";

const CORPUS = join(import.meta.dirname, "../../test/fuzz/corpus");
const FINDS = join(import.meta.dirname, "../../test/fuzz/finds");

/** The inputs a search begins with: each reaches something that the ones before it do not. */
export async function readCorpus(target: FuzzTarget): Promise<readonly Uint8Array[]> {
  const file = await readFile(corpusFile(target), "utf8").catch(orNothing);
  if (file === undefined) return [];
  const inputs = JSON.parse(file) as readonly string[];
  return inputs.map((input) => (target.holds === "text" ? bytesOf(input) : Buffer.from(input, "base64")));
}

/** Keeps inputs as the corpus, in place of what was kept before; where bytes are not text, in base64. */
export async function writeCorpus(target: FuzzTarget, inputs: readonly Uint8Array[]): Promise<void> {
  const spelled = inputs.map((input) =>
    target.holds === "text" ? textOf(input) : Buffer.from(input).toString("base64"),
  );
  await mkdir(CORPUS, { recursive: true });
  await writeFile(corpusFile(target), `${JSON.stringify(spelled, undefined, 2)}\n`);
}

export type Fixture = { readonly file: string; readonly input: Uint8Array };

/** What was found before, to be tried for ever. */
export async function readFinds(target: FuzzTarget): Promise<readonly Fixture[]> {
  const directory = findsOf(target);
  const names = (await readdir(directory).catch(orNothing)) ?? [];
  return await Promise.all(
    names.toSorted().map(async (name) => ({
      file: `${target.name}/${name}`,
      input: await readFile(join(directory, name)),
    })),
  );
}

/** Keeps an input as it is, and answers the path of its file in the repository. */
export async function writeFind(target: FuzzTarget, rule: string, input: Uint8Array): Promise<string> {
  const words = rule
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 48);
  const name = `${words}-${createHash("sha256").update(input).digest("hex").slice(0, 8)}`;
  await mkdir(findsOf(target), { recursive: true });
  await writeFile(join(findsOf(target), name), input);
  return `test/fuzz/finds/${target.name}/${name}`;
}

function corpusFile({ name }: FuzzTarget): string {
  return join(CORPUS, `${name}.json`);
}

function findsOf({ name }: FuzzTarget): string {
  return join(FINDS, name);
}

/** Nothing was kept yet. */
function orNothing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
