import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOSTILE_ARCHIVES, HOSTILE_LIMITS, type HostileArchive } from "../zip/hostile.ts";
import { writeZip, type EntrySpec } from "../zip/write-zip.ts";
import {
  problemOf,
  startArtifactScene,
  type ArtifactScene,
  type Built,
  type Door,
} from "./artifact-scene.ts";
import { tarNames } from "./tar-names.ts";
import type { Answer } from "./scene.ts";

let scene: ArtifactScene;
beforeAll(async () => {
  const { entries, ratio, links } = HOSTILE_LIMITS;
  scene = await startArtifactScene({ vars: { ZIP_ENTRIES: entries, ZIP_RATIO: ratio, ZIP_LINKS: links } });
  await scene.fresh();
});
afterAll(async () => await scene.harness.close());

const encoded = (path: string) => path.split("/").map(encodeURIComponent).join("/");

/** Everything that takes the archive's directory. */
function formsOf({ web, api }: Built): readonly string[] {
  const doors: readonly Door[] = [web, api];
  return doors.flatMap((door) => [
    door.entry("good.txt"),
    door.entry("missing.txt"),
    door.list(),
    door.made("tar"),
    door.made("zip"),
    door.made("tar", "good.txt"),
  ]);
}

const WHOLE = HOSTILE_ARCHIVES.filter(({ member }) => member === undefined);
const IN_DIRECTORY = HOSTILE_ARCHIVES.filter(
  ({ member, isInData }) => member !== undefined && isInData !== true,
);
const IN_DATA = HOSTILE_ARCHIVES.filter(({ isInData }) => isInData === true);

describe("an archive that", { timeout: 4000 }, () => {
  it.each(WHOLE)("$name: nothing of it is served, but itself: $problem", async ({ bytes, problem }) => {
    const built = scene.build(bytes);
    for (const path of formsOf(built)) {
      for (let time = 0; time < 2; time++) {
        const answer = await scene.get(path);
        expect([path, answer.status, problemOf(answer)]).toEqual([path, 422, problem]);
        expect(answer.headers["cache-control"]).toBe("no-store");
      }
    }
    const archive = await scene.get(built.web.archive);
    expect([archive.status, archive.body.equals(bytes)]).toEqual([200, true]);
  });

  it.each(IN_DIRECTORY)(
    "$name: all but that is served: $problem",
    async ({ bytes, problem, member = "" }) => {
      const built = scene.build(bytes);
      const good = await scene.get(built.web.entry("good.txt"));
      expect([good.status, good.body.toString()]).toEqual([200, "good"]);
      expect((await scene.get(built.api.entry("good.txt"))).body.toString()).toBe("good");
      const isHidden = member.replace(/\/$/, "") === "good.txt";
      if (!isHidden)
        for (const door of [built.web, built.api])
          expectRefused(await scene.get(door.entry(encoded(member))), { member, problem });
      await expectLeftOut(built, member, isHidden);
      await expectUnlinked(built, member, isHidden);
    },
  );

  it.each(IN_DATA)("$name: found when it is read: $problem", async ({ bytes, problem, member = "" }) => {
    const built = scene.build(bytes);
    for (const headers of [{}, { "accept-encoding": "gzip" }, { range: "bytes=0-0" }]) {
      const answer = await scene.get(built.web.entry(encoded(member)), { headers });
      expect([answer.status, problemOf(answer)]).toEqual([422, problem]);
    }
    expect((await scene.get(built.web.entry("good.txt"))).body.toString()).toBe("good");
    for (const format of ["tar", "zip"] as const) {
      const all = await scene.get(built.web.made(format));
      expect([format, all.status === 200 && all.whole]).toEqual([format, false]);
      const own = await scene.get(built.web.made(format, encoded(member)));
      expect([format, own.status, problemOf(own)]).toEqual([format, 422, problem]);
    }
  });
});

/** What no path of a URL names so that everybody would read the same, or as a file: the forge is asked for it, each time. */
const PASSED_ON: ReadonlySet<string> = new Set(["/etc/passwd", "//host/share", "", "a//b", "two/", "full/"]);

type Refused = { readonly member: string; readonly problem: HostileArchive["problem"] };

/** By its own problem, or before that, as no path of a URL could be read so. */
function expectRefused(answer: Answer, { member, problem }: Refused): void {
  const isPassed = answer.caches["grant"] === undefined && answer.headers["x-request-id"] !== undefined;
  expect([member, isPassed]).toEqual([member, PASSED_ON.has(member)]);
  if (isPassed) return;
  if (answer.status === 422) expect(problemOf(answer)).toBe(problem);
  else expect([400, 404, 414]).toContain(answer.status);
}

