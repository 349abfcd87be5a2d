import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { writeZip } from "../zip/write-zip.ts";
import {
  ARCHIVE,
  ENTRIES,
  entry,
  expectMarked,
  expectNothingTold,
  LARGE,
  putArchive,
  S3_ARCHIVE_VARS,
} from "./artifact-objects.ts";
import { MARKER } from "./artifact-askers.ts";
import { text } from "./artifact-scene.ts";
import { S3_FORGERS, S3_READERS, S3_STRANGERS } from "./s3-askers.ts";
import type { Answer, Asking } from "./s3-client.ts";
import { KEYS, MODES, PUBLIC, startS3Scene, type Mode, type S3Scene, type StoredFile } from "./s3-scene.ts";

const { reader } = KEYS;

let scene: S3Scene;
beforeAll(async () => {
  scene = await startS3Scene({ vars: S3_ARCHIVE_VARS });
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.close());

const put = (bucket?: string, key?: string): StoredFile => putArchive(scene, bucket, key);
const ask = async (mode: Mode, asking: Asking): Promise<Answer> => await scene.ask(mode, asking);

/** Ways to ask for what is marked, by path and by query, and what comes. */
const FORMS: Readonly<Record<string, (file: StoredFile) => Pick<Asking, "path" | "query">>> = {
  "entry by path": ({ path }) => ({ path: `${path}!/plain.txt` }),
  "entry by an encoded path": ({ path }) => ({ path: `${path}%21/plain.txt` }),
  "page by path": ({ path }) => ({ path: `${path}!/` }),
  entry: ({ path }) => ({ path, query: entry("plain.txt") }),
  list: ({ path }) => ({ path, query: "zip=list" }),
  page: ({ path }) => ({ path, query: "zip=browse" }),
  tar: ({ path }) => ({ path, query: "zip=tar" }),
  zip: ({ path }) => ({ path, query: "zip=zip" }),
};
/** In the other modes only the store can verify a signature, and it knows no other paths than its own. */
const isFor = (mode: Mode, form: string) => mode === "edge" || !form.includes("path");

const CASES = MODES.flatMap((mode) =>
  Object.entries(FORMS)
    .filter(([form]) => isFor(mode, form))
    .map(([form, of]) => ({ mode, form, of })),
);

describe("what is inside of an object", () => {
  it.each(CASES)("auth $mode, $form: is for those who may read the object", async ({ mode, of }) => {
    const file = put();
    const asking = of(file);
    for (let time = 0; time < 2; time++) {
      for (const { name, asking: by } of S3_READERS) {
        const answer = await ask(mode, { ...asking, ...by("GET") });
        expect([name, answer.status]).toEqual([name, 200]);
        // A tar says nothing of the archive but what is in it
        if (!asking.query?.includes("zip=zip")) expectMarked(answer);
      }
      for (const { asking: by } of [...S3_STRANGERS, ...S3_FORGERS.slice(0, 12)])
        expectNothingTold(await ask(mode, { ...by("GET"), ...asking }));
    }
    scene.store.setAccess(reader.id, { read: [] });
    await scene.advance(30_000);
    expectNothingTold(await ask(mode, { ...asking, as: reader }));
    await scene.newIsolate();
    expectNothingTold(await ask(mode, { ...asking, as: reader }));
  });

  it.each(CASES)("auth $mode, $form: is for everyone in a public bucket", async ({ mode, of }) => {
    const { status, whole, body } = await ask(mode, of(put(PUBLIC)));
    expect([status, whole, body.includes(MARKER)]).toEqual([200, true, true]);
  });

  it.each(MODES)("auth %s: is read as ranges of the object, and only once", async (mode) => {
    const file = put();
    const asking = { path: file.path, query: entry("dir/large.bin"), as: reader };
    const cold = await scene.counted(async () => await ask(mode, asking));
    expect([cold.result.status, cold.result.body.equals(LARGE), cold.counts.get]).toEqual([200, true, 0]);
    expect(cold.counts.total).toBeLessThanOrEqual(4);
    const warm = await scene.counted(
      async () => await ask(mode, { path: file.path, query: entry("dir/large.bin"), as: reader }),
    );
    expect([warm.result.status, warm.result.body.equals(LARGE)]).toEqual([200, true]);
    if (mode === "edge") expect(warm.counts.total).toBe(0);
    const part = await ask(mode, { ...asking, headers: { range: "bytes=-5" }, unsigned: ["range"] });
    expect([part.status, part.body.equals(LARGE.subarray(-5))]).toEqual([206, true]);
  });

  it("is taken apart as GitLab lists it, page by page", async () => {
    const file = put(PUBLIC);
    const paths: string[] = [];
    let query: string | undefined = "zip=list&recursive=true&per_page=2";
    for (let page = 0; query !== undefined && page < 9; page++) {
      const { status, headers, body } = await ask("edge", { path: file.path, query });
      expect([query, status, headers["content-type"]]).toEqual([query, 200, "application/json"]);
      paths.push(...(JSON.parse(body.toString()) as { path: string }[]).map(({ path }) => path));
      const [, next] = /<([^>]*)>; rel="next"/.exec(String(headers["link"])) ?? [];
      query = next === undefined ? undefined : new URL(next).search.slice(1);
    }
    const files = ENTRIES.map(({ name }) => name as string);
    expect(paths.filter((path) => !path.endsWith("/")).toSorted()).toEqual(files.toSorted());
  });
});

describe("a page of an object", () => {
  const KEY_FORMS = {
    "as it is": (path: string) => path,
    "with an encoded mark": (path: string) => path.replace("!/", "%21/"),
  } as const;
  const KEYS_OF = ["site.zip", "a!/b.zip", "a.zip!x/b.zip", "with space+&.zip", "UPPER.ZIP"];
  const PAGES = KEYS_OF.flatMap((key) =>
    Object.entries(KEY_FORMS).map(([how, spell]) => ({ key, how, spell })),
  );

  it.each(PAGES)("$key, $how: has links that lead where they say", async ({ key, spell }) => {
    const file = put(PUBLIC, `${scene.name("dir")}/${key}`);
    const pages = [spell(`${file.path}!/`)];
    const seen = new Set<string>();
    for (let page = pages.pop(); page !== undefined && seen.size < 40; page = pages.pop()) {
      const { status, body, headers } = await ask("edge", { path: page });
      expect([page, status, headers["content-security-policy"]]).toEqual([
        page,
        200,
        expect.stringContaining("default-src 'none'"),
      ]);
      for (const [, escaped = ""] of body.toString().matchAll(/href="([^"]*)"/g)) {
        const href = escaped.replaceAll("&amp;", "&").replaceAll("&#39;", "'");
        if (seen.has(href)) continue;
        seen.add(href);
        const [path = "", query = ""] = href.split("?");
        const linked = await ask("edge", { path, query });
        expect([href, linked.status]).toEqual([href, 200]);
        if (/!\/.*\/$/.test(path)) pages.push(path);
      }
    }
    expect([...seen].filter((href) => href.includes("large.bin"))).toHaveLength(1);
  });
});

