import { describe, expect, it } from "vitest";
import { permissions } from "../../../src/core/zip/permissions.ts";
import { memberOf } from "../../zip/member-of.ts";

describe("permissions()", () => {
  it.each([
    ["file", undefined, 0o644],
    ["file", 0o755, 0o755],
    ["file", 0, 0],
    ["directory", undefined, 0o755],
    ["directory", 0o700, 0o700],
    ["symlink", undefined, 0o777],
    ["symlink", 0o600, 0o777],
  ] as const)("permissions() does give a %s of mode %o %o", (type, mode, expected) => {
    expect(permissions(memberOf({ path: "a", type, mode }))).toBe(expected);
  });
});
