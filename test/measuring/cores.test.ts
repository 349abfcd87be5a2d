import { expect, test } from "vitest";
import { busySeconds, childrenSeconds, ownSeconds, processSeconds } from "../../scripts/measuring/cores.ts";

test("busySeconds() counts all but idling and waiting for disks", () => {
  const stat = "cpu  1000 20 300 99999 88888 4 50 7 6 5\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
  expect(busySeconds(stat)).toBeCloseTo(13.74);
});

test("childrenSeconds() reads past a name that looks like more fields", () => {
  const rest = "S 1 2 3 4 5 6 7 8 9 10 111 112 250 50 20 0 1";
  expect(childrenSeconds(`42 (node) 9 (x) ${rest}`)).toBe(3);
});

test("ownSeconds() reads a process's own time, without its children's", () => {
  const rest = "S 1 2 3 4 5 6 7 8 9 10 111 112 250 50 20 0 1";
  expect(ownSeconds(`42 (node) 9 (x) ${rest}`)).toBe(2.23);
});

test("processSeconds() grows with what a process does", async () => {
  const before = await processSeconds(process.pid);
  const until = performance.now() + 60;
  while (performance.now() < until);
  expect(await processSeconds(process.pid)).toBeGreaterThan(before);
});
