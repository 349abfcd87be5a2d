import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { smallArchive } from "../../scripts/demo/sample-archive.ts";
import { cephRgwLacks } from "../../scripts/servers/ceph-rgw.ts";
import { quietPort } from "../../scripts/servers/quiet-port.ts";
import { readStoreEvent } from "../../src/core/events/store-event.ts";
import { hookProof } from "../../workers/hook-proof.ts";
import { objectPath, type Answer, type Asking } from "../edge/s3-client.ts";
import { describeWith } from "../servers/presence.ts";
import { SECRET, startNotifiedPlace, type NotifiedPlace } from "./notified-place.ts";

/** Their keys are told as they are, whatever is in them. */
const KEYS = [
  "plain.txt",
  "with space",
  "pl+us",
  "100%",
  "%41",
  "a%2Fb",
  "a+b c%20d",
  "grüße/日本/😀",
  "e\u0301 and \u00e9",
  "a//b",
  "/leading",
  "a/../b",
  "trailing/",
  "q?x=1&y#z",
  'quo"te\\ <&>',
];

const TOLD = "told";
/** Nobody is told of it. */
const QUIET = "quiet";
/** The listener is told of it, and not the edge. */
const HEARD = "heard";
const VERSIONED = "versioned";

describeWith("Ceph RGW", await cephRgwLacks())("Notifications of Ceph RGW", () => {
  let place: NotifiedPlace;
  beforeAll(async () => {
    place = await startNotifiedPlace();
    await place.createBucket(TOLD, place.hooks(SECRET));
    await place.createBucket(QUIET);
    await place.createBucket(HEARD, place.listener.url);
    await place.createBucket(VERSIONED, place.hooks(SECRET));
    const body = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
    await write({ method: "PUT", path: `/${VERSIONED}`, query: "versioning=", body });
  });
  afterAll(() => place.close());

  let names = 0;
  const newKey = () => `key-${++names}`;

  /** Writes past the edge. */
  const write = async (asking: Asking): Promise<Answer> => {
    const answer = await place.behind(asking);
    expect([answer.status, answer.code]).toEqual([answer.status === 204 ? 204 : 200, undefined]);
    return answer;
  };
  const put = async (bucket: string, key: string, body: string | Uint8Array) =>
    await write({ method: "PUT", path: objectPath(bucket, key), body });
  const remove = async (bucket: string, key: string) =>
    await write({ method: "DELETE", path: objectPath(bucket, key) });

  /** What the edge gives: the text of an object, or the status. */
  const read = async (bucket: string, key: string, isolate?: string): Promise<string> => {
    const { status, body } = await place.ask({ path: objectPath(bucket, key) }, isolate);
    return status === 200 ? body.toString() : String(status);
  };
  /** The same, where the edge asks RGW nothing. */
  const readHot = async (bucket: string, key: string, isolate?: string): Promise<string> => {
    const before = await place.requests();
    const text = await read(bucket, key, isolate);
    expect([key, (await place.requests()) - before]).toEqual([key, 0]);
    return text;
  };
  /** An object that the edge answers from memory. */
  const hot = async (bucket: string, key = newKey()) => {
    const text = `old ${bucket} ${key}`;
    await put(bucket, key, text);
    await warm(bucket, key, text);
    return { key, text };
  };
  const warm = async (bucket: string, key: string, text: string, isolate?: string) => {
    expect(await read(bucket, key, isolate)).toBe(text);
    expect(await readHot(bucket, key, isolate)).toBe(text);
  };

  describe("what is written past the edge", () => {
    test.each(KEYS)("is what the next read gives: %j", async (key) => {
      await hot(TOLD, key);
      await put(TOLD, key, "new");
      expect(await read(TOLD, key)).toBe("new");
      expect(await readHot(TOLD, key)).toBe("new");
      await remove(TOLD, key);
      expect(await read(TOLD, key)).toBe("404");
      await put(TOLD, key, "again");
      expect(await read(TOLD, key)).toBe("again");
    });

    test("is what the next read gives, of many blocks as well", async () => {
      const path = `/${TOLD}/large`;
      for (const bytes of [randomBytes(5_000_000), randomBytes(5_000_000), randomBytes(4_000_000)]) {
        await put(TOLD, "large", bytes);
        for (let times = 0; times < 2; times += 1) {
          const { status, body } = await place.ask({ path });
          expect([status, body.equals(bytes)]).toEqual([200, true]);
        }
      }
    });

    test("is what the next read gives of a file in an archive", async () => {
      const inside = "report.zip!/a.txt";
      for (const text of ["old", "new", "newer"]) {
        await put(TOLD, "report.zip", smallArchive({ "a.txt": text, "b.txt": "b" }));
        expect(await read(TOLD, inside)).toBe(text);
        expect(await readHot(TOLD, inside)).toBe(text);
      }
    });

    test("in parts is told once it is complete", async () => {
      const { key, text } = await hot(TOLD);
      const path = objectPath(TOLD, key);
      const begun = await write({ method: "POST", path, query: "uploads=" });
      const upload = /<UploadId>(.+)<\/UploadId>/.exec(begun.body.toString())?.[1] ?? "";
      const part = { method: "PUT", path, query: `partNumber=1&uploadId=${upload}`, body: "in parts" };
      const { etag = "" } = (await write(part)).headers;
      expect(await readHot(TOLD, key)).toBe(text);
      const parts = `<Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part>`;
      const body = `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`;
      await write({ method: "POST", path, query: `uploadId=${upload}`, body });
      expect(await read(TOLD, key)).toBe("in parts");
    });

    test("by a copy is told of the copy", async () => {
      const [source, copy] = [await hot(TOLD), await hot(TOLD)];
      const headers = { "x-amz-copy-source": objectPath(TOLD, source.key) };
      await write({ method: "PUT", path: objectPath(TOLD, copy.key), headers });
      expect(await read(TOLD, copy.key)).toBe(source.text);
      expect(await readHot(TOLD, source.key)).toBe(source.text);
    });

    test("by a copy onto itself is described anew", async () => {
      const { key } = await hot(TOLD);
      const path = objectPath(TOLD, key);
      const described = { "x-amz-metadata-directive": "REPLACE", "x-amz-meta-mood": "new" };
      await write({ method: "PUT", path, headers: { "x-amz-copy-source": path, ...described } });
      expect((await place.ask({ path })).headers).toMatchObject({ "x-amz-meta-mood": "new" });
    });

    test("by a browser's form is told", async () => {
      const { key } = await hot(TOLD);
      await write({
        method: "PUT",
        path: `/${TOLD}`,
        query: "acl=",
        headers: { "x-amz-acl": "public-read-write" },
      });
      const field = (name: string, text: string) =>
        `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
      const form = {
        method: "POST",
        path: `/${TOLD}`,
        body: `${field("key", key)}${field("file", "by a form")}--edge--\r\n`,
        headers: { "content-type": "multipart/form-data; boundary=edge" },
        as: undefined,
      };
      await write(form);
      expect(await read(TOLD, key)).toBe("by a form");
      await write({ method: "PUT", path: `/${TOLD}`, query: "acl=", headers: { "x-amz-acl": "private" } });
    });

    test("where versions are kept is told, also that one was removed", async () => {
      const { key, text } = await hot(VERSIONED);
      const path = objectPath(VERSIONED, key);
      const version = String((await put(VERSIONED, key, "second")).headers["x-amz-version-id"]);
      expect(await read(VERSIONED, key)).toBe("second");
      expect(await readHot(VERSIONED, key)).toBe("second");
      await write({ method: "DELETE", path, query: `versionId=${encodeURIComponent(version)}` });
      expect(await read(VERSIONED, key)).toBe(text);
      await remove(VERSIONED, key);
      expect(await read(VERSIONED, key)).toBe("404");
    });
  });

  describe("what a notification is not of", () => {
    test("stays as it was: another key of the bucket", async () => {
      const [one, other] = [await hot(TOLD, "near/key"), await hot(TOLD, "near/key2")];
      await put(TOLD, one.key, "new");
      await remove(TOLD, "near/");
      expect(await readHot(TOLD, other.key)).toBe(other.text);
      expect(await read(TOLD, one.key)).toBe("new");
    });

    test("stays as it was: the same key of another bucket, where nobody is told of what is written", async () => {
      const key = newKey();
      const [told, quiet] = [await hot(TOLD, key), await hot(QUIET, key)];
      await put(TOLD, told.key, "new");
      expect(await readHot(QUIET, key)).toBe(quiet.text);
      await put(QUIET, key, "new");
      expect(await readHot(QUIET, key)).toBe(quiet.text);
    });
  });

  test("another isolate of the colo knows within a second", async () => {
    const { key, text } = await hot(TOLD);
    await warm(TOLD, key, text, "two");
    await put(TOLD, key, "new");
    await sleep(1000);
    expect(await read(TOLD, key, "two")).toBe("new");
    expect(await readHot(TOLD, key, "two")).toBe("new");
    expect(await read(TOLD, key, "three")).toBe("new");
  });

  describe("where the edge is not told", () => {
    const cases = [
      { name: "wrong", endpoint: () => place.hooks(`${SECRET}x`) },
      { name: "none", endpoint: () => place.hooks(SECRET).replace(/\/\/.*@/, "//") },
      { name: "nowhere", endpoint: async () => `http://127.0.0.1:${await quietPort()}/` },
    ];
    test.each(cases)(
      "RGW takes the write all the same, and nothing is dropped: $name",
      async ({ name, endpoint }) => {
        await place.createBucket(name, await endpoint());
        const { key, text } = await hot(name);
        await put(name, key, "new");
        expect((await place.behind({ path: objectPath(name, key) })).body.toString()).toBe("new");
        expect(await readHot(name, key)).toBe(text);
        await remove(name, key);
        expect(await readHot(name, key)).toBe(text);
      },
    );

    test("a password is taken over TLS alone", async () => {
      const refused = await place.createTopic("plain", place.hooks(SECRET), false);
      expect(refused).toMatchObject({ status: 400, code: "InvalidInput" });
    });
  });

  describe("what RGW sends", () => {
    const listens = async (act: () => Promise<unknown>) => {
      place.listener.heard.length = 0;
      await act();
      return [...place.listener.heard];
    };

    test("proves itself, and is read as what was written", async () => {
      for (const key of [...KEYS, "tab\tand\nline"]) {
        const heard = await listens(async () => {
          await put(HEARD, key, "new");
          await remove(HEARD, key);
        });
        expect(heard).toHaveLength(2);
        for (const { method, headers, body } of heard) {
          const header = (name: string) => (headers[name] === undefined ? null : String(headers[name]));
          expect([method, headers["content-type"]]).toEqual(["POST", "application/json"]);
          expect(hookProof(SECRET, Date.now)("s3", header)).toEqual({ kind: "proven" });
          expect(hookProof(`${SECRET}x`, Date.now)("s3", header)).toEqual({ kind: "refused" });
          const events = [{ kind: "object", bucket: HEARD, key }];
          expect(readStoreEvent(JSON.parse(body))).toEqual({ kind: "events", events });
        }
      }
    });

    test("comes when all see what was done, and before who did it has an answer", async () => {
      const path = `/${HEARD}/seen`;
      const seen: string[] = [];
      place.listener.answer = async () => {
        await sleep(100);
        const { status, body } = await place.behind({ path });
        seen.push(status === 200 ? body.toString() : String(status));
        return 500;
      };
      for (const text of ["one", "two"]) {
        await put(HEARD, "seen", text);
        expect(seen.at(-1)).toBe(text);
      }
      await remove(HEARD, "seen");
      expect(seen).toEqual(["one", "two", "404"]);
      place.listener.answer = () => 200;
    });

    test("says nothing of who may read an object, nor of its tags", async () => {
      const path = `/${HEARD}/kept`;
      const tags = "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>";
      const heard = await listens(async () => {
        await put(HEARD, "kept", "one");
        await write({ method: "PUT", path, query: "acl=", headers: { "x-amz-acl": "public-read" } });
        await write({ method: "PUT", path, query: "tagging=", body: tags });
      });
      expect(heard).toHaveLength(1);
    });
  });
});
