import { describe, expect, it } from "vitest";
import { chanceOf } from "../../scripts/fuzz/chance.ts";
import { BLIND } from "../../scripts/fuzz/coverage.ts";
import { explore } from "../../scripts/fuzz/explore.ts";
import { PLANTED } from "./planted.ts";

const SEED = 7;
const SECONDS = 15;
/** An archive does not get much smaller, as its offsets are counted from its beginning. */
const MOST_BYTES = 4000;

describe("explore() does find, and make small, that", () => {
  it.each(PLANTED)("$bug ($target.name)", async ({ target, rules }) => {
    const search = { coverage: BLIND, chance: chanceOf(SEED), seconds: SECONDS, corpus: [], untilFind: true };
    const { finds } = await explore(target, search);
    expect(rules).toContain(finds[0]?.rule);
    expect(finds[0]?.input.byteLength).toBeLessThan(MOST_BYTES);
  });
});
