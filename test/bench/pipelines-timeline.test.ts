import fc from "fast-check";
import { expect, test } from "vitest";
import { createTimeline } from "../../scripts/bench/pipelines-timeline.ts";

/** Version 1 from 100 ms on, 2 from 200 and 5 from 250. */
function example() {
  const timeline = createTimeline({ version: 1, sentMs: 100 });
  timeline.changed(2, 200);
  timeline.changed(5, 250);
  return timeline;
}

test.each([
  [1, 150, 0],
  [1, 200, 0],
  [1, 230, 30],
  [1, 300, 100],
  [2, 300, 50],
  [5, 9000, 0],
])("ageMs() of version %d sent at %d is %d", (version, sentMs, age) => {
  expect(example().ageMs(version, sentMs)).toBe(age);
});

test("ageMs() of a version that never was is an error", () => {
  expect(() => example().ageMs(3, 300)).toThrow("There was no version 3");
});

test("changed() refuses a version that is not newer", () => {
  expect(() => example().changed(5, 300)).toThrow("Version 5 cannot come after 5");
});

test("delaysMs() counts each change up to the first answer that shows it, or a later one", () => {
  const sent = (version: number, sentMs: number) => ({ version, sentMs });
  const timeline = example();
  expect(timeline.delaysMs([sent(1, 150), sent(2, 210), sent(2, 260), sent(5, 280), sent(5, 290)])).toEqual([
    10, 30,
  ]);
  expect(timeline.delaysMs([sent(1, 190), sent(5, 280)])).toEqual([80, 30]);
  expect(timeline.delaysMs([sent(5, 280), sent(2, 290)])).toEqual([80, 30]);
  expect(timeline.delaysMs([sent(1, 150), sent(2, 210)])).toEqual([10]);
  expect(timeline.delaysMs([])).toEqual([]);
});

test("ageMs() is how long ago the current version of its time was another one", () => {
  const steps = fc.array(fc.record({ up: fc.integer({ min: 1, max: 5 }), waitMs: fc.nat(50) }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(steps, fc.nat(), fc.nat(3000), (changes, pick, sentMs) => {
      const timeline = createTimeline({ version: 0, sentMs: 0 });
      const starts = new Map([[0, 0]]);
      let [version, atMs] = [0, 0];
      for (const { up, waitMs } of changes) {
        version += up;
        atMs += waitMs;
        timeline.changed(version, atMs);
        starts.set(version, atMs);
      }
      const known = [...starts.keys()];
      const asked = known[pick % known.length] ?? 0;
      const ends = [...starts].filter(([later]) => later > asked).map(([, start]) => start);
      const expected = ends.length === 0 ? 0 : Math.max(0, sentMs - Math.min(...ends));
      expect(timeline.ageMs(asked, sentMs)).toBe(expected);
    }),
  );
});
