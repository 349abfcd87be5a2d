import fc from "fast-check";
import { expect, it } from "vitest";
import { lastWritten, mergedWritten, withPrefix, type Written } from "../../../src/core/events/written.ts";

const prefix = fc.constantFrom("", "a", "a/", "a/b", "b");
const account = fc
  .tuple(fc.nat({ max: 5 }), fc.array(fc.tuple(prefix, fc.integer({ min: 1, max: 9 })), { maxLength: 5 }))
  .map(([at, prefixes]) =>
    prefixes.reduce<Written>((all, [begin, time]) => withPrefix(all, begin, time), { at }),
  );
const key = fc.constantFrom("a", "a/b", "a/c", "b", "c");

it("mergedWritten() does tell of each key the latest that either tells, in any order and however often", () => {
  fc.assert(
    fc.property(account, account, account, key, (a, b, c, name) => {
      const last = Math.max(...[a, b, c].map((each) => lastWritten(name, undefined, each)));
      const all = mergedWritten(a, mergedWritten(b, c));
      for (const each of [
        all,
        mergedWritten(mergedWritten(c, a), b),
        mergedWritten(all, all),
        mergedWritten(all, b),
      ])
        expect(lastWritten(name, undefined, each)).toBe(last);
    }),
    { numRuns: 300 },
  );
});

it("withPrefix() does tell of keys that begin like it, and of no others", () => {
  const bucket = withPrefix({ at: 2 }, "logs/", 5);
  expect(
    ["logs/1", "logs/", "logs", "log", "a/logs/1"].map((name) => lastWritten(name, undefined, bucket)),
  ).toEqual([5, 5, 2, 2, 2]);
});

it("withPrefix() does remember no prefix that all of the bucket was written after", () => {
  expect(withPrefix({ at: 7 }, "logs/", 5)).toEqual({ at: 7 });
  expect(mergedWritten(withPrefix(undefined, "logs/", 5), { at: 5 })).toEqual({ at: 5 });
});

it("withPrefix() does count more than 64 prefixes for the whole bucket", () => {
  const names = Array.from({ length: 65 }, (_, i) => `p${i}/`);
  const few = names.slice(1).reduce<Written | undefined>((all, name) => withPrefix(all, name, 3), undefined);
  expect([few?.prefixes?.length, lastWritten("other", undefined, few)]).toEqual([64, 0]);
  const many = withPrefix(few, "p0/", 2);
  expect(many).toEqual({ at: 3 });
});

it("lastWritten() does take the later of an object's own and its bucket's, and know of never", () => {
  expect(lastWritten("a", undefined, undefined)).toBe(-Infinity);
  expect(lastWritten("a", { at: 4 }, { at: 3 })).toBe(4);
  expect(lastWritten("a", { at: 4 }, withPrefix({ at: 3 }, "a", 6))).toBe(6);
});
