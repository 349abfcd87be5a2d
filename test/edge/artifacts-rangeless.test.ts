import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { EntrySpec } from "../zip/write-zip.ts";
import {
  HELLO,
  PRIVATE_PROJECT,
  problemOf,
  startArtifactScene,
  text,
  type ArtifactScene,
} from "./artifact-scene.ts";
import { tarNames } from "./tar-names.ts";

const BLOCK_BYTES = 16 * 1024;
const VARS = { BLOCK_BYTES, HOT_BODY_BYTES: 8 * 1024 };
const IDENTITY = { "accept-encoding": "identity" };

let scene: ArtifactScene;
beforeAll(async () => {
  scene = await startArtifactScene({ vars: VARS });
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.harness.close());

const CONTENTS = {
  "first.txt": { content: text(2000), method: 8 },
  "large.bin": { content: randomBytes(3 * BLOCK_BYTES + 9) },
  "large.txt": { content: text(3 * BLOCK_BYTES), method: 8 },
  "zstd.txt": { content: text(2000), method: 93 },
  empty: { content: Buffer.alloc(0) },
  "last.txt": { content: text(2000), method: 8 },
} as const;
type Name = keyof typeof CONTENTS;
const NAMES = Object.keys(CONTENTS) as Name[];
/** With the lengths before the data, and with them only behind it, as GitLab Runner writes. */
const WRITERS = {
  "lengths first": {},
  "lengths behind": { descriptor: 16 },
  "lengths behind, zip64": { descriptor: 24, zip64: "sizes" },
} as const satisfies Record<string, Partial<EntrySpec>>;
const entries = (more: Partial<EntrySpec>) => NAMES.map((name) => ({ name, ...CONTENTS[name], ...more }));

describe.each(Object.entries(WRITERS))("an origin without ranges, %s", (_writer, more) => {
  it.each(NAMES)("gives %s of an archive that is cold, and again", async (name) => {
    const { content } = CONTENTS[name];
    const { api, web } = scene.build(entries(more), { storage: "rangeless" });
    const tags = new Set<string>();
    for (const when of ["cold", "warm", "in a new isolate"]) {
      const { result, requests } = await scene.counted(
        async () => await scene.get(api.entry(name), { headers: IDENTITY }),
      );
      expect([when, result.status, result.body.equals(content)]).toEqual([when, 200, true]);
      expect([when, requests]).toEqual([
        when,
        expect.toSatisfy((count: number) => count <= (when === "cold" ? 3 : 0)),
      ]);
      tags.add(String(result.headers.etag));
      if (when === "warm") await scene.harness.newIsolate();
      if (when === "cold") expect((await scene.get(api.list())).status).toBe(200);
    }
    expect(tags.size).toBe(1);
    if (content.length > 0) {
      const part = await scene.get(web.entry(name), { headers: { ...IDENTITY, range: "bytes=-7" } });
      expect([part.status, part.body.equals(content.subarray(-7))]).toEqual([206, true]);
    }
  });

  it("gives listings, other archives, and the archive itself", async () => {
    for (const first of ["list", "tar", "zip", "archive"] as const) {
      const { web, bytes } = scene.build(entries(more), { storage: "rangeless" });
      const forms = {
        list: async () => expect((await scene.get(web.list())).status).toBe(200),
        tar: async () => {
          const tar = await scene.get(web.made("tar"));
          expect([tar.status, tar.whole, tarNames(tar.body)]).toEqual([200, true, NAMES]);
        },
        zip: async () => {
          const zip = await scene.get(web.made("zip"));
          expect([zip.status, zip.whole, zip.headers["content-length"]]).toEqual([
            200,
            true,
            String(zip.body.length),
          ]);
        },
        archive: async () => expect((await scene.get(web.archive)).body.equals(bytes)).toBe(true),
      };
      await forms[first]();
      for (const form of Object.values(forms)) await form();
    }
  });
});

/** Longer than any link, so that it could be no other thing than a file. */
const long = (word: string) => word.padEnd(9000);

describe("what a local header alone says", () => {
  const good = { name: "good.txt", content: long("good") };
  type Case = readonly [path: string, entries: readonly EntrySpec[], wanted: readonly [number, string]];
  const CASES: Readonly<Record<string, Case>> = {
    "of a member that the directory has not": [
      "ghost",
      [good, { name: "ghost", content: long("boo"), without: "central" }],
      [404, "entry_not_found"],
    ],
    "of one that is a link": ["link", [good, { name: "link", link: "good.txt" }], [200, "good"]],
    "of one that the directory says is encrypted": [
      "secret",
      [good, { name: "secret", content: long("x"), flags: 1, local: { flags: 0 } }],
      [422, "entry_encrypted"],
    ],
    "of the second of one name": [
      "twice",
      [
        { name: "twice", content: long("one") },
        { name: "twice", content: long("two") },
      ],
      [200, "one"],
    ],
    "of one below a link": [
      "dir/a",
      [
        { name: "dir", link: "/etc" },
        { name: "dir/a", content: long("a") },
      ],
      [422, "entry_through_link"],
    ],
    "of a device": ["aux", [good, { name: "aux", content: long("a") }], [422, "name_device"]],
    "of a name in another case": [
      "GOOD.txt",
      [good, { name: "GOOD.txt", content: long("a") }],
      [422, "entry_collides"],
    ],
  };

  it.each(Object.entries(CASES))("%s: is not believed", async (_name, [path, given, [status, wanted]]) => {
    for (const storage of ["local", "rangeless"] as const) {
      const { web } = scene.build([...given, { name: "pad", content: text(6 * BLOCK_BYTES) }], { storage });
      for (const when of ["cold", "warm"]) {
        const answer = await scene.get(web.entry(path), { headers: IDENTITY });
        // What was sent before its directory came is broken off before its end, where the directory has it not
        if (storage === "rangeless" && when === "cold" && !answer.whole) expect(status).not.toBe(200);
        else {
          const told = answer.status === 200 ? answer.body.toString().trim() : problemOf(answer);
          expect([storage, when, answer.status, told]).toEqual([storage, when, status, wanted]);
        }
        expect((await scene.get(web.list())).status).toBe(200);
      }
    }
  });
});

describe("an origin that does not even say how long an archive is", () => {
  it("is left to serve it, and what is inside by its own means; ours is told to be unreadable", async () => {
    const { web, api, bytes } = scene.build(entries({}), { storage: "chunked" });
    for (const door of [web, api]) {
      for (let time = 0; time < 2; time++) {
        const archive = await scene.get(door.archive);
        expect([archive.status, archive.body.equals(bytes)]).toEqual([200, true]);
        const entry = await scene.get(door.entry("first.txt"));
        expect([entry.status, entry.body.equals(CONTENTS["first.txt"].content)]).toEqual([200, true]);
        for (const format of ["tar", "zip"] as const) {
          const made = await scene.get(door.made(format));
          expect([format, made.status, problemOf(made)]).toEqual([format, 422, "archive_unreadable"]);
        }
      }
    }
    expect((await scene.get(web.list())).status).toBe(200);
  });

  it.each(["rangeless", "chunked"] as const)(
    "gives nothing to those who may not read it (%s)",
    async (storage) => {
      const marked = [{ name: "MARKED", content: "MARKED" }];
      for (const more of [{ project: PRIVATE_PROJECT }, { project: HELLO, access: "none" }] as const) {
        const { web, api } = scene.build(marked, { storage, ...more });
        await scene.get(api.entry("MARKED"), { headers: { "PRIVATE-TOKEN": "glpat-reader" } });
        for (const door of [web, api]) {
          for (const path of [
            door.archive,
            door.entry("MARKED"),
            door.list(),
            door.made("tar"),
            door.made("zip", "MARKED"),
          ]) {
            const { status, body } = await scene.get(path, { headers: { "PRIVATE-TOKEN": "glpat-other" } });
            expect([status === 200, body.includes("MARKED")]).toEqual([false, false]);
          }
        }
      }
    },
  );
});
