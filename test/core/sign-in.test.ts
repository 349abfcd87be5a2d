import { expect, it } from "vitest";
import { signInPath } from "../../src/core/sign-in.ts";

it.each([
  ["gitlab", "/users/sign_in"],
  ["gitea", "/user/login"],
] as const)("signInPath() does know where %s sends people", (kind, path) => {
  expect(signInPath(kind)).toBe(path);
});
