import { sampleArchive, SAMPLE_ARCHIVE_TIME } from "./sample-archive.ts";
import { PRIVATE_MARKER } from "./sample-content.ts";
import type { S3Key, S3Store } from "./s3.ts";

/** The access keys of the demo; their secrets are no secret. */
export const DEMO_KEYS = {
  reader: { id: "DEMOREADER", secret: "demo-reader-secret", read: ["demo", "public"] },
  other: { id: "DEMOOTHER", secret: "demo-other-secret", read: ["public"] },
  writer: { id: "DEMOWRITER", secret: "demo-writer-secret", read: ["*"], write: ["*"] },
} as const satisfies Record<string, S3Key>;

const BIG_OBJECT_BYTES = 50 * 1024 * 1024;
const ZIP_HEADERS = {
  "Content-Type": "application/zip",
  "Last-Modified": new Date(SAMPLE_ARCHIVE_TIME).toUTCString(),
};
const PLAIN_TEXT = { "Content-Type": "text/plain; charset=utf-8" };

/** Fills a store with a private bucket `demo`, a bucket `public` that anybody may read, and the demo's keys. */
export function addSamples(store: S3Store, bigObjectBytes = BIG_OBJECT_BYTES): void {
  for (const key of Object.values(DEMO_KEYS)) store.addKey(key);
  store.createBucket("demo");
  store.put("demo", "hello.txt", "Hello from a private bucket\n", {
    ...PLAIN_TEXT,
    "x-amz-meta-greeting": "private",
  });
  store.put("demo", "photos/2026/summer trip (1)+grüße.txt", "Sun, sea and spaces\n", PLAIN_TEXT);
  store.put("demo", "logs//2026/./today.log", "No segment of a key is special\n", PLAIN_TEXT);
  store.put("demo", "empty", "");
  store.putGenerated("demo", "big.bin", bigObjectBytes, "big object");
  const secret = { "private.txt": `${PRIVATE_MARKER} of the site\n` };
  store.put("demo", "builds/site.zip", sampleArchive("A private site", secret), ZIP_HEADERS);
  store.createBucket("public", { visibility: "public" });
  store.put("public", "hello.txt", "Hello, everybody\n", { ...PLAIN_TEXT, "Cache-Control": "max-age=60" });
  store.put("public", "builds/site.zip", sampleArchive("A public site"), ZIP_HEADERS);
}