async function expectLeftOut({ web }: Built, member: string, isHidden: boolean): Promise<void> {
  const tar = await scene.get(web.made("tar"));
  expect([tar.status, tar.whole]).toEqual([200, true]);
  const names = tarNames(tar.body);
  expect(names.filter((name) => name === "good.txt")).toEqual(["good.txt"]);
  if (!isHidden) expect(names).not.toContain(member);
  const omitted = Number(tar.headers["forgefront-omitted"]);
  expect(omitted).toBeGreaterThanOrEqual(1);
  const zip = await scene.get(web.made("zip"));
  expect([zip.status, zip.whole, Number(zip.headers["forgefront-omitted"])]).toEqual([200, true, omitted]);
  // A name stands before the data and in the directory
  if (!isHidden && member !== "" && member.length > 3) expect(zip.body.includes(member)).toBe(false);
  const head = await scene.get(web.made("tar"), { method: "HEAD" });
  expect(head.headers["forgefront-omitted"]).toBe(String(omitted));
}

async function expectUnlinked({ web, api }: Built, member: string, isHidden: boolean): Promise<void> {
  const page = await scene.get(web.list());
  expect(page.status).toBe(200);
  const links = [...page.body.toString().matchAll(/href="([^"]*)"/g)].map(([, link = ""]) => link);
  const files = links.filter((link) => link.includes("/artifacts/file/"));
  expect(files.filter((link) => link.endsWith("/good.txt"))).toHaveLength(1);
  if (!isHidden)
    expect(files.map((link) => decodeURIComponent(link))).not.toContain(
      web.entry(member).replace("/raw/", "/file/"),
    );
  const tree = JSON.parse((await scene.get(api.list("", "recursive=true"))).body.toString()) as {
    path: string;
    type: string;
  }[];
  expect(tree.filter(({ path }) => path === "good.txt")).toHaveLength(1);
  if (!isHidden) expect(tree.map(({ path }) => path)).not.toContain(member);
}

const LINKS: readonly (readonly [name: string, link: string, answer: string | readonly [number, string]])[] =
  [
    ["to a file", "dir/a.txt", "a"],
    ["by a dot", "./dir/a.txt", "a"],
    ["by another link", "to a file", "a"],
    ["through a link to a directory", "to a directory/a.txt", "a"],
    ["to a directory", "dir", [404, "entry_is_directory"]],
    ["to a directory that is only in names", "dir/deep", [404, "entry_is_directory"]],
    ["to itself", "to itself", [422, "link_dangling"]],
    ["to nothing", "dir/none", [422, "link_dangling"]],
    ["out of the archive", "../a.txt", [422, "link_escapes"]],
    ["out and in again", "../dir/a.txt", [422, "link_escapes"]],
    ["to the root of the system", "/etc/passwd", [422, "link_escapes"]],
    ["out by way of a directory", "dir/../../a.txt", [422, "link_escapes"]],
    ["to a member with a problem", "broken", [422, "entry_encrypted"]],
  ];

describe("a symbolic link", () => {
  let built: Built;
  beforeAll(() => {
    const entries: EntrySpec[] = [
      { name: "dir/a.txt", content: "a" },
      { name: "dir/deep/b.txt", content: "b" },
      { name: "broken", content: "x", flags: 1 },
    ];
    // Two archives' worth of links are more than one may have
    built = scene.build(
      writeZip([...entries, ...LINKS.slice(0, 10).map(([name, link]) => ({ name, link }))]).bytes,
    );
  });

  it.each(LINKS)("%s: %s", async (name, link, wanted) => {
    const entries: EntrySpec[] = [
      { name: "dir/a.txt", content: "a" },
      { name: "dir/deep/b.txt", content: "b" },
      { name: "broken", content: "x", flags: 1 },
      { name: "to a file", link: "dir/a.txt" },
      { name: "to a directory", link: "dir" },
    ];
    const { web, api } = scene.build([...entries.filter((entry) => entry.name !== name), { name, link }]);
    for (const door of [web, api]) {
      const answer = await scene.get(door.entry(encoded(name)));
      if (typeof wanted === "string") expect([answer.status, answer.body.toString()]).toEqual([200, wanted]);
      else expect([answer.status, problemOf(answer)]).toEqual(wanted);
    }
    const tar = await scene.get(web.made("tar"));
    const leadsOut = typeof wanted !== "string" && wanted[1] === "link_escapes";
    expect(tarNames(tar.body).includes(name)).toBe(!leadsOut);
    expect(tar.headers["forgefront-omitted"]).toBe(leadsOut ? "2" : "1");
  });

  it("is counted with all that are left out", async () => {
    const tar = await scene.get(built.web.made("tar"));
    expect([tar.status, tar.whole, tar.headers["forgefront-omitted"]]).toEqual([200, true, "3"]);
  });
});
