import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runTool } from "../measuring/command.ts";
import { ROOT } from "../bundle.ts";
import type { Figures } from "./figures.ts";
import { figuresTable, LARGEST, largestSentence, teamsTable } from "./tables.ts";

const PAGE = join(ROOT, "docs/operating.md");
const FORMATTER = join(ROOT, "node_modules/.bin/oxfmt");
const FORMAT_S = 30;

/** Writes what the figures say into the documentation, in the place of what it says so far. */
export async function writeTables(figures: Figures, signal: AbortSignal): Promise<void> {
  await writeFile(PAGE, withTables(await readFile(PAGE, "utf8"), figures));
  await runTool(FORMATTER, [PAGE], { signal, seconds: FORMAT_S });
}

/** A page with the tables that the figures make; throws where it has none to replace. */
export function withTables(page: string, figures: Figures): string {
  if (!LARGEST.test(page)) throw new Error("The page does not say how large an object may be");
  return [figuresTable(figures), teamsTable(figures)]
    .reduce(withTable, page)
    .replace(LARGEST, largestSentence(figures));
}

/** Replaces the one table that begins with the same cell. */
function withTable(page: string, table: string): string {
  const [, heading = ""] = /^\| ([^|]+?) +\|/.exec(table) ?? [];
  const before = new RegExp(`^\\| ${heading} +\\|.*\\n(?:\\|.*\\n)+`, "m");
  if (!before.test(page)) throw new Error(`The page has no table that begins with ${heading}`);
  return page.replace(before, () => `${table}\n`);
}
