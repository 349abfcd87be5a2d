import { expect, test } from "vitest";
import type { PeerConditions } from "../../scripts/bench/figure.ts";
import { compare, mapPeers, paceOf } from "../../scripts/bench/peer-rounds.ts";
import type { PeerRow } from "../../scripts/bench/peers.ts";

const ROWS: Omit<PeerRow, "rounds">[] = ["p50", "p99"].map((what) => ({ lane: "raw", what, unit: "ms" }));

function conditions(signal = new AbortController().signal): PeerConditions {
  const quiet = { say: () => {}, note: () => {} };
  return {
    signal,
    seconds: undefined,
    isQuick: true,
    caches: new Set(),
    run: new AsyncDisposableStack(),
    ...quiet,
  };
}

test("compare() takes turns after one round that does not count, and gives each row its numbers", async () => {
  const order: string[] = [];
  const way = (name: string) => async () => [order.push(name), 100 + order.length];
  const ways = { edge: way("e"), origin: way("o") };
  const rows = await compare(conditions(), { rows: ROWS, ways, rounds: 2, warmsUp: true });
  expect(order.join("")).toBe("eoeooe");
  expect(rows).toEqual([
    { ...ROWS[0], rounds: { edge: [3, 6], origin: [4, 5] } },
    { ...ROWS[1], rounds: { edge: [103, 106], origin: [104, 105] } },
  ]);
});

test.each([[[1]], [[1, Number.NaN]], [[1, 2, 3]]])(
  "compare() refuses %j where two numbers are wanted",
  async (values) => {
    const plan = { rows: ROWS, ways: { nginx: async () => values }, rounds: 1, warmsUp: false };
    await expect(compare(conditions(), plan)).rejects.toThrow("nginx gave");
  },
);

test("compare() stops between two rounds", async () => {
  const stop = new AbortController();
  let calls = 0;
  const edge = async () => {
    calls += 1;
    stop.abort(new Error("Interrupted"));
    return [1, 2];
  };
  const plan = { rows: ROWS, ways: { edge }, rounds: 3, warmsUp: false };
  await expect(compare(conditions(stop.signal), plan)).rejects.toThrow("Interrupted");
  expect(calls).toBe(1);
});

test("mapPeers() makes something of those that are there", () => {
  expect(mapPeers({ edge: 1, nginx: 2 }, (value, peer) => `${peer}${value}`)).toEqual({
    edge: "edge1",
    nginx: "nginx2",
  });
});

test.each([
  [false, undefined, { loadS: 4, rounds: 5, warmsUp: true }],
  [false, 9, { loadS: 9, rounds: 5, warmsUp: true }],
  [true, undefined, { loadS: 1, rounds: 1, warmsUp: false }],
  [true, 9, { loadS: 9, rounds: 1, warmsUp: false }],
])("paceOf() quick %j, %j seconds asked for", (isQuick, seconds, pace) => {
  expect(paceOf({ isQuick, seconds }, { loadS: 4, rounds: 5 })).toEqual(pace);
});
