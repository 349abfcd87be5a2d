import fc from "fast-check";
import { insist, textOf, type FuzzTarget } from "../../scripts/fuzz/target.ts";
import { leadsThrough } from "./maze.ts";

const trap = {
  holds: "text",
  mostBytes: 12,
  fresh: fc.uint8Array({ minLength: 4, maxLength: 12 }),
  words: [],
} as const;

/** Targets that end the search in every way there is. */
export const TARGETS: readonly FuzzTarget[] = [
  {
    ...trap,
    name: "maze",
    check: (input) => {
      insist(!leadsThrough(textOf(input)), "nobody gets through", () => textOf(input));
      return "outside";
    },
  },
  {
    ...trap,
    name: "endless",
    check: (input) => {
      while (input.includes(0x65)) if (input.byteLength === 0) break; // nothing takes the "e" away
      return "ended";
    },
  },
  {
    ...trap,
    name: "hungry",
    check: (input) => {
      const held: number[][] = [];
      while (input.includes(0x68)) held.push(Array.from<number>({ length: 4_000_000 }).fill(0.5));
      return "fed";
    },
  },
  {
    ...trap,
    name: "slow",
    check: (input) => {
      const start = process.threadCpuUsage().user;
      let count = input.includes(0x73) ? 1 : 0;
      while (count > 0 && process.threadCpuUsage().user - start < 1_200_000)
        for (let step = 0; step < 1_000_000; step += 1) count = (count * 3 + step) % 1_000_003 || 1;
      return "done";
    },
  },
];
