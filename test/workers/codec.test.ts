import { crc32 as zlibCrc32, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32 } from "../../src/core/crc32.ts";
import { codec } from "../../workers/codec.ts";

const PACK: Readonly<Record<number, (content: Uint8Array) => Uint8Array>> = {
  0: (content) => content,
  8: (content) => deflateRawSync(content),
  93: (content) => zstdCompressSync(content),
};
const METHODS = [0, 8, 93];
const PACKED_METHODS = [8, 93];

const KIB_64 = 64 * 1024;
const MOST = 300_000;

/** One less, just so many and one more, of all powers of two and multiples of 64 KiB. */
const SIZES = [
  ...new Set(
    [
      0,
      MOST - 1,
      ...Array.from({ length: 19 }, (_, power) => 2 ** power),
      ...Array.from({ length: 4 }, (_, count) => (count + 1) * KIB_64),
    ].flatMap((size) => [size - 1, size, size + 1]),
  ),
].filter((size) => size >= 0 && size <= MOST);

const RANDOM = pseudoRandom(MOST);
const TEXT = Buffer.from("line of a log, again and again\n".repeat(10_000));
const ZEROS = new Uint8Array(MOST);

/** The same bytes each time, which no method makes smaller. */
function pseudoRandom(length: number): Uint8Array {
  let state = 0x2545_f491;
  return Uint8Array.from({ length }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 0xff;
  });
}

describe("unpack()", () => {
  it.each(METHODS)("unpack() does bring back what method %d packed, of whatever size", (method) => {
    for (const source of [TEXT, RANDOM, ZEROS])
      for (const size of SIZES) {
        const content = source.subarray(0, size);
        const unpacked = codec.unpack(method, PACK[method]!(content), size);
        expect([size, Buffer.compare(unpacked, content)]).toEqual([size, 0]);
      }
  });

  it.each(METHODS)("unpack() does bring back any content of method %d", (method) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), (content) => {
        expect(
          Buffer.compare(codec.unpack(method, PACK[method]!(content), content.byteLength), content),
        ).toBe(0);
      }),
      { numRuns: 100 },
    );
  });

  it("unpack() does give what is stored as it is", () => {
    expect(codec.unpack(0, TEXT, 7)).toBe(TEXT);
  });

  it.each(PACKED_METHODS)(
    "unpack() does never pass less for the size it should have: method %d",
    (method) => {
      for (const size of [1, 1000, KIB_64, MOST]) {
        const packed = PACK[method]!(TEXT.subarray(0, size - 1));
        expect(codec.unpack(method, packed, size).byteLength).toBe(size - 1);
      }
    },
  );

  it.each(PACKED_METHODS)("unpack() does stop at what unpacks to far more: method %d", (method) => {
    const bomb = PACK[method]!(new Uint8Array(16 * 1024 * 1024));
    for (const size of [0, 1, 1000, MOST]) expect(() => codec.unpack(method, bomb, size)).toThrow(RangeError);
  });

  it.each(PACKED_METHODS)("unpack() does never cut off what is a little longer: method %d", (method) => {
    const packed = PACK[method]!(TEXT.subarray(0, 1001));
    expect(codec.unpack(method, packed, 1000).byteLength).toBe(1001);
  });

  it.each<[string, number, Uint8Array]>([
    ["nothing", 8, new Uint8Array()],
    ["zeros", 8, new Uint8Array(100)],
    ["text", 8, Buffer.from("no deflate")],
    ["zlib's framing", 8, deflateSync(TEXT)],
    ["gzip's framing", 8, gzipSync(TEXT)],
    ["half of it", 8, deflateRawSync(TEXT).subarray(0, 50)],
    ["all but its last byte", 8, deflateRawSync(RANDOM.subarray(0, 999)).subarray(0, -1)],
    ["a block of a reserved type", 8, Uint8Array.of(0x07, 0)],
    ["zeros", 93, new Uint8Array(100)],
    ["text", 93, Buffer.from("no Zstandard")],
    ["half of it", 93, zstdCompressSync(TEXT).subarray(0, 20)],
    ["all but its last byte", 93, zstdCompressSync(RANDOM.subarray(0, 999)).subarray(0, -1)],
    ["deflated bytes", 93, deflateRawSync(TEXT)],
  ])("unpack() does fail with %s in the place of method %d", (_case, method, packed) => {
    expect(() => codec.unpack(method, packed, TEXT.byteLength)).toThrow(Error);
  });

  it.each(PACKED_METHODS)("unpack() does neither tire nor crash with any bytes of method %d", (method) => {
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .tuple(fc.nat(), fc.nat(255))
        .map(([at, value]) =>
          PACK[method]!(TEXT.subarray(0, 500)).map((byte, index) => (index === at % 40 ? value : byte)),
        ),
    );
    let failures = 0;
    fc.assert(
      fc.property(garbage, (packed) => {
        try {
          expect(codec.unpack(method, packed, 500).byteLength).toBeLessThanOrEqual(2 * 500 + KIB_64);
        } catch (error) {
          failures += 1;
          expect(error).toBeInstanceOf(Error);
        }
      }),
      { numRuns: 300 },
    );
    expect(failures).toBeGreaterThan(50);
  });
});

