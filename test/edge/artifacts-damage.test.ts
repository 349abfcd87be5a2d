import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32, deflateRawSync, gunzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EntrySpec } from "../zip/write-zip.ts";
import { writeZip } from "../zip/write-zip.ts";
import { problemOf, startArtifactScene, text, type ArtifactScene, type Built } from "./artifact-scene.ts";
import type { Answer } from "./scene.ts";

const BLOCK_BYTES = 16 * 1024;
const VARS = { BLOCK_BYTES, HOT_BODY_BYTES: 8 * 1024, ORIGIN_TIMEOUT_S: 2, ORIGIN_STALL_S: 2 };
const IDENTITY = { "accept-encoding": "identity" };

let scene: ArtifactScene;
beforeAll(async () => {
  scene = await startArtifactScene({ vars: VARS });
  await scene.fresh();
});
afterAll(async () => await scene.harness.close());

const SIZES = { small: 3000, large: 5 * BLOCK_BYTES } as const;
type Size = keyof typeof SIZES;
const PACKERS: readonly (readonly [name: string, method: number, pack: (content: Buffer) => Buffer])[] = [
  ["stored", 0, (content) => content],
  ["deflated", 8, (content) => deflateRawSync(content)],
  ["zstd", 93, (content) => zstdCompressSync(content)],
];

type Packer = (typeof PACKERS)[number];
/** Both headers agree about something that is not so. */
const both = (fields: { crc?: number; size?: number }) => ({ local: fields, central: fields });
const flipped = (bytes: Buffer, at: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0x55;
  return copy;
};

/** What can be wrong with a member's bytes that no header tells. */
const DAMAGES: Readonly<Record<string, (content: Buffer, packer: Packer) => EntrySpec>> = {
  "another CRC": (content, [, method]) => ({ name: "bad", content, method, ...both({ crc: 1 }) }),
  "a byte changed at the end": (content, [, method, pack]) => {
    const packed =
      method === 0 ? flipped(content, content.length - 1) : pack(flipped(content, content.length - 1));
    return { name: "bad", content, method, packed };
  },
  "a byte of what is packed changed": (content, [, method, pack]) => {
    const packed = pack(content);
    return { name: "bad", content, method, packed: flipped(packed, Math.floor(packed.length / 2)) };
  },
  "less content than it says": (content, [, method, pack]) =>
    method === 0
      ? { name: "bad", content, method, ...both({ crc: crc32(content.subarray(1)) }) }
      : { name: "bad", content, method, packed: pack(content.subarray(0, -1)) },
  "more content than it says": (content, [, method, pack]) =>
    method === 0
      ? { name: "bad", content, method, ...both({ crc: crc32(Buffer.concat([content, content])) }) }
      : { name: "bad", content, method, packed: pack(Buffer.concat([content, Buffer.from("more")])) },
  "nothing that can be unpacked": (content, [, method]) => ({
    name: "bad",
    content,
    method,
    packed: randomBytes(content.length),
  }),
  "something packed that is cut off": (content, [, method, pack]) =>
    method === 0
      ? { name: "bad", content, method, ...both({ crc: 2 }) }
      : { name: "bad", content, method, packed: pack(content).subarray(0, -3) },
};

const DAMAGED = Object.entries(DAMAGES).flatMap(([damage, make]) =>
  PACKERS.flatMap((packer) =>
    (Object.keys(SIZES) as Size[]).map((size) => ({ damage, make, packer, packing: packer[0], size })),
  ),
);

/** Refused before a byte, or begun and visibly broken off. */
function expectRefusedOrBroken(answer: Answer, size: Size): void {
  if (answer.status === 422) return expect(problemOf(answer)).toBe("entry_corrupt");
  expect([size, answer.status === 200 || answer.status === 0, answer.whole]).toEqual(["large", true, false]);
}

describe("a member with", () => {
  it.each(DAMAGED)(
    "$damage, $packing, $size: is never served whole, and its neighbour is",
    async ({ make, packer, size }) => {
      const content = text(SIZES[size]);
      const built = scene.build([
        { name: "good", content, method: 8 },
        make(content, packer),
        { name: "last", content: "z" },
      ]);
      for (const when of ["first", "again", "in a new isolate"]) {
        expectRefusedOrBroken(await scene.get(built.web.entry("bad"), { headers: IDENTITY }), size);
        const good = await scene.get(built.web.entry("good"), { headers: IDENTITY });
        expect([when, good.status, good.body.equals(content)]).toEqual([when, 200, true]);
        await scene.settle();
        if (when === "again") await scene.harness.newIsolate();
      }
      const tar = await scene.get(built.web.made("tar"));
      expect([
        tar.status === 200 && tar.whole,
        (await scene.get(built.web.entry("last"))).body.toString(),
      ]).toEqual([false, "z"]);
      const end = await scene.get(built.web.entry("bad"), { headers: { ...IDENTITY, range: "bytes=-1" } });
      expect(end.status === 206 && end.whole).toBe(false);
    },
  );

  it.each(["small", "large"] as const)(
    "another CRC, %s, is found by us or by the client where it is sent as gzip",
    async (size) => {
      const content = text(SIZES[size]);
      const built = scene.build([{ name: "bad", content, method: 8, ...both({ crc: 1 }) }]);
      const answer = await scene.get(built.web.entry("bad"), { headers: { "accept-encoding": "gzip" } });
      if (size === "small") expect(problemOf(answer)).toBe("entry_corrupt");
      else expect(() => gunzipSync(answer.body)).toThrow(/incorrect data check|unexpected end/);
    },
  );
});

