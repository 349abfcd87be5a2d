import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const BENCH = join(import.meta.dirname, "../../scripts/bench.ts");

/** How the command ends when it is not told what to measure in words it knows. */
function fail(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: unknown; stderr: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...environment };
    execFile(process.execPath, [BENCH, ...args], { env }, (error, _stdout, stderr) => {
      resolve({ code: error?.code, stderr });
    });
  });
}

test.each([
  [["--only", "1"], "--only and --no-fail are for the bench of one lane: name it"],
  [["--no-fail", "--quick"], "--only and --no-fail are for the bench of one lane: name it"],
  [["--seconds", "0"], '--seconds must be a whole number from 1 to 600, not "0"'],
  [["raw", "--out", "here"], "--out is for the bench of all lanes"],
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

test("bench takes a directory that npm has left of --out for no lane, and nothing more", async () => {
  const { code, stderr } = await fail(["here", "there"], { npm_config_out: "true" });
  expect(code).toBe(2);
  expect(stderr).toContain('Unexpected argument "there"');
});
