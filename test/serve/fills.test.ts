import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ExactReader } from "../../src/serve/exact-reader.ts";
import { startFill, type Fill, type FillPlan } from "../../src/serve/fill.ts";
import { newFills } from "../../src/serve/fills.ts";

const BLOCK_BYTES = 1024;
const STALL_MS = 20;
/** Longer than the platform lets work go on behind a response. */
const KILLED_MS = 32_000;

/** A body whose first block comes, and nothing after it: so it looks where the platform has ended the request that reads it. */
function source(): ExactReader {
  const never = new Promise<never>(() => undefined);
  let isFirst = true;
  return {
    async read(length) {
      if (!isFirst) return await never;
      isFirst = false;
      return new Uint8Array(length);
    },
    skip: async () => undefined,
    end: async () => undefined,
    close: async () => undefined,
  };
}

function killed(more: Partial<FillPlan> = {}): Fill {
  return startFill({
    source: source(),
    offset: 0,
    until: 4 * BLOCK_BYTES,
    size: 4 * BLOCK_BYTES,
    blockBytes: BLOCK_BYTES,
    blockKey: String,
    blocks: { read: async () => undefined, write: async () => true, delete: async () => undefined },
    spare: { take: () => undefined, give: () => undefined },
    stallMs: STALL_MS,
    pace: "store",
    now: () => Date.now(),
    onBytes: () => undefined,
    onBroken: () => undefined,
    ...more,
  });
}

describe("a fill whose request was killed", () => {
  it("is given up by the first who waits for it, and found by none after that", async () => {
    const fills = newFills();
    const fill = killed();
    fills.add("body", fill);
    expect(fills.find("body", 1)).toBe(fill);
    expect(await fill.join().block(1)).toBeUndefined();
    expect(fill.isDead()).toBe(true);
    expect(fills.find("body", 1)).toBeUndefined();
  });

  it("makes nobody wait a second time", async () => {
    const fill = killed();
    const reader = fill.join();
    expect(await reader.block(1)).toBeUndefined();
    expect(await Promise.race([reader.block(2), sleep(STALL_MS / 2, "waits")])).toBeUndefined();
  });

  it("is dead once its leader left longer ago than the platform bears", () => {
    let now = 0;
    const fills = newFills();
    const fill = killed({ now: () => now });
    fills.add("body", fill);
    fill.leaderLeft();
    now = KILLED_MS - 2000;
    expect(fills.find("body", 3)).toBe(fill);
    now = KILLED_MS;
    expect(fills.find("body", 3)).toBeUndefined();
  });

  it("does not hide another fill of the same body", () => {
    let now = 0;
    const fills = newFills();
    const alive = killed();
    const dead = killed({ now: () => now });
    fills.add("body", alive);
    fills.add("body", dead);
    dead.leaderLeft();
    now = KILLED_MS;
    expect(fills.find("body", 1)).toBe(alive);
    fills.add("other", killed());
    fills.remove("body", alive);
    expect(fills.find("body", 1)).toBeUndefined();
  });
});