describe("what cannot be had of an object", () => {
  const ERRORS: Readonly<
    Record<string, readonly [query: string, wanted: readonly [number, string | undefined]]>
  > = {
    "an entry that is not there": [entry("none"), [404, "NoSuchKey"]],
    "a directory": [entry("dir"), [404, "NoSuchKey"]],
    "an entry without a name": ["zip=entry", [400, "InvalidArgument"]],
    "a path that leads out": ["zip=entry&path=..%2Fa", [400, "InvalidArgument"]],
    "something else": ["zip=delete", [400, "InvalidArgument"]],
    nothing: ["zip=", [400, "InvalidArgument"]],
    "a page that is no number": ["zip=list&page=x", [400, "InvalidArgument"]],
    "an encrypted entry": [entry("secret"), [422, "InvalidArchive"]],
  };

  it.each(Object.entries(ERRORS))("%s: is told as S3 tells its errors", async (_name, [query, wanted]) => {
    const { bytes } = writeZip([...ENTRIES, { name: "secret", content: "x", flags: 1 }]);
    const { path } = scene.object(bytes, { key: `${scene.name("e")}.zip` });
    for (const mode of MODES) {
      const answer = await ask(mode, { path, query, as: reader });
      expect([mode, answer.status, answer.code]).toEqual([mode, ...wanted]);
      expect(answer.headers["content-type"]).toMatch(/^application\/xml/);
    }
    const head = await ask("edge", { method: "HEAD", path, query, as: reader });
    expect([head.status, head.body.length]).toEqual([wanted[0], 0]);
  });

  it("no zip at all: is told, and the object is served as it is", async () => {
    const { path, bytes } = scene.object(text(3000), { key: `${scene.name("no")}.zip` });
    for (const query of ["zip=list", "zip=tar", entry("a")])
      expect((await ask("edge", { path, query, as: reader })).code).toBe("InvalidArchive");
    expect((await ask("edge", { path, as: reader })).body.equals(bytes)).toBe(true);
  });

  const FOREIGN: readonly (readonly [string, Mode, Partial<Asking>])[] = [
    ["a signed range", "rgw", { as: reader, headers: { range: "bytes=0-99999999" } }],
    ["a signed range", "probe", { as: reader, headers: { range: "bytes=0-99999999" } }],
    ["a signed condition", "rgw", { as: reader, headers: { "if-none-match": '"no"' } }],
    ["a requester who pays", "edge", { as: reader, headers: { "x-amz-request-payer": "requester" } }],
    [
      "an owner who is expected",
      "edge",
      { as: reader, headers: { "x-amz-expected-bucket-owner": "somebody" } },
    ],
  ];
  it.each(FOREIGN)(
    "%s (auth %s): is never the archive in the place of what is in it",
    async (_name, mode, asking) => {
      const { path } = put();
      for (const query of [entry("plain.txt"), "zip=list", "zip=tar"]) {
        const { body, status } = await ask(mode, { path, query, ...asking });
        expect([query, status, body.equals(ARCHIVE)]).toEqual([query, status, false]);
      }
    },
  );
});
