import { describe, expect, it } from "vitest";
import { readCorpus, readFinds } from "../../scripts/fuzz/fixtures.ts";
import { TARGETS } from "./targets.ts";

const CORPORA = await Promise.all(
  TARGETS.map(async (target) => ({ target, corpus: await readCorpus(target) })),
);
const FINDS = await Promise.all(
  TARGETS.map(async (target) =>
    (await readFinds(target)).map(({ file, input }) => [file, target, input] as const),
  ),
);

describe("inputs that reach all that fuzzing reached", () => {
  it.each(CORPORA)("check() of $target.name does hold for each", async ({ target, corpus }) => {
    expect(corpus).not.toHaveLength(0);
    for (const input of corpus) expect(await target.check(input)).toBeTypeOf("string");
  });
});

describe("what fuzzing found once", () => {
  it.each(FINDS.flat())("check() does hold for %s", async (_file, target, input) => {
    expect(await target.check(input)).toBeTypeOf("string");
  });
});
