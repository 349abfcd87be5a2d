import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type TarEntry, tarHead, tarHeadLength, tarPadding } from "../../../src/core/zip/tar-header.ts";

const FILE: TarEntry = {
  path: "a.txt",
  type: "file",
  mode: 0o644,
  size: 5,
  mtime: 1_700_000_000,
  target: "",
};

const GIB = 2 ** 30;

/** A field of a header block, up to its first NUL. */
function field(block: Uint8Array, offset: number, length: number): string {
  return (
    Buffer.from(block.subarray(offset, offset + length))
      .toString()
      .split("\0", 1)[0] ?? ""
  );
}

/** The records of the extended header, if there is one, and the header block. */
function parse(head: Uint8Array): { records: string; block: Uint8Array } {
  const block = head.subarray(-512);
  if (head.byteLength === 512) return { records: "", block };
  const size = Number.parseInt(field(head, 124, 12), 8);
  expect(field(head, 0, 100)).toBe("PaxHeader");
  expect(field(head, 156, 1)).toBe("x");
  expect(head.byteLength).toBe(1024 + size + tarPadding(size));
  return { records: Buffer.from(head.subarray(512, 512 + size)).toString(), block };
}

describe("tarHead()", () => {
  it("tarHead() does lay a header out as POSIX does", () => {
    const head = tarHead({ ...FILE, path: "to-a", type: "symlink", mode: 0o777, size: 0, target: "a.txt" });
    const expected = [
      "to-a".padEnd(100, "\0"), // name
      "0000777\0", // mode
      "0000000\0", // uid
      "0000000\0", // gid
      "00000000000\0", // size
      "14524770400\0", // mtime
      "011010\0 ", // chksum
      "2", // typeflag
      "a.txt".padEnd(100, "\0"), // linkname
      "ustar\0", // magic
      "00", // version
      "\0".repeat(64), // uname, gname
      "0000000\0", // devmajor
      "0000000\0", // devminor
    ].join("");
    expect(Buffer.from(head).toString("latin1")).toBe(expected.padEnd(512, "\0"));
  });

  it.each<[Partial<TarEntry>, flag: string, size: string, mode: string]>([
    [{}, "0", "00000000005", "0000644"],
    [{ mode: 0o755 }, "0", "00000000005", "0000755"],
    [{ type: "directory", path: "a/", size: 0, mode: 0o700 }, "5", "00000000000", "0000700"],
    [{ size: 8 * GIB - 1 }, "0", "77777777777", "0000644"],
  ])("tarHead() does write %j with the flag %s and the size %s", (entry, flag, size, mode) => {
    const { block, records } = parse(tarHead({ ...FILE, ...entry }));
    expect(field(block, 156, 1)).toBe(flag);
    expect(field(block, 124, 12)).toBe(size);
    expect(field(block, 100, 8)).toBe(mode);
    expect(records).toBe("");
  });

  const a = (length: number): string => "a".repeat(length);
  it.each([
    ["as long as the name field", a(100), "", a(100)],
    ["a directory as long", `${a(99)}/`, "", `${a(99)}/`],
    ["over it", `dir/${a(100)}`, "dir", a(100)],
    ["split at the last slash there is room for", `${a(60)}/${a(60)}/${a(30)}`, `${a(60)}/${a(60)}`, a(30)],
    ["as long as both fields", `${a(155)}/${a(100)}`, a(155), a(100)],
    ["a directory over it", `${a(60)}/${a(60)}/`, a(60), `${a(60)}/`],
  ])("tarHead() does fit a path into the two fields: %s", (_, path, prefix, name) => {
    const { block, records } = parse(tarHead({ ...FILE, path }));
    expect([field(block, 345, 155), field(block, 0, 100)]).toEqual([prefix, name]);
    expect(records).toBe("");
  });

  it.each<[string, Partial<TarEntry>, string]>([
    ["a name that is too long", { path: a(101) }, `111 path=${a(101)}\n`],
    ["a directory's name that is too long", { path: `${a(100)}/` }, `111 path=${a(100)}/\n`],
    ["a prefix that is too long", { path: `${a(156)}/b` }, `168 path=${a(156)}/b\n`],
    ["a name too long for what is before it", { path: `b/${a(101)}` }, `113 path=b/${a(101)}\n`],
    ["a prefix that is empty", { path: `/${a(100)}` }, `111 path=/${a(100)}\n`],
    ["a name that is not ASCII", { path: "é" }, "11 path=é\n"],
    ["an emoji in a long path", { path: `${a(90)}/😀😀😀` }, `113 path=${a(90)}/😀😀😀\n`],
    ["a target that is too long", { target: a(101) }, `115 linkpath=${a(101)}\n`],
    ["a target that is not ASCII", { target: "ü" }, "15 linkpath=ü\n"],
    ["a size that is too large", { size: 8 * GIB }, "19 size=8589934592\n"],
    ["a time before 1970", { mtime: -1 }, "12 mtime=-1\n"],
    ["a time after 2242", { mtime: 8 * GIB }, "20 mtime=8589934592\n"],
    ["a record of 99 bytes", { path: `é${a(88)}` }, `99 path=é${a(88)}\n`],
    ["a record that its own length makes longer", { path: `é${a(89)}` }, `101 path=é${a(89)}\n`],
    [
      "all of them",
      { path: "é", target: "ü", size: 8 * GIB, mtime: -1 },
      "11 path=é\n15 linkpath=ü\n19 size=8589934592\n12 mtime=-1\n",
    ],
  ])("tarHead() does extend the header by %s", (_, entry, expected) => {
    expect(parse(tarHead({ ...FILE, ...entry })).records).toBe(expected);
  });

  it("tarHead() does write 0 in place of a number that does not fit", () => {
    const { block } = parse(tarHead({ ...FILE, size: 8 * GIB, mtime: -1 }));
    expect(field(block, 124, 12)).toBe("00000000000");
    expect(field(block, 136, 12)).toBe("00000000000");
  });

  const anyPart = fc
    .string({ unit: "binary", minLength: 1, maxLength: 200 })
    .map((part) => part.replaceAll("\0", "_"));
  const anyText = fc.oneof(
    anyPart,
    fc.array(fc.string({ minLength: 1, maxLength: 90 })).map((parts) => parts.join("/")),
  );
  const anyEntry = fc.record<TarEntry>({
    path: anyText,
    type: fc.constantFrom("file", "directory", "symlink"),
    mode: fc.nat(0o777),
    size: fc.oneof(fc.nat(), fc.maxSafeNat()),
    mtime: fc.oneof(fc.integer(), fc.maxSafeInteger()),
    target: anyText,
  });

  it("tarHeadLength() does know the length of any header, and each record of itself", () => {
    fc.assert(
      fc.property(anyEntry, (entry) => {
        const head = tarHead(entry);
        expect(head.byteLength).toBe(tarHeadLength(entry));
        expect(head.byteLength % 512).toBe(0);
        let { records } = parse(head);
        while (records !== "") {
          const length = Number.parseInt(records, 10);
          const record = Buffer.from(records).subarray(0, length).toString();
          expect(record).toMatch(/^\d+ (path|linkpath|size|mtime)=[^]*\n$/);
          records = Buffer.from(records).subarray(length).toString();
        }
      }),
    );
  });
});

describe("tarPadding()", () => {
  it.each([
    [0, 0],
    [1, 511],
    [511, 1],
    [512, 0],
    [513, 511],
    [2 ** 50 + 1, 511],
  ])("tarPadding() does follow %i bytes by %i", (size, padding) => {
    expect(tarPadding(size)).toBe(padding);
  });
});
