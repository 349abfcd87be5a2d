import { describe, expect, it } from "vitest";
import type { BodyReader, Chunk } from "../../src/serve/body-reader.ts";
import { gather } from "../../src/serve/read.ts";

const BLOCK = 4;
const SIZE = 3 * BLOCK;

function broken(message: string): Chunk {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.error(new Error(message)),
  });
  return { kind: "stream", stream };
}

function readerOf(chunks: readonly Chunk[]): BodyReader {
  return {
    piece: ({ index }) => Promise.resolve(chunks[index] ?? broken("Not there")),
    forget: () => Promise.resolve(),
    close: () => undefined,
  };
}

describe("gather()", () => {
  const all = [{ kind: "range", range: { start: 0, end: SIZE } }] as const;
  const write = async (chunks: readonly Chunk[]) => {
    const sending = await gather(readerOf(chunks), all, { size: SIZE, blockBytes: BLOCK });
    const taken: Uint8Array[] = [];
    const into = new WritableStream<Uint8Array>({ write: (bytes) => void taken.push(bytes) });
    await sending.write(into);
    return Buffer.concat(taken).toString();
  };
  const lent = (text: string, done = () => undefined): Chunk => ({
    kind: "bytes",
    bytes: Buffer.from(text),
    done,
  });
  const streamed = (text: string): Chunk => ({ kind: "stream", stream: new Blob([text]).stream() });

  it("does write block after block, lent or streamed", async () => {
    expect(await write([lent("one "), streamed("two "), lent("end.")])).toBe("one two end.");
  });

  it("does fail with what broke first, whatever has become of the block that was looked up ahead", async () => {
    await expect(write([broken("First"), broken("Second"), lent("end.")])).rejects.toThrow("First");
  });

  it("does give back the block that was looked up ahead where the one before it breaks off", async () => {
    let given = 0;
    const done = () => void given++;
    await expect(write([broken("First"), lent("two ", done), lent("end.")])).rejects.toThrow("First");
    expect(given).toBe(1);
  });
});
