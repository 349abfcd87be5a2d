import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startArtifactScene, type ArtifactScene, type Built } from "./artifact-scene.ts";

let scene: ArtifactScene;
let built: Built;
beforeAll(async () => {
  scene = await startArtifactScene();
  await scene.fresh();
  built = scene.build([...NAMES.map((name) => ({ name, content: `content of ${name}` })), ...DECOYS]);
});
afterAll(async () => await scene.harness.close());

const NAMES = [
  "with spaces and (brackets).txt",
  "Größe/Maß/ß.txt",
  "日本語/ファイル.txt",
  "emoji 😀.txt",
  "composed-é.txt",
  "100%.txt",
  "%41.txt",
  "a%2Fb.txt",
  "a+b.txt",
  "a b+c%20d.txt",
  "hash#tag.txt",
  "question?mark.txt",
  "semi;colon=1.txt",
  "amp&ersand.txt",
  "quote'\"<b>.txt",
  "at@colon:12:30.log",
  "tilde~!$*,.txt",
  "dots...in.txt",
  ".hidden/.file",
  "download",
  "raw/raw/raw.txt",
  "browse/file/download",
  "tree",
  "deep/tree",
  "artifacts/-/jobs/1/artifacts/raw/x",
  "index.html",
  `${"long name ".repeat(20)}.txt`,
  `${"deep/".repeat(100)}end.txt`,
  "no extension",
] as const;

/** What another reading of a path would find. */
const DECOYS = [
  { name: "A.txt", content: "decoy" },
  { name: "a/b.txt", content: "decoy" },
  { name: "hash", content: "decoy" },
  { name: "question", content: "decoy" },
  { name: "semi", content: "decoy" },
  { name: "a b.txt", content: "decoy" },
  { name: "a b c d.txt", content: "decoy" },
  { name: "secret.txt", content: "decoy" },
  { name: "Maß/ß.txt", content: "decoy" },
];

const segments = (path: string) => path.split("/").map(encodeURIComponent).join("/");
/** The spellings that all mean one path. */
const SPELLINGS: Readonly<Record<string, (path: string) => string>> = {
  "all encoded": segments,
  "as little encoded as a path needs": (path) =>
    encodeURI(path).replaceAll("?", "%3F").replaceAll("#", "%23"),
  "in small letters": (path) => segments(path).replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
};

describe("an entry by its name", () => {
  it.each(NAMES)("%s", async (name) => {
    for (const [how, spell] of Object.entries(SPELLINGS)) {
      const path = spell(name);
      const doors = {
        raw: built.web.entry(path),
        file: built.web.entry(path).replace("/raw/", "/file/"),
        api: built.api.entry(path),
      };
      for (const [door, url] of Object.entries(doors)) {
        if (door === "api" && name === "tree") continue; // that is the listing
        const { status, body, headers } = await scene.get(url);
        expect([how, door, status, body.toString()]).toEqual([how, door, 200, `content of ${name}`]);
        expect(headers["content-disposition"]).toMatch(/^inline; filename="[ -~]*"/);
      }
    }
    const whole = await scene.get(built.api.entry(encodeURIComponent(name)));
    if (name !== "tree") expect([whole.status, whole.body.toString()]).toEqual([200, `content of ${name}`]);
  });

  it.each(NAMES)("%s, as another archive and as a query", async (name) => {
    const path = encodeURIComponent(name);
    for (const url of [
      built.web.made("tar", path),
      built.api.made("tar", path),
      built.web.made("tar", path.replaceAll("%20", "+")),
    ]) {
      const tar = await scene.get(url);
      expect([tar.status, tar.body.includes(`content of ${name}`), tar.body.includes("decoy")]).toEqual([
        200,
        true,
        false,
      ]);
    }
  });

  it("is where the pages link to, all the way down", async () => {
    const seen = new Set<string>();
    const pages = [built.web.list()];
    for (let page = pages.pop(); page !== undefined; page = pages.pop()) {
      const { status, body } = await scene.get(page);
      expect([page, status]).toEqual([page, 200]);
      const hrefs = [...body.toString().matchAll(/<th scope="row"[^>]*><a href="([^"]*)"><bdi>/g)];
      for (const [, escaped = ""] of hrefs) {
        const href = escaped.replaceAll("&#39;", "'").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
        if (href.includes("/artifacts/browse/")) pages.push(href);
        else seen.add((await scene.get(href)).body.toString());
      }
    }
    expect([...seen].filter((content) => content !== "decoy").toSorted()).toEqual(
      NAMES.map((name) => `content of ${name}`).toSorted(),
    );
  });
});

const HOSTILE = [
  "dir/../secret.txt",
  "../secret.txt",
  "..",
  ".",
  "./secret.txt",
  "%2e%2e/secret.txt",
  "dir/%2E%2e/secret.txt",
  "dir/.%2e/secret.txt",
  "dir%2f..%2fsecret.txt",
  "..%2fsecret.txt",
  "%2e%2e%2fsecret.txt",
  "secret.txt%00",
  "secret.txt%00.png",
  "%00",
  "secret.txt%0a",
  "secret.txt%0d%0aX-Evil:%201",
  "%7fsecret.txt",
  "..%5csecret.txt",
  "dir\\..\\secret.txt",
  "%5csecret.txt",
  "//secret.txt",
  "/secret.txt",
  "dir//../secret.txt",
  "%252e%252e/secret.txt",
  "..;/secret.txt",
  "%c0%ae%c0%ae/secret.txt",
  "%ff.txt",
  "%u002e%u002e/secret.txt",
  "%",
  "%zz",
  "secret.txt/",
  "secret.txt/.",
  "secret.txt%2f",
  "secret.txt%20",
  "SECRET.TXT",
  "../../../../../nested/secret/-/jobs/2001/artifacts/raw/private/report.txt",
  "%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/nested/secret/-/jobs/2001/artifacts/raw/private/report.txt",
];

describe("a path that means another one", () => {
  it.each(HOSTILE)("%s: finds nothing", async (path) => {
    const urls = [
      built.web.entry(path),
      built.web.entry(path).replace("/raw/", "/file/"),
      built.api.entry(path),
      built.web.list(path),
      built.api.list(path),
      // A part of an archive may be named with a slash at its end, whatever it is
      ...(/(?:\/|%2f)$/.test(path) ? [] : [built.web.made("tar", path), built.api.made("zip", path)]),
    ];
    for (const url of urls) {
      const { status, body, headers, caches } = await scene.get(url);
      expect([url, body.includes("decoy"), body.includes("top-secret-marker"), headers["x-evil"]]).toEqual([
        url,
        false,
        false,
        undefined,
      ]);
      // What has no one reading is left to the forge, whose pages are its own
      const isOurs = caches["grant"] !== undefined && !/\/browse\/|\/tree/.test(url);
      expect([url, isOurs && status === 200]).toEqual([url, false]);
    }
  });

  it("too long is told to be", async () => {
    const { status } = await scene.get(built.web.entry("a".repeat(5000)));
    expect(status).toBe(414);
  });
});
