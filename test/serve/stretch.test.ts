import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/core/entry.ts";
import { isStored } from "../../src/serve/stretch.ts";
import type { Visit } from "../../src/serve/visit.ts";

const entry: Entry = {
  at: 0,
  identity: "i",
  size: 10,
  etag: '"e"',
  lastModified: undefined,
  originEtag: '"e"',
  headers: [],
};

/** A visit of which only its store of blocks is there. */
function visitWith(block: () => ReadableStream<Uint8Array> | undefined): Visit {
  const blocks = { read: () => Promise.resolve(block()) };
  const ports = { blocks, config: { limits: { BLOCK_BYTES: 1024 } } };
  const target = { lane: "object", bucket: "b", key: "k" };
  return { site: { host: "s3.test" }, target, isolate: { ports } } as unknown as Visit;
}

describe("isStored()", () => {
  it("does find a block, and lets it go", async () => {
    let isCancelled = false;
    const cancel = () => {
      isCancelled = true;
    };
    expect(
      await isStored(
        visitWith(() => new ReadableStream({ cancel })),
        entry,
        0,
      ),
    ).toBe(true);
    expect(isCancelled).toBe(true);
  });

  it("does not find one that is not there, or breaks off", async () => {
    const broken = () =>
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.error(new Error("Network connection lost")),
      });
    expect(
      await isStored(
        visitWith(() => undefined),
        entry,
        0,
      ),
    ).toBe(false);
    expect(await isStored(visitWith(broken), entry, 0)).toBe(false);
  });
});
