import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const BENCH = join(import.meta.dirname, "../../scripts/bench.ts");

/** How the command ends when it is not told what to measure in words it knows. */
function fail(args: readonly string[]): Promise<{ code: unknown; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [BENCH, ...args], (error, _stdout, stderr) => {
      resolve({ code: error?.code, stderr });
    });
  });
}

test.each([
  [[], "Name a lane"],
  [["cooked"], 'Unknown lane "cooked"'],
  [["raw", "--sideways"], "Unknown option '--sideways'"],
  [["raw", "--only", "1,99"], '--only must name points of 1, 2, 3, 4, 5, not "1,99"'],
  [["raw", "--seconds", "soon"], '--seconds must be a whole number from 1 to 600, not "soon"'],
  [["raw", "--quick"], "The lane raw has no --quick"],
  [["artifacts", "--quick", "--only", "6"], '--only must name points of 1, 2, 3, 4, 5, not "6"'],
  [["raw", "out.json"], 'Unexpected argument "out.json"'],
])("bench %j says what is wrong and how it is used", async (args, message) => {
  const { code, stderr } = await fail(args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr).toContain("Usage: npm run bench");
});
