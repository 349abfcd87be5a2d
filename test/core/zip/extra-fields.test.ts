import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readExtraFields } from "../../../src/core/zip/extra-fields.ts";
import { concat, extraField, littleEndian } from "../../zip/write-zip.ts";

const NAME = new TextEncoder().encode("name");

const read = (...fields: readonly Uint8Array[]) => readExtraFields(concat(fields), NAME);
const time = (flags: number, ...seconds: readonly number[]) =>
  extraField(0x5455, concat([littleEndian(1, flags), ...seconds.map((value) => littleEndian(4, value))]));
const path = (text: string, name = NAME, version = 1) =>
  extraField(
    0x7075,
    concat([littleEndian(1, version), littleEndian(4, crc32(name)), new TextEncoder().encode(text)]),
  );
const other = extraField(0x7875, Uint8Array.of(1, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0));

describe("readExtraFields()", () => {
  it.each<[string, Uint8Array[], number | undefined]>([
    ["one", [time(1, 1_700_000_000)], 1_700_000_000],
    ["one with the other times", [time(7, 5, 6, 7)], 5],
    ["two", [time(1, 5), time(1, 6)], 5],
    ["one after fields that are not known", [other, extraField(9, NAME), time(1, 5)], 5],
    ["one past 2038", [time(1, 0xffff_ffff)], 0xffff_ffff],
    ["one that has another time alone", [time(2, 5)], undefined],
    ["one that has none, and one that has", [time(0), time(1, 6)], 6],
    ["one that is too short", [extraField(0x5455, Uint8Array.of(1, 2, 3, 4))], undefined],
    ["one after padding", [new Uint8Array(8), time(1, 5)], 5],
    ["one before padding that is no field", [time(1, 5), new Uint8Array(3)], 5],
    ["one before a field that is cut off", [time(1, 5), extraField(9, NAME, 5)], 5],
    ["one within a field that is cut off", [extraField(9, time(1, 5), 99)], undefined],
    ["one that is cut off itself", [time(1, 5).subarray(0, -1)], undefined],
  ])("readExtraFields() does read the time of %s", (_, fields, mtime) => {
    expect(read(...fields).mtime).toBe(mtime);
  });

  it.each<[string, Uint8Array[], string | undefined]>([
    ["one for this name", [path("näme")], "näme"],
    ["two for this name", [path("a"), path("b")], "a"],
    ["one for another name", [path("näme", NAME.subarray(1))], undefined],
    ["one of another version", [path("näme", NAME, 2)], undefined],
    ["one that is too short", [extraField(0x7075, Uint8Array.of(1, 2, 3, 4))], undefined],
  ])("readExtraFields() does read the path of %s", (_, fields, text) => {
    const { unicodePath } = read(...fields);
    expect(unicodePath && new TextDecoder().decode(unicodePath)).toBe(text);
  });

  it("readExtraFields() does give the first zip64 field", () => {
    const { zip64 } = read(other, extraField(1, littleEndian(8, 5)), extraField(1, littleEndian(8, 6)));
    expect(zip64?.byteLength).toBe(8);
    expect(zip64?.getUint32(0, true)).toBe(5);
  });

  it("readExtraFields() does find nothing in nothing", () => {
    expect(read()).toEqual({ zip64: undefined, mtime: undefined, unicodePath: undefined });
  });
});
