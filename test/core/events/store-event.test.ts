import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readStoreEvent } from "../../../src/core/events/store-event.ts";

type Source = "aws:s3" | "minio:s3" | "ceph:s3";

function record(eventName: string, key: string, eventSource: Source = "aws:s3") {
  return {
    eventVersion: "2.1",
    eventSource,
    awsRegion: "us-west-2",
    eventName,
    s3: {
      s3SchemaVersion: "1.0",
      configurationId: "mynotif1",
      bucket: { name: "mybucket1", ownerIdentity: { principalId: "tester" }, arn: "arn:aws:s3:::mybucket1" },
      object: { key, size: 1024, eTag: "37b51d194a7513e45b56f6524f2d51f2", sequencer: "F7E6D75DC742D108" },
    },
  };
}

function object(key: string) {
  return { kind: "object", bucket: "mybucket1", key };
}

/** As each store writes a key: S3 leaves slashes, MinIO is Go's `url.QueryEscape`, RGW does nothing. */
const WRITTEN: Readonly<Record<Source, (key: string) => string>> = {
  "aws:s3": (key) => key.split("/").map(formEncode).join("/"),
  "minio:s3": formEncode,
  "ceph:s3": (key) => key,
};
const SOURCES = Object.keys(WRITTEN) as Source[];

function formEncode(text: string): string {
  return new URLSearchParams({ k: text }).toString().slice(2);
}

describe("what changed", () => {
  it.each<[string, Source, string, string]>([
    ["ObjectCreated:Put", "aws:s3", "HappyFace.jpg", "HappyFace.jpg"],
    ["ObjectCreated:Put", "aws:s3", "a/red+flower.jpg", "a/red flower.jpg"],
    ["s3:ObjectCreated:Put", "minio:s3", "test12%2FDG0890EY2+1.jpg", "test12/DG0890EY2 1.jpg"],
    ["ObjectCreated:Put", "minio:s3", "1%2B1%3D2", "1+1=2"],
    ["ObjectCreated:CompleteMultipartUpload", "ceph:s3", "a/b+c%2Fd 100%", "a/b+c%2Fd 100%"],
    ["s3:ObjectSynced:Create", "ceph:s3", "é", "é"],
    ["ObjectLifecycle:Expiration:Current", "ceph:s3", "k", "k"],
    ["ObjectRemoved:DeleteMarkerCreated", "aws:s3", "%C3%A9", "é"],
    ["ObjectRemoved:Delete", "aws:s3", "k", "k"],
    ["LifecycleExpiration:Delete", "aws:s3", "k", "k"],
    ["ObjectTagging:Delete", "aws:s3", "k", "k"],
    ["ObjectAcl:Put", "aws:s3", "k", "k"],
    ["s3:ObjectRestore:Completed", "minio:s3", "k", "k"],
  ])("readStoreEvent() does tell of %s from %s of %s", (name, source, written, key) => {
    const answer = readStoreEvent({ Records: [record(name, written, source)] });
    expect(answer).toEqual({ kind: "events", events: [object(key)] });
  });

  it("readStoreEvent() does read what MinIO sends around its record", () => {
    const body = {
      EventName: "s3:ObjectCreated:Put",
      Key: "mybucket1/users/ABC",
      Records: [record("s3:ObjectCreated:Put", "users%2FABC", "minio:s3")],
    };
    expect(readStoreEvent(body)).toEqual({ kind: "events", events: [object("users/ABC")] });
  });

  it("readStoreEvent() does tell of each of thousands, in their order", () => {
    const keys = Array.from({ length: 5000 }, (_, index) => `k/${index}`);
    const body = { Records: keys.map((key) => record("ObjectRemoved:Delete", key, "ceph:s3")) };
    expect(readStoreEvent(body)).toEqual({ kind: "events", events: keys.map(object) });
  });

  it("readStoreEvent() does leave out what changes no object", () => {
    const names = [
      "s3:ObjectAccessed:Get",
      "s3:Replication:OperationCompletedReplication",
      "s3:BucketCreated:*",
      "constructor",
      "s3:",
    ];
    const nothing = names.map((name) => record(name, ""));
    expect(readStoreEvent({ Records: nothing })).toEqual({ kind: "ignored" });
    const mixed = [...nothing, record("ObjectCreated:Copy", "k"), ...nothing];
    expect(readStoreEvent({ Records: mixed })).toEqual({ kind: "events", events: [object("k")] });
  });

  it.each([
    [{ Records: [] }],
    [{ Service: "Amazon S3", Event: "s3:TestEvent", Time: "2014-10-13T15:57:02.089Z", Bucket: "bucketname" }],
  ])("readStoreEvent() does ignore %j", (body) => {
    expect(readStoreEvent(body)).toEqual({ kind: "ignored" });
  });

  it.each(SOURCES)("readStoreEvent() does find any key again as %s writes it", (source) => {
    const character = fc
      .integer({ min: 0, max: 0x10ffff })
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code));
    const keys = fc.oneof(
      fc.string({ unit: character, minLength: 1 }),
      fc.string({ unit: fc.constantFrom("%", "+", " ", "/", "2", "F", "é", "😀"), minLength: 1 }),
    );
    fc.assert(
      fc.property(keys, (key) => {
        const answer = readStoreEvent({
          Records: [record("ObjectCreated:Put", WRITTEN[source](key), source)],
        });
        expect(answer).toEqual({ kind: "events", events: [object(key)] });
      }),
      { numRuns: 100 },
    );
  });
});

