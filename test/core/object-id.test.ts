import { expect, it } from "vitest";
import { isObjectId } from "../../src/core/object-id.ts";

const SHA1 = "0123456789abcdef0123456789abcdef01234567";
const SHA256 = SHA1 + SHA1.slice(0, 24);

it.each([
  [SHA1, true],
  [SHA256, true],
  ["", false],
  [SHA1.slice(1), false],
  [`${SHA1}0`, false],
  [SHA256.slice(1), false],
  [`${SHA256}0`, false],
  [SHA1.toUpperCase(), false],
  [`g${SHA1.slice(1)}`, false],
  [`${SHA1}\n`, false],
  [`\n${SHA1}`, false],
  [` ${SHA1.slice(1)}`, false],
])("isObjectId() does judge %j: %j", (text, verdict) => {
  expect(isObjectId(text)).toBe(verdict);
});
