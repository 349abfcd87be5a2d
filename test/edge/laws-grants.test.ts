import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { privatePath } from "./doors.ts";
import { PRINCIPALS, READERS } from "./principals.ts";
import { basic, SECRET } from "./scene.ts";
import {
  askAs,
  breakOrigin,
  check,
  COLO,
  expectNothingTold,
  KINDS,
  MEMORY,
  playLawsScene,
  privateFile,
  privateFiles,
  REFUSALS,
  scene,
  UNREACHABLE,
} from "./laws-scene.ts";

playLawsScene();

describe("a grant", () => {
  const [reader] = READERS.gitlab;
  const other = { headers: { "PRIVATE-TOKEN": "glpat-other" } };

  it("for one project serves no other, under any of its names", async () => {
    const file = await privateFile("gitlab", "web");
    const name = file.path.slice(file.path.lastIndexOf("/") + 1);
    const ref = file.path.split("/-/raw/")[1]?.split("/")[0] ?? "";
    const project = SECRET.gitlab;
    const commit = (await scene.forge("gitlab").objectId(project, ref)) ?? "";
    const blob = (await scene.forge("gitlab").objectId(project, `${ref}:${name}`)) ?? "";
    // Known by number in the API and by path on the web and in the API.
    const api = (id: string | number) => `/api/v4/projects/${id}/repository`;
    const forms = [
      file.path,
      `${file.path}?inline=false`,
      `${file.path}?ref_type=heads`,
      `/${project}/raw/${ref}/${name}`,
      `/${project}/-/raw/${commit}/${name}`,
      `${api(2)}/files/${name}/raw?ref=${ref}`,
      `${api(2)}/files/${name}/raw?ref=${commit}`,
      `${api(2)}/files/${name}/raw?ref=${ref}&lfs=true`,
      `${api(encodeURIComponent(project))}/files/${name}/raw?ref=${ref}`,
      `${api(2)}/blobs/${blob}/raw`,
    ];
    const nobody = {};
    for (const path of forms) expect((await askAs("gitlab", reader, path)).status).toBe(200);
    for (const path of ["/demo/other/-/raw/main/README.md", `${api(3)}/files/README.md/raw?ref=main`]) {
      expect((await askAs("gitlab", other, path)).status).toBe(200);
      expect((await askAs("gitlab", nobody, "/demo/hello/-/raw/main/README.md")).status).toBe(200);
    }
    for (const path of forms) {
      for (const principal of [other, nobody]) {
        for (const method of ["GET", "HEAD"]) {
          expectNothingTold(await askAs("gitlab", principal, path, { method }), file);
        }
      }
    }
    // Bytes are kept by project: the same names in another, even a readable one, are none there.
    for (const path of forms) {
      const elsewhere = path.replaceAll(project, "demo/other").replace(/projects\/[^/]+/, "projects/3");
      expectNothingTold(await askAs("gitlab", other, elsewhere), file);
    }
  });

  it("for a large file lets nobody else have a part of it", async () => {
    const path = "/demo/nested/secret/-/raw/main/big/blob.bin";
    const file = { path, bytes: Buffer.alloc(0), etag: "", untold: [String(8 * 1024 * 1024)] };
    const whole = await askAs("gitlab", reader, path);
    expect(whole.body).toHaveLength(8 * 1024 * 1024);
    file.etag = String(whole.headers.etag);
    for (const principal of [{}, other, { query: "token=glpat-reader" }]) {
      for (const { name, method, headers } of KINDS) {
        const answer = await askAs("gitlab", principal, path, {
          headers: headers?.(file) ?? {},
          ...(method && { method }),
        });
        expect([name, REFUSALS.includes(answer.status)]).toEqual([name, true]);
        expectNothingTold(answer, file);
      }
    }
  });

  it("for the web serves not the API, nor a grant for the API the web", async () => {
    const web = await privateFile("gitlab", "web");
    const name = web.path.slice(web.path.lastIndexOf("/") + 1);
    const ref = web.path.split("/-/raw/")[1]?.split("/")[0] ?? "";
    const api = privatePath("gitlab", "api", { project: SECRET.gitlab, ref, name });
    expect((await askAs("gitlab", reader, api)).status).toBe(200);
    for (const webOnly of PRINCIPALS.gitlab.filter(({ reads }) => reads.length === 1)) {
      expect((await askAs("gitlab", webOnly, web.path)).status).toBe(200);
      expectNothingTold(await askAs("gitlab", webOnly, api), web);
    }
    const [, cookie] = READERS.gitlab;
    expect((await askAs("gitlab", cookie, api)).status).toBe(200);
    scene.forge("gitlab").revokeToken("session-reader");
    expectNothingTold(await askAs("gitlab", cookie, web.path), web);
  });

  it("at one forge serves not at another where the same secret is known", async () => {
    const file = await privateFile("gitea", "web");
    const password = { headers: { authorization: basic("reader", "password") } };
    scene.forge("gitea").setMember("reader", SECRET.gitea, false);
    const there = file.path.replace(`${SECRET.gitea}/raw/branch`, `${SECRET.gitlab}/-/raw`);
    expect((await askAs("gitlab", password, there)).status).toBe(200);
    const principal = { ...password, name: "password", reads: [] };
    expect(await check("gitea", principal, file, { verdict: "refused" })).toEqual([]);
  });

  it("that is new is not held back by an older denial", async () => {
    const [first, second = first] = await privateFiles("gitlab", "web", 2);
    expectNothingTold(await askAs("gitlab", other, first.path), first);
    scene.forge("gitlab").setMember("other", SECRET.gitlab, true);
    await scene.advance(9000);
    expectNothingTold(await askAs("gitlab", other, first.path), first);
    await scene.advance(1000);
    expect((await askAs("gitlab", other, first.path)).status).toBe(200);
    await scene.harness.newIsolate();
    expect((await askAs("gitlab", other, second.path)).status).toBe(200);
  });

  it.each([MEMORY, COLO])(
    "that is old does not come back over a newer denial in $tier",
    async ({ forget }) => {
      const [first, second = first] = await privateFiles("gitlab", "web", 2);
      expect((await askAs("gitlab", reader, first.path)).status).toBe(200);
      scene.forge("gitlab").revokeToken("glpat-reader");
      await scene.advance(5000);
      // The grant is young, but the origin says no when it is asked for the other file's bytes.
      expectNothingTold(await askAs("gitlab", reader, second.path), second);
      await scene.settle();
      await forget();
      expectNothingTold(await askAs("gitlab", reader, first.path), first);
      await scene.advance(10_500); // the denial is over, the grant would live on
      expectNothingTold(await askAs("gitlab", reader, first.path), first);
    },
  );

  it("that ran out while the origin was waited for is none", async () => {
    const file = await privateFile("gitlab", "web");
    const path = file.path.replace(/branch-\d+/, "$&x");
    const [, branch = ""] = /-\/raw\/([^/]+)/.exec(path) ?? [];
    const name = file.path.slice(file.path.lastIndexOf("/") + 1);
    await scene.forge("gitlab").commit(SECRET.gitlab, branch, { [name]: file.bytes });
    expect((await askAs("gitlab", reader, path)).status).toBe(200);
    await scene.advance(35_000);
    expect((await askAs("gitlab", reader, file.path)).status).toBe(200); // a grant of its own age
    await scene.advance(26_000); // the branch must be looked up again, and the origin lets us wait for it
    scene.forge("gitlab").revokeToken("glpat-reader");
    const waiting: Socket[] = [];
    scene.forge("gitlab").intercept = ({ socket }) => waiting.push(socket) > 0;
    const late = askAs("gitlab", reader, path);
    await scene.settle();
    await scene.advance(5000);
    expect(waiting.length).toBeGreaterThan(0);
    breakOrigin("gitlab");
    for (const socket of waiting) socket.destroy();
    expectNothingTold(await late, file, UNREACHABLE);
  });
});
