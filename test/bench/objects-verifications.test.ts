import { expect, test } from "vitest";
import { exercise } from "../../scripts/bench/objects-verifications.ts";
import { requestSigner } from "../../scripts/bench/objects-signing.ts";

const USER = { name: "reader", accessKey: "READER", secretKey: "reader-secret" };
const REQUEST = { method: "GET", host: "objects.example.com", path: "/bench/object" };
const signed = { ...REQUEST, headers: requestSigner(USER, Date.now())(REQUEST) };
const given = { accessKey: USER.accessKey, secret: USER.secretKey, region: "us-east-1", times: 5 };

test("exercise() counts signatures that are right", async () => {
  const stolen = { ...signed, path: "/bench/other" };
  expect(await exercise({ ...given, way: "verify", requests: [signed, stolen] })).toBe(3);
  expect(await exercise({ ...given, way: "verify", requests: [signed], secret: "another" })).toBe(0);
});

test("exercise() counts signatures that are made", async () => {
  expect(await exercise({ ...given, way: "sign", requests: [{ ...REQUEST, headers: {} }] })).toBe(5);
});