const REPLACED = {
  "of another size": { storage: "local", bytes: 4, later: 0 },
  "of the same size, a second later": { storage: "local", bytes: 0, later: 1000 },
  "of the same size, by its entity tag": { storage: "object", bytes: 0, later: 0 },
  "of another size, in object storage": { storage: "object", bytes: 4, later: 5000 },
} as const;
const LAST_MODIFIED = Date.parse("2026-01-05T09:00:00Z");

describe("an archive that is replaced while it is read by one", () => {
  const versions = (more: number) => {
    const make = (seed: string, length: number) => ({
      large: text(12 * BLOCK_BYTES + length, seed),
      small: text(2000, seed),
    });
    return [make("one", 0), make("two", more)] as const;
  };
  const zip = ({ large, small }: { large: Buffer; small: Buffer }) =>
    writeZip([
      { name: "large.bin", content: large },
      { name: "small.txt", content: small, method: 8 },
      { name: "pad", content: text(4 * BLOCK_BYTES, "pad") },
    ]).bytes;

  it.each(Object.entries(REPLACED))(
    "%s: is all of one or the other, or broken off",
    async (_name, { storage, bytes, later }) => {
      const [one, two] = versions(bytes);
      const built = scene.build(zip(one), { storage, lastModified: LAST_MODIFIED });
      const paths = { large: built.web.entry("large.bin"), small: built.web.entry("small.txt") };
      const start = await scene.get(paths.large, { headers: { range: `bytes=0-${BLOCK_BYTES}` } });
      expect(start.body.equals(one.large.subarray(0, BLOCK_BYTES + 1))).toBe(true);
      await scene.settle();
      scene.gitlab.jobs.replaceArchive(built.job.id, zip(two), LAST_MODIFIED + later);
      const mixed = async (when: string) => {
        for (const [name, path] of Object.entries(paths) as ["large" | "small", string][]) {
          const { status, whole, body } = await scene.get(path, { headers: IDENTITY });
          const is = body.equals(one[name]) ? "one" : body.equals(two[name]) ? "two" : "neither";
          const fine = status !== 200 || !whole || is !== "neither";
          expect([when, name, status, fine]).toEqual([when, name, status, true]);
          if (when !== "at once") expect([when, name, status]).toEqual([when, name, 200]);
        }
      };
      await mixed("at once");
      await scene.settle();
      await mixed("once more");
      await scene.settle();
      await scene.harness.newIsolate();
      await mixed("in a new isolate");
    },
  );
});

describe("a client that goes away", () => {
  it.each(["deflated", "stored"] as const)("leaves the others what they read: %s", async (packing) => {
    const content = packing === "stored" ? randomBytes(1_500_000) : text(3_000_000);
    const built: Built = scene.build([{ name: "huge", content, method: packing === "stored" ? 0 : 8 }]);
    const path = built.web.entry("huge");
    const going = new AbortController();
    const first = scene.get(path, { headers: IDENTITY, signal: going.signal, onPiece: () => going.abort() });
    const slow = scene.get(path, { headers: IDENTITY, onPiece: async () => await sleep(2) });
    const next = await scene.get(path, { headers: IDENTITY });
    expect((await first).whole).toBe(false);
    for (const { status, body } of [next, await slow])
      expect([status, body.equals(content)]).toEqual([200, true]);
    await scene.settle();
    const { result, requests } = await scene.counted(
      async () => await scene.get(path, { headers: IDENTITY }),
    );
    expect([result.body.equals(content), requests]).toEqual([true, 0]);
  });
});

describe("a colo whose Cache API", () => {
  it.each(["failing", "read-only"] as const)("is %s: all is served, if at a price", async (cache) => {
    await scene.fresh();
    await scene.harness.world({ cache });
    const entries = [
      { name: "small.txt", content: text(3000), method: 8 },
      { name: "large.bin", content: randomBytes(6 * BLOCK_BYTES) },
      { name: "large.txt", content: text(6 * BLOCK_BYTES), method: 8 },
    ];
    for (const storage of ["local", "object", "rangeless"] as const) {
      const { web, bytes } = scene.build(entries, { storage });
      for (let time = 0; time < 2; time++) {
        const answers = await Promise.all(
          entries.map(async ({ name }) => await scene.get(web.entry(name), { headers: IDENTITY })),
        );
        answers.forEach(({ status, body }, index) =>
          expect([
            storage,
            entries[index]?.name,
            status,
            body.equals(entries[index]?.content ?? body.subarray(1)),
          ]).toEqual([storage, entries[index]?.name, 200, true]),
        );
        const tar = await scene.get(web.made("tar"));
        expect([storage, tar.status, tar.whole]).toEqual([storage, 200, true]);
        expect((await scene.get(web.archive)).body.equals(bytes)).toBe(true);
        expect((await scene.get(web.list())).status).toBe(200);
      }
      await scene.harness.newIsolate();
    }
  });
});
