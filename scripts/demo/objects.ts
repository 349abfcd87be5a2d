import { createInterface } from "node:readline";
import type { Git } from "./git.ts";

/** An object as `git cat-file --batch-check` describes it; `size` in bytes. */
export interface GitObject {
  readonly oid: string;
  readonly type: "blob" | "tree" | "commit" | "tag";
  readonly size: number;
}

/** Describes the object a name stands for (`refs/heads/main^{commit}`, `<oid>:<path>`); undefined where there is none. */
export type DescribeObject = (name: string) => Promise<GitObject | undefined>;

/** One long-lived `git cat-file --batch-check`, which sees new objects and moved refs as they come. */
export function createDescribeObject(git: Git, directory: string): DescribeObject {
  const child = git.start(["-C", directory, "cat-file", "--batch-check"]);
  const waiting: ((line: string) => void)[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.(line));
  child.once("close", () => {
    for (const answer of waiting.splice(0)) answer("");
  });
  return async (name) => {
    // A name is a line of the protocol, so one that holds a line break cannot be asked for.
    if (/[\n\0]/.test(name) || child.exitCode !== null) return undefined;
    const line = await new Promise<string>((answer) => {
      waiting.push(answer);
      child.stdin.write(`${name}\n`);
    });
    return parseDescription(line);
  };
}

function parseDescription(line: string): GitObject | undefined {
  const [, oid, type, size] = /^([0-9a-f]{40}) (blob|tree|commit|tag) (\d+)$/.exec(line) ?? [];
  if (oid === undefined || type === undefined || size === undefined) return undefined;
  return { oid, type: type as GitObject["type"], size: Number(size) };
}
