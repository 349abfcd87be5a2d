import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../../scripts/bundle.ts";

/** A fenced block of a page. */
export type Block = { readonly language: string; readonly text: string };

/** A command of a page, with what the page says that it prints. */
export type Step = { readonly command: string; readonly printed: string };

/** The page, as it is. */
export async function readPage(): Promise<string> {
  return await readFile(join(ROOT, "docs/operating.md"), "utf8");
}

/** All fenced blocks, in their order. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
}

/** Each command of the blocks that are run. */
export function stepsOf(page: string): Step[] {
  const consoles = blocksOf(page).filter(({ language }) => language === "console");
  return consoles.flatMap(({ text }) =>
    text
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command = "", ...printed] = step.trimEnd().split("\n");
        return { command, printed: printed.join("\n") };
      }),
  );
}

/** Runs a command in a shell and gives all that it prints, whatever its exit. */
export async function run(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)("bash", ["-c", `${command}; true`], { cwd: ROOT });
  return stdout.replaceAll("\r", "").trimEnd();
}

/** What is left of a text when times, lives and ids are taken away. */
export function shapeOf(text: string): string {
  return text.replaceAll(/\b(ttl=)\d+/g, "$10").replaceAll(/(?<=\} )\d+$/gm, "0");
}

/** The rows of the table whose heading begins so, as cells, however it is aligned. */
export function tableOf(page: string, heading: string): string[][] {
  const lines = page.split("\n");
  const cells = (line: string) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
  const first = lines.findIndex((line) => line.startsWith("|") && cells(line)[0] === heading);
  if (first === -1) throw new Error(`The page has no table that begins with ${heading}`);
  const length = lines.slice(first).findIndex((line) => !line.startsWith("|"));
  return lines
    .slice(first, length === -1 ? undefined : first + length)
    .filter((_, index) => index !== 1)
    .map(cells);
}
