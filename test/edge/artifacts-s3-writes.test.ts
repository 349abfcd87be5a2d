import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { writeZip } from "../zip/write-zip.ts";
import {
  entry,
  expectMarked,
  expectNothingTold,
  LARGE,
  putArchive,
  S3_ARCHIVE_VARS,
} from "./artifact-objects.ts";
import { objectPath, type Answer, type Asking } from "./s3-client.ts";
import {
  KEYS,
  PRIVATE,
  startS3Scene,
  VERSIONED,
  type Mode,
  type S3Scene,
  type StoredFile,
} from "./s3-scene.ts";
import { tarNames } from "./tar-names.ts";

const { reader, other, writer } = KEYS;

let scene: S3Scene;
beforeAll(async () => {
  scene = await startS3Scene({ vars: S3_ARCHIVE_VARS });
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.close());

const ask = async (mode: Mode, asking: Asking): Promise<Answer> => await scene.ask(mode, asking);

describe("an object whose key is that of an entry", () => {
  const literal = (file: StoredFile) => ({ key: `${file.key}!/plain.txt`, path: `${file.path}!/plain.txt` });

  it("is meant, and nothing inside of the archive", async () => {
    const file = putArchive(scene);
    const { key, path } = literal(file);
    scene.store.put(PRIVATE, key, "the object itself");
    for (let time = 0; time < 2; time++) {
      const { status, body } = await ask("edge", { path, as: reader });
      expect([status, body.toString()]).toEqual([200, "the object itself"]);
      expectNothingTold(await ask("edge", { path, as: other }));
    }
    expectMarked(await ask("edge", { path: file.path, query: entry("plain.txt"), as: reader }));
  });

  it("is seen at once where it is written by the edge, and seen no more once it is removed there", async () => {
    const { path } = literal(putArchive(scene));
    for (const round of [1, 2]) {
      expectMarked(await ask("edge", { path, as: reader }));
      expect((await ask("edge", { method: "PUT", path, body: `written ${round}`, as: writer })).status).toBe(
        200,
      );
      for (const method of ["GET", "HEAD"]) {
        const { status, body, headers } = await ask("edge", { method, path, as: reader });
        expect([status, headers["content-length"]]).toEqual([200, "9"]);
        if (method === "GET") expect(body.toString()).toBe(`written ${round}`);
      }
      await scene.newIsolate();
      expect((await ask("edge", { path, as: reader })).body.toString()).toBe(`written ${round}`);
      expect((await ask("edge", { method: "DELETE", path, as: writer })).status).toBe(204);
    }
    expectMarked(await ask("edge", { path, as: reader }));
  });

  it("is seen after a while where it is written past the edge", async () => {
    const { path, key } = literal(putArchive(scene));
    expectMarked(await ask("edge", { path, as: reader }));
    scene.store.put(PRIVATE, key, "the object itself");
    await scene.advance(30_000);
    expect((await ask("edge", { path, as: reader })).body.toString()).toBe("the object itself");
  });

  it("is all that somebody gets who may read no more", async () => {
    const file = putArchive(scene);
    const { path, key } = literal(file);
    scene.store.put(PRIVATE, key, "the object itself");
    scene.store.setAccess(other.id, { read: [`${PRIVATE}/${file.key}!/`] });
    expect((await ask("edge", { path, as: other })).body.toString()).toBe("the object itself");
    expectNothingTold(await ask("edge", { path: `${file.path}!/dir/large.bin`, as: other }));
    expectNothingTold(await ask("edge", { path: `${file.path}!/`, as: other }));
    expectNothingTold(await ask("edge", { path: file.path, query: "zip=list", as: other }));
  });

  it("costs one who asks for entries again and again no more than a question in 10 s", async () => {
    const file = putArchive(scene);
    const path = `${file.path}!/dir/large.bin`;
    await ask("edge", { path, as: reader });
    const { counts } = await scene.counted(async () => {
      for (let time = 0; time < 5; time++) expect((await ask("edge", { path, as: reader })).status).toBe(200);
    });
    expect(counts.total).toBe(0);
  });
});

describe("an archive that is written by the edge", () => {
  it("is seen anew at once, whatever is asked of it", async () => {
    const file = putArchive(scene);
    const path = `${file.path}!/only.txt`;
    for (const round of ["one", "two", "three"]) {
      const body = writeZip([
        { name: "only.txt", content: round },
        { name: `${round}.txt`, content: LARGE },
      ]).bytes;
      expect((await ask("edge", { method: "PUT", path: file.path, body, as: writer })).status).toBe(200);
      for (const asking of [{ path }, { path: file.path, query: entry("only.txt") }])
        expect((await ask("edge", { ...asking, as: reader })).body.toString()).toBe(round);
      const tar = await ask("edge", { path: file.path, query: "zip=tar", as: reader });
      expect(tarNames(tar.body)).toEqual(["only.txt", `${round}.txt`]);
      expect(
        (await ask("edge", { path: file.path, query: "zip=list", as: reader })).body.toString(),
      ).toContain(`${round}.txt`);
      await scene.newIsolate();
      expect((await ask("edge", { path, as: reader })).body.toString()).toBe(round);
    }
    await ask("edge", { method: "DELETE", path: file.path, as: writer });
    expect((await ask("edge", { path, as: reader })).status).toBe(404);
  });

  it("is one for each version", async () => {
    const key = `${scene.name("versions")}.zip`;
    const path = objectPath(VERSIONED, key);
    const versions = ["one", "two"].map((round) => {
      const { bytes } = writeZip([{ name: "a.txt", content: round }]);
      return { round, versionId: scene.store.put(VERSIONED, key, bytes).versionId };
    });
    for (const { round, versionId } of versions) {
      const { status, body } = await ask("edge", {
        path,
        query: `versionId=${versionId}&${entry("a.txt")}`,
        as: reader,
      });
      expect([status, body.toString()]).toEqual([200, round]);
    }
    expect((await ask("edge", { path: `${path}!/a.txt`, as: reader })).body.toString()).toBe("two");
  });
});
