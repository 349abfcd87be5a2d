import { expect, it } from "vitest";
import { keyPrincipal, signedPrincipal, type SignedRequest } from "../../src/core/store-principal.ts";

const REQUEST: SignedRequest = { method: "GET", host: "h", path: "/b/k", search: "", headers: [["a", "b"]] };

it("keyPrincipal() does tell the holders of two keys apart, and no secret", () => {
  expect(keyPrincipal("A").text).toBe(keyPrincipal("A").text);
  const texts = ["A", "B", "", '"', "A,B", '["access key","A"]'].map((key) => keyPrincipal(key).text);
  expect(new Set(texts).size).toBe(texts.length);
  expect(keyPrincipal("A")).toEqual({ kind: "access key", accessKey: "A", text: '["access key","A"]' });
});

it("signedPrincipal() does tell signatures apart by all that is sent again", () => {
  const others: SignedRequest[] = [
    REQUEST,
    { ...REQUEST, method: "HEAD" },
    { ...REQUEST, host: "i" },
    { ...REQUEST, path: "/b/k/" },
    { ...REQUEST, search: "?a" },
    { ...REQUEST, path: "/b/", search: "k" },
    { ...REQUEST, headers: [] },
    { ...REQUEST, headers: [["a", "c"]] },
    { ...REQUEST, headers: [["ab", ""]] },
    {
      ...REQUEST,
      headers: [
        ["a", "b"],
        ["c", "d"],
      ],
    },
  ];
  const texts = others.map((request) => signedPrincipal(request).text);
  expect(new Set(texts).size).toBe(others.length);
  expect(texts).not.toContain(keyPrincipal("GET").text);
  expect(signedPrincipal({ ...REQUEST }).text).toBe(texts[0]);
  expect(signedPrincipal(REQUEST)).toMatchObject({ kind: "signed", request: REQUEST });
});
