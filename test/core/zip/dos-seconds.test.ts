import { describe, expect, it } from "vitest";
import { dosSeconds } from "../../../src/core/zip/dos-seconds.ts";

type Three = readonly [number, number, number];

const date = (...[year, month, day]: Three) => ((year - 1980) << 9) | (month << 5) | day;
const time = (...[hour, minute, second]: Three) => (hour << 11) | (minute << 5) | (second / 2);

describe("dosSeconds()", () => {
  it.each<[Three, Three, string]>([
    [[1980, 1, 1], [0, 0, 0], "1980-01-01T00:00:00Z"],
    [[2024, 2, 29], [23, 59, 58], "2024-02-29T23:59:58Z"],
    [[2107, 12, 31], [12, 30, 2], "2107-12-31T12:30:02Z"],
  ])("dosSeconds() does read %j %j as %s", (day, clock, moment) => {
    expect(dosSeconds(date(...day), time(...clock))).toBe(Date.parse(moment) / 1000);
  });

  it.each([
    ["nothing at all", 0, 0],
    ["a month 0", date(2024, 0, 1), 0],
    ["a day 0", date(2024, 1, 0), 0],
    ["a month 13", date(2024, 13, 1), 0],
    ["the 30th of February", date(2024, 2, 30), 0],
    ["the 29th of February of a common year", date(2023, 2, 29), 0],
    ["an hour 24", date(2024, 1, 1), time(24, 0, 0)],
    ["a minute 60", date(2024, 1, 1), time(0, 60, 0)],
    ["a second 60", date(2024, 1, 1), time(0, 0, 60)],
  ])("dosSeconds() does give 0 for %s", (_, day, clock) => {
    expect(dosSeconds(day, clock)).toBe(0);
  });
});
