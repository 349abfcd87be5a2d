import { execFile } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StoreAuth } from "../../src/core/site.ts";
import { AWS_SDK } from "./aws-sdk.ts";
import type { Client } from "./client.ts";
import { CURL } from "./curl.ts";
import { ALICE, BOB, BUCKET, type Place } from "./place.ts";

const NOTHING = { requests: 0, bytes: 0 };
const A_QUESTION = { requests: 1, bytes: 0 };

/** What Ceph RGW is asked, and what it says itself, where it is the one who knows who asks. */
export function asksCeph(place: () => Place): void {
  describe("questions to Ceph RGW", () => {
    let client: Client;
    beforeAll(async () => {
      client = await AWS_SDK.start(place().host("rgw"));
    });
    afterAll(() => client.close());

    let names = 0;
    const put = async (bytes: Buffer, headers: Readonly<Record<string, string>> = {}) => {
      const key = `questions/${++names}`;
      const write = { method: "PUT", path: `/${BUCKET}/${key}`, body: bytes, headers, as: ALICE };
      expect(await place().ask(place().host("rgw"), write)).toMatchObject({ status: 200 });
      return key;
    };
    const presign = async (key: string, seconds: number, as = ALICE) =>
      (await client.presign?.({ method: "GET", as, bucket: BUCKET, key, seconds })) ?? "";
    const reads = async (url: string, bytes: Buffer, times = 1) => {
      for (let count = 0; count < times; count += 1) {
        const answer = await place().askUrl(url);
        expect([answer.status, answer.body.equals(bytes)]).toEqual([200, true]);
      }
    };
    const costOf = async (act: () => Promise<unknown>) => await place().costOf(act);

    test("a presigned URL costs RGW nothing for 20 s, and questions without bytes from then on", async () => {
      const bytes = randomBytes(3_000_000);
      const key = await put(bytes);
      const url = await presign(key, 900);
      const first = await costOf(() => reads(url, bytes));
      expect(first?.bytes).toBeGreaterThan(2_900_000);
      expect(await costOf(() => reads(url, bytes, 5))).toEqual(NOTHING);
      await place().advance(12);
      expect(await costOf(() => reads(url, bytes, 5))).toEqual(NOTHING);
      // It is time to ask again, behind an answer
      await place().advance(13);
      expect(await costOf(() => reads(url, bytes, 5))).toEqual(A_QUESTION);
      // Nothing is believed any more of what was known
      await place().advance(60);
      expect(await costOf(() => reads(url, bytes, 5))).toEqual(A_QUESTION);
    });

    test("another signature costs RGW one question without bytes", async () => {
      const bytes = randomBytes(3_000_000);
      const key = await put(bytes);
      await reads(await presign(key, 900), bytes);
      for (const seconds of [901, 902]) {
        const url = await presign(key, seconds);
        expect(await costOf(() => reads(url, bytes, 5))).toEqual(A_QUESTION);
      }
    });

    test("an object that was changed behind the edge is found out by the next question", async () => {
      const [old, bytes] = [randomBytes(1000), randomBytes(1000)];
      const key = await put(old);
      await reads(await presign(key, 900), old);
      await place().behind({ method: "PUT", path: `/${BUCKET}/${key}`, body: bytes, as: ALICE });
      expect(await place().askUrl(await presign(key, 901))).toMatchObject({ status: 200, body: bytes });
    });

    test("what is wrong with a signature is told by RGW, for each one", async () => {
      const bytes = randomBytes(1000);
      const key = await put(bytes);
      const url = await presign(key, 900);
      await reads(url, bytes, 2);
      const cases = [
        [url.replace(/Signature=[0-9a-f]{4}/, "Signature=beef"), "SignatureDoesNotMatch"],
        [url.replace("Expires=900", "Expires=9000"), "SignatureDoesNotMatch"],
        [`${url}&response-content-type=text%2Fhtml`, "SignatureDoesNotMatch"],
        [await presign(key, 900, BOB), "AccessDenied"],
        [await presign(key, 900, { ...ALICE, accessKey: "NOBODYACCESSKEY" }), "InvalidAccessKeyId"],
      ] as const;
      for (const [wrong, code] of cases) {
        const answer = await place().askUrl(wrong);
        expect(answer).toMatchObject({ status: 403, code });
        // Only RGW names its requests so
        expect(answer.body.toString()).toMatch(/<RequestId>tx0/);
      }
      await reads(url, bytes);
    });

    test.each(["rgw", "edge"] as const)("nobody reads what is private, auth %s", async (auth) => {
      const bytes = randomBytes(1000);
      const [closed, open] = [await put(bytes), await put(bytes, { "x-amz-acl": "public-read" })];
      const host = place().host(auth);
      const asNobody = async (key: string) => await place().ask(host, { path: `/${BUCKET}/${key}` });
      expect(await place().ask(host, { path: `/${BUCKET}/${closed}`, as: ALICE })).toMatchObject({
        status: 200,
      });
      expect(await asNobody(closed)).toMatchObject({ status: 403, code: "AccessDenied" });
      const ofOpen = async () => {
        const answer = await asNobody(open);
        expect([answer.status, answer.body.equals(bytes)]).toEqual([200, true]);
      };
      await ofOpen();
      expect(await costOf(ofOpen)).toEqual(NOTHING);
    });

    test("an older version is read by its id, and none is left where it was deleted", async () => {
      const bucket = "/versions";
      const host = place().host("rgw");
      const ask = async (asking: object) =>
        await place().ask(host, { path: `${bucket}/k`, as: ALICE, ...asking });
      await ask({ path: bucket, method: "PUT" });
      const enabled = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
      const change = { path: bucket, query: "versioning=", method: "PUT", body: enabled };
      expect(await ask(change)).toMatchObject({ status: 200 });
      const versions: string[] = [];
      for (const body of ["first", "second"])
        versions.push(String((await ask({ method: "PUT", body })).headers["x-amz-version-id"]));
      const [first, second] = versions;
      for (const auth of ["rgw", "edge"] as const) {
        const read = async (query: string) => {
          const { status, body, headers } = await place().ask(place().host(auth), {
            path: `${bucket}/k`,
            query,
            as: ALICE,
          });
          return {
            status,
            text: status === 200 ? body.toString() : "",
            version: headers["x-amz-version-id"],
          };
        };
        for (let times = 0; times < 2; times += 1) {
          expect(await read(`versionId=${first}`)).toEqual({ status: 200, text: "first", version: first });
          expect(await read(`versionId=${second}`)).toEqual({ status: 200, text: "second", version: second });
          expect(await read("")).toMatchObject({ status: 200, text: "second" });
          expect(await read("versionId=none")).toMatchObject({ status: 404 });
        }
      }
      expect(await ask({ method: "DELETE" })).toMatchObject({ status: 204 });
      expect(await ask({})).toMatchObject({ status: 404, code: "NoSuchKey" });
      expect((await ask({ query: `versionId=${first}` })).body.toString()).toBe("first");
      expect(await ask({ method: "DELETE", query: `versionId=${first}` })).toMatchObject({ status: 204 });
      expect(await ask({ query: `versionId=${first}` })).toMatchObject({ status: 404 });
    });

    test("what an object's own Cache-Control forbids to keep is not kept", async () => {
      const bytes = randomBytes(1000);
      const key = await put(bytes, { "cache-control": "private, max-age=600" });
      const url = await presign(key, 900);
      for (let times = 0; times < 2; times += 1) {
        const cost = await costOf(() => reads(url, bytes));
        expect(cost?.bytes).toBeGreaterThan(900);
      }
    });

    test.each(["rgw", "edge"] as const)("a signature of version 2 is left to RGW, auth %s", async (auth) => {
      const bytes = randomBytes(1000);
      const path = `/${BUCKET}/${await put(bytes)}`;
      const expires = String(Math.floor(Date.now() / 1000) + 60);
      const hex = createHmac("sha1", ALICE.secretKey).update(`GET\n\n\n${expires}\n${path}`).digest("base64");
      const query = new URLSearchParams({
        AWSAccessKeyId: ALICE.accessKey,
        Expires: expires,
        Signature: hex,
      });
      const url = `http://${place().host(auth)}${path}?${query.toString()}`;
      for (let times = 0; times < 2; times += 1) {
        const cost = await costOf(() => reads(url, bytes));
        expect(cost).toMatchObject({ requests: 1 });
      }
      const forged = { status: 403, code: "SignatureDoesNotMatch" };
      expect(await place().askUrl(url.replace("Signature=", "Signature=x"))).toMatchObject(forged);
    });

    test("an object's description may be in any language", async () => {
      const curl = await CURL.start(place().host("edge"));
      const object = { as: ALICE, bucket: BUCKET, key: "questions/described" };
      const metadata = { title: "Grüße, 日本" };
      expect(await curl.call({ ...object, operation: "put", metadata })).toMatchObject({ status: 200 });
      for (let times = 0; times < 2; times += 1) {
        const { headers } = await curl.call({ ...object, operation: "get" });
        expect(Buffer.from(String(headers["x-amz-meta-title"]), "latin1").toString()).toBe(metadata.title);
      }
    });

    test("this curl hashes an empty payload, and does not say so", async () => {
      const bytes = randomBytes(1000);
      const key = await put(bytes);
      const get = async (auth: StoreAuth) => {
        const signing = [
          "--aws-sigv4",
          "aws:amz:us-east-1:s3",
          "--user",
          `${ALICE.accessKey}:${ALICE.secretKey}`,
        ];
        const url = `http://${place().host(auth)}/${BUCKET}/${key}`;
        const args = [
          "--silent",
          "--ipv4",
          "--output",
          "/dev/null",
          "--write-out",
          "%{http_code}",
          ...signing,
          url,
        ];
        return (await promisify(execFile)("curl", args)).stdout;
      };
      expect(await get("edge")).toBe("200");
      // From curl 8 on it says so
      expect(["200", "403"]).toContain(await get("rgw"));
    });
  });
}
