import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pathProblem } from "../../../src/core/zip/path-problem.ts";
import type { ZipProblem } from "../../../src/core/zip/problems.ts";

describe("a path that means the same everywhere", () => {
  it.each([
    ["a"],
    ["a/b/c.txt"],
    ["a/"],
    [".gitignore"],
    ["..a/b.."],
    ["..a"],
    ["a./b"],
    ["12:30.log"],
    ["logs/2024-01-01T12:30:00Z.log"],
    ["std::vector.html"],
    ["1:b"],
    ["ab:c"],
    ["config"],
    ["auxiliary.c"],
    ["com0"],
    ["com10"],
    ["com"],
    ["nul-a"],
    ["a nul"],
    ["~/x"],
    ["%2e%2e/x"],
    ["Übergröße/日本語/🎉.txt"],
    ["\ufeffa"],
    [`e${"\u0301".repeat(30)}`],
    ["n".repeat(4096)],
  ])("pathProblem() does find nothing in %j", (path) => {
    expect(pathProblem(path)).toBeUndefined();
  });
});

describe("a path that does not", () => {
  it.each<[string, ZipProblem]>([
    ["", "name_malformed"],
    ["n".repeat(4097), "name_malformed"],
    ["ü".repeat(2049), "name_malformed"],
    ["日".repeat(1366), "name_malformed"],
    ["a//b", "name_malformed"],
    ["a//", "name_malformed"],
    ["a/./b", "name_malformed"],
    ["a/.", "name_malformed"],
    [".", "name_malformed"],
    [`e${"\u0301".repeat(31)}`, "name_malformed"],
    ["a\0b", "name_control"],
    ["\u001f", "name_control"],
    ["a\u007f", "name_control"],
    ["a\n", "name_control"],
    ["a\\b", "name_backslash"],
    ["..\\b", "name_backslash"],
    ["/", "name_absolute"],
    ["/a", "name_absolute"],
    ["//a", "name_absolute"],
    ["C:", "name_drive"],
    ["c:/a", "name_drive"],
    ["z:a", "name_drive"],
    ["a/c:/b", "name_drive"],
    ["a::$DATA", "name_drive"],
    ["a:b:$DATA", "name_drive"],
    ["a:$i30:$INDEX_ALLOCATION/b", "name_drive"],
    ["..", "name_escapes"],
    ["../a", "name_escapes"],
    ["a/../b", "name_escapes"],
    ["a/..", "name_escapes"],
    ["a/../", "name_escapes"],
    [".. /a", "name_escapes"],
    ["...", "name_escapes"],
    ["a/.. . ./b", "name_escapes"],
    ["nul", "name_device"],
    ["NUL/", "name_device"],
    ["a/Con/b", "name_device"],
    ["aux.c", "name_device"],
    ["aux.tar.gz", "name_device"],
    ["prn .txt", "name_device"],
    ["nul:", "name_device"],
    ["COM1", "name_device"],
    ["lpt9.txt", "name_device"],
    ["com\u00b2", "name_device"],
    ["CONIN$", "name_device"],
    ["conout$.txt", "name_device"],
  ])("pathProblem() does say of %j that it is %s", (path, problem) => {
    expect(pathProblem(path)).toBe(problem);
  });

  it("pathProblem() does let nothing through that leads out, as a file system resolves it", () => {
    const segment = fc.constantFrom("..", ".", "", "a", "...", "b ", "c:", "\\", "..\\..");
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1 }), (segments) => {
        const path = segments.join("/");
        const isPlain = segments.every(
          (one, index) => /^[ab] ?$/.test(one) || (one === "" && index === segments.length - 1),
        );
        expect(pathProblem(path) === undefined).toBe(isPlain && path !== "");
      }),
    );
  });
});
