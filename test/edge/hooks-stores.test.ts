import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { objectPath } from "./s3-client.ts";
import { KEYS, PRIVATE, startS3Scene, type S3Scene } from "./s3-scene.ts";

const SECRET = "webhook-secret-of-the-stores";
const HOOKS = "/-/forgefront/hooks";

let scene: S3Scene;
beforeAll(async () => {
  scene = await startS3Scene({ vars: { WEBHOOK_SECRET: SECRET } });
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.close());

/** Who sends a notification: how it proves itself, and how it writes a key. */
type Sender = {
  readonly name: string;
  readonly authorization: string;
  readonly record: (key: string) => object;
};

const basic = (user: string) => `Basic ${Buffer.from(`${user}:${SECRET}`).toString("base64")}`;
/** As S3 and MinIO write it: the encoding of forms. */
const formEncoded = (key: string) => encodeURIComponent(key).replaceAll("%20", "+");
const record = (eventSource: string, eventName: string, key: string) => ({
  eventVersion: "2.2",
  eventSource,
  eventName,
  s3: { bucket: { name: PRIVATE }, object: { key, size: 1 } },
});

const SENDERS: readonly Sender[] = [
  {
    name: "MinIO",
    authorization: `Bearer ${SECRET}`,
    record: (key) => record("minio:s3", "s3:ObjectCreated:Put", formEncoded(key)),
  },
  { name: "RGW", authorization: basic("any"), record: (key) => record("ceph:s3", "ObjectCreated:Put", key) },
  {
    name: "S3 by a proxy",
    authorization: basic(""),
    record: (key) =>
      record("aws:s3", "ObjectCreated:CompleteMultipartUpload", formEncoded(key).replaceAll("%2F", "/")),
  },
];

async function notify({ authorization }: Sender, records: readonly object[]): Promise<number> {
  const body = JSON.stringify({ Records: records });
  const headers = { authorization, "content-type": "application/json" };
  return (await scene.ask("edge", { method: "POST", path: HOOKS, headers, body })).status;
}

/** What is read of an object by one who may, in an isolate. */
async function says(key: string, isolate = "", method = "GET"): Promise<string> {
  const headers = { "x-test-isolate": isolate };
  const asking = {
    path: objectPath(PRIVATE, key),
    as: KEYS.reader,
    method,
    headers,
    unsigned: ["x-test-isolate"],
  };
  const answer = await scene.ask("edge", asking);
  if (answer.status !== 200) return String(answer.status);
  return method === "HEAD" ? String(answer.headers["content-length"]) : answer.body.toString();
}

const KEYS_OF_OBJECTS = [
  "plain.txt",
  "with space.txt",
  "a+b.txt",
  "a%20b.txt",
  "a%2Fb.txt",
  "deep/er/name.txt",
  "ünï/cödé-日本.txt",
  "q?x=1&y=#.txt",
  "100%.txt",
  "e\u0301 and \u00e9.txt",
  "emoji-🚀.txt",
];

describe.each(SENDERS)("a notification of $name", (sender) => {
  it("has a write past the edge seen at once, whatever the key", async () => {
    for (const key of KEYS_OF_OBJECTS) {
      const name = `${scene.name("notified")}/${key}`;
      expect([key, await says(name)]).toEqual([key, "404"]);
      for (const text of ["one", "three", "two more"]) {
        scene.store.put(PRIVATE, name, text);
        expect(await notify(sender, [sender.record(name)])).toBe(200);
        expect([key, await says(name)]).toEqual([key, text]);
        expect([key, await says(name, "", "HEAD")]).toEqual([key, String(text.length)]);
        expect([key, await says(name)]).toEqual([key, text]);
      }
    }
  });

  it("has a deletion, and what is made anew, seen at once, and says nothing of others", async () => {
    const [name, other] = [scene.name("gone"), scene.name("other")];
    for (const key of [name, other]) scene.store.put(PRIVATE, key, "here");
    for (const key of [name, other]) expect(await says(key)).toBe("here");
    await scene.settle();
    scene.store.remove(PRIVATE, name);
    const removed = { ...sender.record(name), eventName: "s3:ObjectRemoved:Delete" };
    expect(await notify(sender, [removed])).toBe(200);
    expect(await says(name)).toBe("404");
    scene.store.put(PRIVATE, name, "again");
    expect(await notify(sender, [sender.record(name)])).toBe(200);
    expect(await says(name)).toBe("again");
    const { counts } = await scene.counted(async () => expect(await says(other)).toBe("here"));
    expect(counts.total).toBe(0);
  });
});

describe("notifications", () => {
  const [minio] = SENDERS as readonly [Sender];

  it("of many objects in one delivery count for each of them", async () => {
    const names = Array.from({ length: 120 }, () => scene.name("many"));
    for (const name of names) scene.store.put(PRIVATE, name, "old");
    const some = [names[0], names[60], names[119]] as readonly string[];
    for (const name of some) expect(await says(name)).toBe("old");
    for (const name of names) scene.store.put(PRIVATE, name, "newer");
    expect(
      await notify(
        minio,
        names.map((name) => minio.record(name)),
      ),
    ).toBe(200);
    for (const name of some) expect(await says(name)).toBe("newer");
  });

  it("are known in another isolate of the colo within a second", async () => {
    const name = scene.name("beyond");
    scene.store.put(PRIVATE, name, "0");
    for (let version = 1; version <= 3; version++) {
      expect(await says(name, "elsewhere")).toBe(String(version - 1));
      scene.store.put(PRIVATE, name, String(version));
      expect(await notify(minio, [minio.record(name)])).toBe(200);
      await scene.advance(1000);
      expect(await says(name, "elsewhere")).toBe(String(version));
    }
  });

  it("that change nothing, or prove nothing, leave all as it was", async () => {
    const name = scene.name("calm");
    scene.store.put(PRIVATE, name, "calm");
    expect(await says(name)).toBe("calm");
    const { counts } = await scene.counted(async () => {
      for (const eventName of ["s3:ObjectAccessed:Get", "s3:BucketCreated:*", "s3:ObjectAccessed:Head"])
        expect(await notify(minio, [{ ...minio.record(name), eventName }])).toBe(200);
      const wrong = { ...minio, authorization: "Bearer wrong" };
      expect(await notify(wrong, [minio.record(name)])).toBe(401);
      for (const records of [[{}], [{ eventName: "s3:ObjectCreated:Put" }], [null], ["x"]])
        expect([200, 400]).toContain(await notify(minio, records as readonly object[]));
      expect(await says(name)).toBe("calm");
    });
    expect(counts.total).toBe(0);
  });

  it("that come late or twice never bring back what was", async () => {
    const name = scene.name("late");
    const first = minio.record(name);
    scene.store.put(PRIVATE, name, "one");
    expect(await says(name)).toBe("one");
    scene.store.put(PRIVATE, name, "two");
    const removed = { ...first, eventName: "s3:ObjectRemoved:Delete" };
    for (const records of [[first], [removed], [first, removed], [removed, first], [first]]) {
      expect(await notify(minio, records)).toBe(200);
      expect(await says(name)).toBe("two");
    }
  });
});
