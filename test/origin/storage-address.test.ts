import { describe, expect, it } from "vitest";
import { isPresigned, storageAddress } from "../../src/origin/storage-address.ts";
import { NOW } from "./store-scene.ts";

const S = 1000;
const BUCKET = "https://storage.example/artifacts/ab/cd/artifacts.zip";
/** What is given besides, as a clock may be wrong and a read must still begin. */
const MARGIN = 20 * S;

function until(query: string): number {
  return storageAddress(new URL(`${BUCKET}?${query}`), NOW).until;
}

describe("storageAddress()", () => {
  it("storageAddress() does keep the address as it was given", () => {
    const query =
      "response-content-disposition=attachment%3B%20filename%3D%22a.zip%22&X-Amz-Signature=ab%2Fc";
    expect(storageAddress(new URL(`${BUCKET}?${query}`), NOW).url).toBe(`${BUCKET}?${query}`);
  });

  it.each<[string, string, number]>([
    ["S3's", "X-Amz-Date=20130524T000000Z&X-Amz-Expires=600&X-Amz-Signature=s", NOW + 600 * S],
    ["S3's, signed a while ago", "X-Amz-Date=20130523T235500Z&X-Amz-Expires=600", NOW + 300 * S],
    ["S3's, for a week", "X-Amz-Expires=604800&X-Amz-Date=20130524T000000Z", NOW + 604_800 * S],
    ["S3's, over already", "X-Amz-Date=20130523T000000Z&X-Amz-Expires=60", NOW - 86_340 * S],
    ["S3's, by a clock ahead", "X-Amz-Date=20130524T000100Z&X-Amz-Expires=60", NOW + 120 * S],
    ["Google's", "X-Goog-Date=20130524T010203Z&X-Goog-Expires=900", NOW + 3723 * S + 900 * S],
    ["S3's older", `AWSAccessKeyId=A&Signature=s&Expires=${NOW / S + 300}`, NOW + 300 * S],
    ["a network's", `Expires=${NOW / S + 60}&KeyName=k&Signature=s`, NOW + 60 * S],
    ["Azure's", "sv=2020-10-02&se=2013-05-24T00%3A10%3A00Z&sr=b&sig=s", NOW + 600 * S],
    ["the newer of S3's two", "X-Amz-Date=20130524T000000Z&X-Amz-Expires=600&Expires=1", NOW + 600 * S],
  ])("storageAddress() does read %s signature", (_case, query, expected) => {
    expect(until(query)).toBe(expected - MARGIN);
  });

  it.each([
    [""],
    ["X-Amz-Signature=s"],
    ["X-Amz-Date=20130524T000000Z"],
    ["X-Amz-Expires=600"],
    ["X-Amz-Date=2013-05-24T00:00:00Z&X-Amz-Expires=600"],
    ["X-Amz-Date=20130524T000000&X-Amz-Expires=600"],
    ["X-Amz-Date=20130524T000000Z&X-Amz-Expires=soon"],
    ["X-Amz-Date=20130524T000000Z&X-Amz-Expires=Infinity"],
    ["X-Amz-Date=20130524T000000Z&X-Goog-Expires=600"],
    ["Expires=tomorrow"],
    ["Expires=600"],
    ["Expires=Thu,%2001%20Jan%202099%2000:00:00%20GMT"],
    ["Expires="],
    ["se=never"],
    ["Policy=p&Signature=s&Key-Pair-Id=k"],
  ])("storageAddress() does believe for a minute what does not say until when it is good: %j", (query) => {
    expect(until(query)).toBe(NOW + 60 * S - MARGIN);
  });
});

describe("isPresigned()", () => {
  it.each([
    ["X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20130524T000000Z&X-Amz-Expires=600&X-Amz-Signature=s"],
    ["X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Date=20130524T000000Z&X-Goog-Expires=600&X-Goog-Signature=s"],
    ["AWSAccessKeyId=A&Expires=1369354000&Signature=s"],
    ["GoogleAccessId=a@b&Expires=1369354000&Signature=s"],
    ["Expires=1369354000&KeyName=k&Signature=s"],
    ["Expires=1369354000&Signature=s&Key-Pair-Id=k"],
    ["Policy=p&Signature=s&Key-Pair-Id=k"],
    ["sv=2020-10-02&se=2013-05-24T00%3A10%3A00Z&sr=b&sp=r&sig=s"],
  ])("isPresigned() does take ?%s for an object storage's", (query) => {
    expect(isPresigned(new URL(`${BUCKET}?${query}`))).toBe(true);
  });

  it.each([
    [""],
    ["return_to=https%3A%2F%2Fgit.example%2Fg%2Fp"],
    ["client_id=a&redirect_uri=b&response_type=code&scope=openid&state=s&nonce=n"],
    ["return_to=%3FX-Amz-Signature%3Ds"],
    ["x-amz-signature-of=s"],
    // Signed too, but by one who wants to know who is there (SAML 2.0 Bindings §3.4.4.1)
    [
      "SAMLRequest=fZ&RelayState=r&SigAlg=http%3A%2F%2Fwww.w3.org%2F2001%2F04%2Fxmldsig-more%23rsa-sha256&Signature=s",
    ],
    ["SAMLRequest=fZ&SigAlg=a&Signature=s"],
    // Discourse's and others' single sign-on
    ["sso=bm9uY2U9&sig=s"],
  ])("isPresigned() does not take ?%s for one", (query) => {
    expect(isPresigned(new URL(`https://login.example/authorize?${query}`))).toBe(false);
  });
});
