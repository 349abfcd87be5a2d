import { describe, expect, it } from "vitest";
import { chanceOf } from "../../scripts/fuzz/chance.ts";
import { BLIND } from "../../scripts/fuzz/coverage.ts";
import { explore, TOO_SLOW } from "../../scripts/fuzz/explore.ts";
import { textOf } from "../../scripts/fuzz/target.ts";
import { ENDLESS, exploreWatched, FATAL, type Patience, type Place } from "../../scripts/fuzz/watched.ts";
import { TARGETS as TRAP_TARGETS } from "./traps.ts";

const TRAPS: Place = {
  targets: new URL("traps.ts", import.meta.url).href,
  sources: new URL("maze.ts", import.meta.url).href,
};
const SHORT: Patience = { hangMs: 3000, tryMs: 1500, minimiseMs: 2500 };
/** To take all of the memory takes its time on a busy machine. */
const LONG: Patience = { hangMs: 20_000, tryMs: 10_000, minimiseMs: 2500 };
const TASK = { seed: 1, corpus: [], keepBytes: 0 };

describe("exploreWatched()", () => {
  it("does find what only branches lead to, and not without them", async () => {
    const guided = await exploreWatched(
      "maze",
      { ...TASK, seconds: 40, isGuided: true, untilFind: true },
      TRAPS,
    );
    const unguided = await exploreWatched("maze", { ...TASK, seconds: 2, isGuided: false }, TRAPS);
    const finds = [guided, unguided].map((each) =>
      each.kind === "explored" ? each.explored.finds : [each.find],
    );
    expect(finds.map((each) => each.map(({ rule }) => rule))).toEqual([["nobody gets through"], []]);
    expect(textOf(finds[0]?.[0]?.input ?? new Uint8Array())).toBe("maze");
  }, 60_000);

  it.each([
    ["endless", ENDLESS, 0x65, SHORT],
    ["hungry", FATAL, 0x68, LONG],
  ])(
    "does end %s inputs, and make them small",
    async (name, rule, byte, patience) => {
      const answer = await exploreWatched(name, { ...TASK, seconds: 5, isGuided: true }, TRAPS, patience);
      expect(answer).toMatchObject({ kind: "broken off", find: { rule } });
      const input = answer.kind === "broken off" ? answer.find.input : new Uint8Array();
      expect(input).toContain(byte);
      expect(input.byteLength).toBeLessThan(12);
    },
    60_000,
  );
});

describe("explore()", () => {
  it("does tell of inputs that take more than a second of their own", async () => {
    const slow = TRAP_TARGETS.find(({ name }) => name === "slow");
    if (slow === undefined) throw new Error("There is no slow target");
    const search = { coverage: BLIND, chance: chanceOf(1), corpus: [], seconds: 10, untilFind: true };
    const { finds } = await explore(slow, { ...search, minimiseMs: 1 });
    expect(finds.map(({ rule }) => rule)).toEqual([TOO_SLOW]);
  }, 60_000);
});
