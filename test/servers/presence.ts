import { describe } from "vitest";

/**
 * The `describe` of suites that need a program: where it is absent they are skipped, with a
 * line that says what is missing, but in CI they fail.
 */
export function describeWith(
  name: string,
  lacks: string | undefined,
): typeof describe | typeof describe.skip {
  if (lacks === undefined) return describe;
  if (process.env["CI"]) throw new Error(`CI is to run the tests with ${name}, but it lacks them. ${lacks}`);
  console.warn(`Skipping the tests with ${name}. ${lacks}`);
  return describe.skip;
}
