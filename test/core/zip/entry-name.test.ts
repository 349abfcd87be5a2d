import { describe, expect, it } from "vitest";
import type { CentralRecord } from "../../../src/core/zip/central-record.ts";
import { entryName } from "../../../src/core/zip/entry-name.ts";

const UTF8 = 0x800;
const UNIX = 3;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function nameOf(name: string | Uint8Array, more: Partial<CentralRecord> = {}) {
  return entryName({
    host: UNIX,
    flags: 0,
    method: 0,
    mtime: 0,
    crc: 0,
    compressedSize: 0,
    size: 0,
    headerOffset: 0,
    end: 0,
    name: typeof name === "string" ? bytesOf(name) : name,
    unicodePath: undefined,
    externalAttributes: 0,
    ...more,
  });
}

describe("a name's text", () => {
  it.each<[string, Uint8Array, Partial<CentralRecord>, string]>([
    ["UTF-8 where its flag says so", bytesOf("grün"), { flags: UTF8 }, "grün"],
    ["UTF-8 where no flag says so", bytesOf("grün"), {}, "grün"],
    ["code page 437", Uint8Array.of(0x67, 0x72, 0x81, 0x6e), {}, "grün"],
    ["Info-ZIP's Unicode path", bytesOf("gr_n"), { unicodePath: bytesOf("grün") }, "grün"],
    [
      "the name, where its flag says it is UTF-8 already",
      bytesOf("a"),
      { flags: UTF8, unicodePath: bytesOf("b") },
      "a",
    ],
    ["the name, where the Unicode path is no text", bytesOf("a"), { unicodePath: Uint8Array.of(0xff) }, "a"],
    ["a byte order mark as a character", bytesOf("\ufeffa"), { flags: UTF8 }, "\ufeffa"],
  ])("entryName() does take %s", (_, name, more, path) => {
    expect(nameOf(name, more)).toMatchObject({ path, problem: undefined });
  });

  it.each([
    [[0x61, 0xff], "a\ufffd"],
    [[0xc0, 0xaf], "\ufffd\ufffd"], // an overlong slash
    [[0xed, 0xa0, 0x80], "\ufffd\ufffd\ufffd"], // a surrogate
  ])("entryName() does say name_malformed of %j where it is to be UTF-8", (bytes, path) => {
    expect(nameOf(Uint8Array.from(bytes), { flags: UTF8 })).toMatchObject({
      path,
      problem: "name_malformed",
    });
  });

  it("entryName() does say name_malformed of a Unicode path that is empty", () => {
    expect(nameOf("a", { unicodePath: new Uint8Array() })).toMatchObject({ problem: "name_malformed" });
  });
});

describe("a path", () => {
  it.each([
    ["./a", "a"],
    ["././a/b", "a/b"],
    ["./.a", ".a"],
    ["./d/", "d/"],
    [".a", ".a"],
  ])("entryName() does make of %j %j", (name, path) => {
    expect(nameOf(name)).toMatchObject({ path, problem: undefined, isRoot: false });
  });

  it.each([
    ["./", 0],
    ["././", 0],
    [".", 0o040755],
    ["./", 0o120777],
  ])("entryName() does take %j of mode %d for the root", (name, mode) => {
    expect(nameOf(name, { externalAttributes: mode * 2 ** 16 }).isRoot).toBe(true);
  });

  it.each([
    [".", 0],
    [".", 0o120777],
    ["", 0],
    ["", 0o040755],
  ])("entryName() does not take %j of mode %d for the root, but for malformed", (name, mode) => {
    const found = nameOf(name, { externalAttributes: mode * 2 ** 16 });
    expect(found).toMatchObject({ isRoot: false, problem: "name_malformed" });
  });
});

describe("a type and a mode", () => {
  it.each<[string, number, number, object]>([
    ["a", UNIX, 0o100644, { path: "a", type: "file", mode: 0o644, problem: undefined }],
    ["a", 19, 0o100755, { path: "a", type: "file", mode: 0o755, problem: undefined }],
    ["a", UNIX, 0o106755, { path: "a", type: "file", mode: 0o755, problem: undefined }],
    ["a", UNIX, 0o000600, { path: "a", type: "file", mode: 0o600, problem: undefined }],
    ["a", UNIX, 0o100000, { path: "a", type: "file", mode: 0, problem: undefined }],
    ["a", UNIX, 0, { path: "a", type: "file", mode: undefined, problem: undefined }],
    ["a", 0, 0o120777, { path: "a", type: "file", mode: undefined, problem: undefined }],
    ["a", 10, 0o040755, { path: "a", type: "file", mode: undefined, problem: undefined }],
    ["a", UNIX, 0o120777, { path: "a", type: "symlink", mode: 0o777, problem: undefined }],
    ["a", UNIX, 0o040750, { path: "a/", type: "directory", mode: 0o750, problem: undefined }],
    ["a/", UNIX, 0o041777, { path: "a/", type: "directory", mode: 0o777, problem: undefined }],
    ["a/", UNIX, 0o100644, { path: "a/", type: "directory", mode: 0o644, problem: undefined }],
    ["a/", 0, 0, { path: "a/", type: "directory", mode: undefined, problem: undefined }],
    ["a/", UNIX, 0o120777, { path: "a/", type: "directory", mode: 0o777, problem: "entry_lies" }],
    ["a", UNIX, 0o010644, { path: "a", type: "file", mode: 0o644, problem: "name_device" }],
    ["a", UNIX, 0o020644, { path: "a", type: "file", mode: 0o644, problem: "name_device" }],
    ["a", UNIX, 0o060644, { path: "a", type: "file", mode: 0o644, problem: "name_device" }],
    ["a", UNIX, 0o140644, { path: "a", type: "file", mode: 0o644, problem: "name_device" }],
    ["../a", UNIX, 0o140644, { path: "../a", type: "file", mode: 0o644, problem: "name_escapes" }],
  ])("entryName() does read %j of host %d and mode %d", (name, host, mode, found) => {
    expect(nameOf(name, { host, externalAttributes: mode * 2 ** 16 })).toEqual({ ...found, isRoot: false });
  });
});