describe("what is wrong", () => {
  const good = record("ObjectCreated:Put", "k");

  it.each<[string, unknown]>([
    ["The payload must be an object", [good]],
    ["Records must be a list", {}],
    ["Records must be a list", { Records: good }],
    ["Records must be a list", { Event: "s3:Else" }],
    ["Records[1].eventName must be a text", { Records: [good, null] }],
    ["Records[0].s3.bucket.name must be a text", { Records: [{ ...good, s3: { object: { key: "k" } } }] }],
    [
      "Records[0].s3.bucket.name must be a text",
      { Records: [{ ...good, s3: { ...good.s3, bucket: { name: "" } } }] },
    ],
    ["Records[0].s3.object.key must be the key of an object", { Records: [record("ObjectCreated:Put", "")] }],
    [
      "Records[0].s3.object.key must be the key of an object",
      { Records: [record("ObjectCreated:Put", "%")] },
    ],
    ["Records[0].s3.object.key must be the key of an object", { Records: [record("ObjectAcl:Put", "%ff")] }],
    [
      "Records[0].s3.object.key must be the key of an object",
      { Records: [{ ...good, s3: { ...good.s3, object: { key: 1 } } }] },
    ],
  ])("readStoreEvent() does say %j", (detail, body) => {
    expect(readStoreEvent(body)).toEqual({ kind: "malformed", detail });
  });

  it("readStoreEvent() does neither throw nor tell of what has no name, whatever there is", () => {
    const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("a", "%", "ceph:s3"));
    const often = (value: unknown) => fc.oneof({ weight: 7, arbitrary: fc.constant(value) }, odd);
    const records = fc.record({
      eventName: often("ObjectCreated:Put"),
      eventSource: odd,
      s3: fc.record({ bucket: fc.record({ name: often("b") }), object: fc.record({ key: often("k") }) }),
    });
    let told = 0;
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 7, arbitrary: records }, odd), { maxLength: 3 }), (all) => {
        const answer = readStoreEvent({ Records: all });
        if (answer.kind !== "events") return;
        told += 1;
        for (const event of answer.events)
          expect(event.kind === "object" && event.bucket !== "" && event.key !== "").toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(told).toBeGreaterThan(50);
  });
});