describe("unpacking()", () => {
  /** Pieces of so many bytes, each of which is over when the next one is asked for. */
  async function* pieces(packed: Uint8Array, step: number, state = { asked: 0, isClosed: false }) {
    try {
      for (let at = 0; at < packed.byteLength; at += step) {
        const piece = packed.slice(at, at + step);
        state.asked += 1;
        yield await Promise.resolve(piece);
        piece.fill(0);
      }
    } finally {
      state.isClosed = true;
    }
  }

  /** What comes out is looked at before the next piece, too. */
  async function all(unpacked: AsyncIterable<Uint8Array>): Promise<Buffer> {
    const taken: Uint8Array[] = [];
    for await (const piece of unpacked) taken.push(piece.slice());
    return Buffer.concat(taken);
  }

  it.each(METHODS)("unpacking() does bring back what method %d packed, however it is cut", async (method) => {
    for (const source of [TEXT, RANDOM])
      for (const size of [0, 1, KIB_64 - 1, KIB_64, KIB_64 + 1, 4 * KIB_64, MOST])
        for (const step of [KIB_64, MOST]) {
          const content = source.subarray(0, size);
          const unpacked = await all(codec.unpacking(method, pieces(PACK[method]!(content), step)));
          expect([size, step, Buffer.compare(unpacked, content)]).toEqual([size, step, 0]);
        }
  });

  it.each(METHODS)("unpacking() does bring back any content of method %d, byte by byte", async (method) => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 400 }),
        fc.integer({ min: 1, max: 9 }),
        async (content, step) => {
          const unpacked = await all(codec.unpacking(method, pieces(PACK[method]!(content), step)));
          expect(Buffer.compare(unpacked, content)).toBe(0);
        },
      ),
      { numRuns: 30 },
    );
  });

  it.each(METHODS)(
    "unpacking() does ask for no more than is taken, and let go when it is left (method %d)",
    async (method) => {
      const packed = PACK[method]!(pseudoRandom(MOST).map((byte) => byte & 0xf0));
      const state = { asked: 0, isClosed: false };
      const step = 1000;
      for await (const piece of codec.unpacking(method, pieces(packed, step, state))) {
        expect(piece.byteLength).toBeGreaterThan(0);
        break;
      }
      expect(state.isClosed).toBe(true);
      if (method === 0) expect(state.asked).toBe(1);
    },
  );

  it.each(PACKED_METHODS)(
    "unpacking() does take in a bomb no faster than it is taken out (method %d)",
    async (method) => {
      const bomb = PACK[method]!(new Uint8Array(16 * 1024 * 1024));
      const state = { asked: 0, isClosed: false };
      const step = Math.ceil(bomb.byteLength / 16);
      let taken = 0;
      for await (const piece of codec.unpacking(method, pieces(bomb, step, state))) {
        taken += piece.byteLength;
        if (taken >= 1024 * 1024) break;
      }
      expect(taken).toBeLessThan(4 * 1024 * 1024);
      expect(state.asked).toBeLessThan(8);
      expect(state.isClosed).toBe(true);
    },
  );

  it.each<[string, number, Uint8Array]>([
    ["nothing", 8, new Uint8Array()],
    ["half of it", 8, deflateRawSync(RANDOM.subarray(0, 999)).subarray(0, 50)],
    ["text", 8, Buffer.from("no deflate")],
    ["half of it", 93, zstdCompressSync(RANDOM.subarray(0, 999)).subarray(0, 50)],
    ["text", 93, Buffer.from("no Zstandard")],
  ])("unpacking() does fail with %s in the place of method %d", async (_case, method, packed) => {
    await expect(all(codec.unpacking(method, pieces(packed, 20)))).rejects.toThrow(Error);
  });

  it.each(METHODS)(
    "unpacking() does throw what reading the packed bytes throws (method %d)",
    async (method) => {
      class Lost extends Error {}
      const packed = PACK[method]!(RANDOM);
      async function* lost() {
        yield* pieces(packed.subarray(0, 2000), 1000);
        throw new Lost("origin");
      }
      await expect(all(codec.unpacking(method, lost()))).rejects.toBeInstanceOf(Lost);
    },
  );
});

describe("crc32()", () => {
  it("crc32() does count on from what came before, as the checksum of all does", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 }), (pieces) => {
        const all = Buffer.concat(pieces);
        const stepwise = pieces.reduce((before, piece) => codec.crc32(piece, before), 0);
        expect(stepwise).toBe(zlibCrc32(all));
        expect(stepwise).toBe(crc32(all));
      }),
      { numRuns: 200 },
    );
  });
});
