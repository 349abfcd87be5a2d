import { describe, expect, it } from "vitest";
import { newTurns } from "../../src/serve/turns.ts";

function clock() {
  let now = 0;
  const wait = async (ms: number) => {
    now += ms;
    await new Promise<void>((resolve) => setImmediate(resolve));
  };
  return { now: () => now, wait };
}

describe("newTurns()", () => {
  it("does no more at once than weighs so much, and all of it in the end", async () => {
    const { now, wait } = clock();
    const turns = newTurns(10, now, wait);
    let weight = 0;
    let most = 0;
    const work = async (own: number) => {
      weight += own;
      most = Math.max(most, weight);
      for (let pause = 0; pause < 5; pause++) await new Promise<void>((resolve) => setImmediate(resolve));
      weight -= own;
      return own;
    };
    const weights = [4, 6, 5, 5, 1, 10, 3];
    const done = await Promise.all(weights.map((own) => turns.take(own, async () => await work(own))));
    expect([done, most]).toEqual([weights, 10]);
  });

  it("does what is heavier than all there is alone", async () => {
    const { now, wait } = clock();
    const turns = newTurns(10, now, wait);
    let atOnce = 0;
    const work = async () => {
      atOnce++;
      await new Promise<void>((resolve) => setImmediate(resolve));
      const seen = atOnce;
      atOnce--;
      return seen;
    };
    expect(await Promise.all([11, 12].map((own) => turns.take(own, work)))).toEqual([1, 1]);
  });

  it("does go on after work that failed, and after a turn that was left behind", async () => {
    const { now, wait } = clock();
    const turns = newTurns(10, now, wait);
    await expect(turns.take(10, () => Promise.reject(new Error("It fails")))).rejects.toThrow("It fails");
    void turns.take(10, () => new Promise<never>(() => undefined));
    expect(await turns.take(10, () => Promise.resolve("done"))).toBe("done");
    expect(now()).toBeGreaterThan(30_000);
  });
});
