import { expect, test } from "vitest";
import { failedShare, parseK6 } from "../../scripts/bench/k6.ts";

const TOOK = `"took":{"avg":49.8,"med":49,"p(95)":53.25,"p(99)":61.5,"max":88,"count":300}`;

test("parseK6() reads the times and the counts", () => {
  expect(parseK6(`{${TOOK},"failed":4,"dropped":100}`)).toEqual({
    sent: 300,
    failed: 4,
    dropped: 100,
    meanMs: 49.8,
    p50Ms: 49,
    p95Ms: 53.25,
    p99Ms: 61.5,
    maxMs: 88,
  });
});

test("parseK6() knows no times where nothing was sent", () => {
  expect(parseK6('{"failed":0,"dropped":7}')).toMatchObject({ sent: 0, dropped: 7, meanMs: Number.NaN });
});

test("parseK6() refuses what the script never says", () => {
  expect(() => parseK6("ERRO[0000] could not initialize")).toThrow("Cannot read what k6 says");
});

test("failedShare() takes what was not sent for failed", () => {
  expect(failedShare(parseK6(`{${TOOK},"failed":4,"dropped":100}`))).toBe(0.26);
  expect(failedShare(parseK6(`{${TOOK},"failed":0,"dropped":0}`))).toBe(0);
});
