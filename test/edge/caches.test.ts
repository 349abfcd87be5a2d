import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  ALL_DOORS,
  BIG_BYTES,
  COOKIE,
  counted,
  expectBytes,
  get,
  gitlab,
  newFile,
  playCachesScene,
  READER,
  scene,
  SMALL_BYTES,
  type Headers,
} from "./caches-scene.ts";
import { CREDENTIALS, GITEA_API, GITEA_WEB, GITLAB_API, GITLAB_WEB, type Door } from "./doors.ts";
import { AGEING_MS, ask, SECRET } from "./scene.ts";

playCachesScene();

describe("a grant", () => {
  it.each(ALL_DOORS)("is asked for once by a hundred who come at once: $name", async (door) => {
    const file = await newFile();
    scene.forge(door.forge).authMs = 40;
    const answers = await Promise.all(Array.from({ length: 100 }, async () => await get(door, file)));
    for (const answer of answers) expectBytes(answer, file.bytes);
    const { probes, bytes } = counted(door);
    expect({ probes, bytes }).toEqual({ probes: 1, bytes: SMALL_BYTES });
    const leaders = answers.filter(({ caches }) => caches["grant"] === "forgefront-grant; fwd=miss");
    expect(leaders).toHaveLength(1);
  });

  it("that has run out is asked for once by all who come then", async () => {
    const file = await newFile();
    expectBytes(await get(GITLAB_WEB, file), file.bytes);
    const { probes } = counted(GITLAB_WEB);
    gitlab.authMs = 40;
    await scene.advance(60_000);
    const answers = await Promise.all(Array.from({ length: 50 }, async () => await get(GITLAB_WEB, file)));
    for (const answer of answers) expectBytes(answer, file.bytes);
    expect(counted(GITLAB_WEB).probes).toBe(probes + 1);
  });

  it("is renewed behind a hit from 20 s on, once for all who hit it then", async () => {
    const file = await newFile();
    expectBytes(await get(GITLAB_WEB, file), file.bytes);
    await scene.settle();
    const before = counted(GITLAB_WEB).total;
    await scene.advance(19_500);
    await get(GITLAB_WEB, file);
    await scene.settle();
    expect(counted(GITLAB_WEB).total).toBe(before);
    await scene.advance(5500);
    gitlab.authMs = 40;
    const hits = await Promise.all(Array.from({ length: 20 }, async () => await get(GITLAB_WEB, file)));
    for (const { caches } of hits) expect(caches["grant"]).toMatch(/; hit; ttl=\d+; detail=memory/);
    await expect
      .poll(async () => (await get(GITLAB_WEB, file)).caches["grant"], { timeout: 3000 })
      .toMatch(/hit; ttl=(?:27|28|29|30);/);
    expect(counted(GITLAB_WEB).total).toBe(before + 1);
  });

  it.each([READER, COOKIE])("never makes a busy project wait: %o", async (credentials) => {
    const file = await newFile();
    expectBytes(await get(GITLAB_WEB, file, credentials), file.bytes);
    await scene.settle();
    const before = counted(GITLAB_WEB).total;
    const waits: string[] = [];
    for (let second = 1; second <= 120; second++) {
      await scene.advance(1000);
      const totalBefore = counted(GITLAB_WEB).total;
      const answer = await get(GITLAB_WEB, file, credentials);
      expectBytes(answer, file.bytes);
      if (!answer.caches["grant"]?.includes("; hit")) waits.push(`${second}: ${answer.caches["grant"]}`);
      const age = second % 5 === 0 || counted(GITLAB_WEB).total !== totalBefore;
      if (age) await scene.settle();
    }
    expect(waits).toEqual([]);
    expect(counted(GITLAB_WEB).total - before).toBeLessThanOrEqual(7);
  });
});

describe("a denial", () => {
  const strangers: readonly { door: Door; headers: Headers }[] = [
    { door: GITLAB_WEB, headers: { "PRIVATE-TOKEN": "glpat-other" } },
    { door: GITLAB_WEB, headers: { "PRIVATE-TOKEN": "glpat-wrong" } },
    { door: GITLAB_WEB, headers: { cookie: "_gitlab_session=wrong" } },
    { door: GITLAB_API, headers: { "PRIVATE-TOKEN": "glpat-wrong" } },
    { door: GITLAB_API, headers: { "PRIVATE-TOKEN": "glpat-other" } },
    { door: GITEA_WEB, headers: { authorization: "token gitea-other" } },
    { door: GITEA_API, headers: { authorization: "token gitea-wrong" } },
  ];

  it("that does not say whether it means the file or the project is believed of the one file", async () => {
    const [one, other] = [await newFile(), await newFile()];
    const headers = { cookie: "i_like_gitea=wrong" };
    for (const file of [one, one, one]) expect((await get(GITEA_WEB, file, headers)).status).toBe(404);
    expect(counted(GITEA_WEB).total).toBe(1);
    for (const file of [other, one, other]) expect((await get(GITEA_WEB, file, headers)).status).toBe(404);
    expect(counted(GITEA_WEB).total).toBe(2);
  });

  it.each(strangers)("costs one question in 10 s: $door.name $headers", async ({ door, headers }) => {
    const [one, other] = [await newFile(), await newFile()];
    const first = await get(door, one, headers);
    expect([401, 403, 404, 302]).toContain(first.status);
    await scene.settle();
    const cost = counted(door).total;
    expect(cost).toBeLessThanOrEqual(2); // the way to ask may take a second request to learn the forge's own words
    const { kvPuts } = await scene.harness.kvCalls();
    for (const file of [one, other, one, other]) await get(door, file, headers);
    await scene.advance(9000);
    for (const file of [one, other]) await get(door, file, headers);
    expect(counted(door).total).toBe(cost);
    await scene.harness.newIsolate();
    await get(door, one, headers);
    expect(counted(door).total).toBe(cost);
    await scene.advance(1000);
    await get(door, one, headers);
    await get(door, other, headers);
    expect(counted(door).total).toBeLessThanOrEqual(2 * cost + 1);
    expect(counted(door).total).toBeGreaterThan(cost);
    expect((await scene.harness.kvCalls()).kvPuts).toBe(kvPuts);
  });

  it.each([
    { door: GITLAB_WEB, headers: { cookie: "_gitlab_session=wrong" } },
    { door: GITLAB_WEB, headers: { "PRIVATE-TOKEN": "glpat-wrong" } },
    { door: GITEA_WEB, headers: { cookie: "i_like_gitea=wrong" } },
  ])("costs one question though many come at once: $door.name $headers", async ({ door, headers }) => {
    const file = await newFile();
    scene.forge(door.forge).authMs = 40;
    const answers = await Promise.all(Array.from({ length: 20 }, async () => await get(door, file, headers)));
    for (const { status } of answers) expect([302, 401, 404]).toContain(status);
    expect(counted(door).total).toBeLessThanOrEqual(2);
  });

  it("of random tokens never writes to KV", async () => {
    const file = await newFile();
    const { kvPuts } = await scene.harness.kvCalls();
    const guesses = Array.from({ length: 60 }, (_, number) => [
      { "PRIVATE-TOKEN": `guess-${number}` },
      { "JOB-TOKEN": `guess-${number}` },
      { cookie: `_gitlab_session=guess-${number}` },
    ]).flat();
    const statuses = await Promise.all(
      guesses.map(async (headers, index) => {
        return (await get(index % 2 === 0 ? GITLAB_WEB : GITLAB_API, file, headers)).status;
      }),
    );
    expect(statuses.filter((status) => status < 300)).toEqual([]);
    await scene.settle();
    expect((await scene.harness.kvCalls()).kvPuts).toBe(kvPuts);
  });

  it("of one name is not one of another that is asked for at the same time", async () => {
    const file = await newFile();
    gitlab.authMs = 60;
    const [missing, there] = await Promise.all([
      get(GITLAB_WEB, { ...file, name: "missing.txt" }, COOKIE),
      get(GITLAB_WEB, file, COOKIE),
    ]);
    expect(missing.status).toBe(404);
    expectBytes(there, file.bytes);
  });

  it.each([
    COOKIE,
    { "X-Gitlab-Static-Object-Token": "static-reader" },
    { "Deploy-Token": "gldt-secret" },
    { ...READER, authorization: "Bearer glpat-other" },
  ])("of a missing name leaves the grant alone: %o", async (headers) => {
    const file = await newFile();
    for (const name of ["missing.txt", "none.txt"]) {
      expect((await get(GITLAB_WEB, { ...file, name }, headers)).status).toBe(404);
      expectBytes(await get(GITLAB_WEB, file, headers), file.bytes);
    }
  });

  it("of one asker is not one of another who waits for the same", async () => {
    const file = await newFile();
    gitlab.authMs = 40;
    const all = await Promise.all(
      Array.from(
        { length: 10 },
        async (_, index) =>
          await get(GITLAB_WEB, file, index % 2 === 0 ? { "PRIVATE-TOKEN": `no-${index}` } : READER),
      ),
    );
    all.forEach(({ status }, index) => expect(status).toBe(index % 2 === 0 ? 401 : 200));
  });
});

describe("429 with Retry-After", () => {
  const busy = (retryAfter: string): void => {
    gitlab.intercept = (_request, response) => {
      response.writeHead(429, { "Retry-After": retryAfter, "Content-Type": "text/plain" }).end("Too many\n");
      return true;
    };
  };

  const MANY: readonly Headers[] = [READER, { "PRIVATE-TOKEN": "glpat-other" }];

  it.each([GITLAB_WEB, GITLAB_API] as const)(
    "leaves the scope alone until then, for all who could read there: $name",
    async (door) => {
      const [file, unread] = [await newFile(), await newFile()];
      gitlab.setMember("other", SECRET.gitlab, true);
      for (const headers of MANY) expectBytes(await get(door, file, headers), file.bytes);
      await scene.settle();
      const before = counted(door).total;
      busy("20");
      const first = await get(door, unread);
      expect([first.status, first.headers["retry-after"]]).toEqual([429, "20"]);
      expect(counted(door).total).toBe(before + 1);
      gitlab.intercept = undefined;
      await scene.advance(8000);
      for (const headers of MANY) {
        const { status, headers: got, body } = await get(door, unread, headers);
        expect(status).toBe(429);
        expect(Number(got["retry-after"])).toBeLessThanOrEqual(12);
        expect(body.toString()).toBe(headers === READER ? first.body.toString() : "");
      }
      expect(counted(door).total).toBe(before + 1);
      await scene.advance(12_000);
      for (const headers of MANY) expectBytes(await get(door, unread, headers), unread.bytes);
    },
  );

  it("to a stranger is nobody else's, and says nothing of what there is", async () => {
    const file = await newFile();
    const stranger = { "PRIVATE-TOKEN": "glpat-other" };
    busy("200");
    expect((await get(GITLAB_WEB, file, stranger)).status).toBe(429);
    gitlab.intercept = undefined;
    expectBytes(await get(GITLAB_WEB, file), file.bytes);
    expect((await get(GITLAB_WEB, file, {})).status).toBe(401);
    await scene.advance(AGEING_MS);
    expectBytes(await get(GITLAB_WEB, file), file.bytes);
    expect((await get(GITLAB_WEB, file, stranger)).status).toBe(429);
  });

  it("is remembered by a new isolate of the colo", async () => {
    const file = await newFile();
    busy("20");
    expect((await get(GITLAB_WEB, file)).status).toBe(429);
    gitlab.intercept = undefined;
    await scene.harness.newIsolate();
    expect((await get(GITLAB_WEB, file)).status).toBe(429);
    expect(counted(GITLAB_WEB).total).toBe(1);
  });

  it("lets a live grant serve what is stored, to its end", async () => {
    const [file, unread] = [await newFile(), await newFile()];
    expectBytes(await get(GITLAB_WEB, file), file.bytes);
    busy("60");
    expect((await get(GITLAB_WEB, unread)).status).toBe(429);
    await scene.advance(20_000);
    expectBytes(await get(GITLAB_WEB, file), file.bytes);
    await scene.advance(10_000);
    expect((await get(GITLAB_WEB, file)).status).toBe(429);
  });

  it("leaves other projects alone, and understands a date", async () => {
    const file = await newFile();
    const date = new Date(Math.ceil(Date.now() / 1000) * 1000 + 1000 * 3600 * 24 * 365).toUTCString();
    busy(date);
    const { status, headers } = await get(GITLAB_WEB, file);
    expect(status).toBe(429);
    expect(headers["retry-after"]).toBeDefined();
    gitlab.intercept = undefined;
    const hello = `${scene.harness.gitlab}/demo/hello/-/raw/main/README.md`;
    expect((await ask(hello)).status).toBe(200);
  });
});

describe("a revision", () => {
  it.each(ALL_DOORS)("shows a push within 60 s: $name", async (door) => {
    const file = await newFile();
    const next = randomBytes(2000);
    expectBytes(await get(door, file), file.bytes);
    await gitlab.commit(SECRET.gitlab, file.ref, { [file.name]: next });
    await scene.advance(1000);
    expectBytes(await get(door, file), file.bytes);
    await scene.advance(59_000);
    expect((await get(door, file)).body.equals(next)).toBe(true);
  });

  it.each(ALL_DOORS)("shows a push as soon as the grant was renewed: $name", async (door) => {
    const file = await newFile();
    const next = randomBytes(2000);
    expectBytes(await get(door, file), file.bytes);
    await gitlab.commit(SECRET.gitlab, file.ref, { [file.name]: next });
    await scene.advance(25_500);
    expectBytes(await get(door, file), file.bytes);
    await expect.poll(async () => (await get(door, file)).body.equals(next), { timeout: 3000 }).toBe(true);
  });

  it("shows a push within 60 s to askers who live by what others asked", async () => {
    const file = await newFile();
    const next = randomBytes(2000);
    expectBytes(await get(GITLAB_WEB, file), file.bytes);
    expectBytes(await get(GITLAB_WEB, file, COOKIE), file.bytes);
    await gitlab.commit(SECRET.gitlab, file.ref, { [file.name]: next });
    for (let seconds = 5; seconds < 60; seconds += 5) {
      await scene.advance(5000);
      expect((await get(GITLAB_WEB, file, COOKIE)).status).toBe(200);
      await scene.settle();
    }
    await scene.advance(5000);
    expectBytes(await get(GITLAB_WEB, file, COOKIE), next);
  });

  it.each(ALL_DOORS)("is not needed for a full commit id: $name", async (door) => {
    const file = await newFile();
    const commit = (await gitlab.objectId(SECRET.gitlab, file.ref)) ?? "";
    const path = door.path({ name: file.name, ref: commit }).replace("/raw/branch/", "/raw/commit/");
    const headers = door.forge === "gitlab" ? READER : CREDENTIALS.gitea;
    const read = async () => await ask(scene.harness[door.forge] + path, { headers });
    const cold = await read();
    expectBytes(cold, file.bytes);
    expect(cold.caches).not.toHaveProperty("revision");
    expect(cold.headers["cache-control"]).toMatch(/immutable/);
    await gitlab.commit(SECRET.gitlab, file.ref, { [file.name]: "other" });
    for (let day = 0; day < 3; day++) {
      await scene.advance(24 * 3600 * 1000);
      const later = await read();
      expectBytes(later, file.bytes);
      expect(later.caches).not.toHaveProperty("revision");
    }
    expect(counted(door).bytes).toBe(SMALL_BYTES);
  });

  it.each(ALL_DOORS)("that is missing is believed to be so for 10 s: $name", async (door) => {
    const file = await newFile();
    const ref = scene.name("late");
    const place = { ref, name: file.name };
    expectBytes(await get(door, file), file.bytes);
    expect((await get(door, place)).status).toBe(404);
    await scene.settle();
    const before = counted(door).total;
    for (let again = 0; again < 5; again++) expect((await get(door, place)).status).toBe(404);
    expect(counted(door).total).toBe(before);
    await gitlab.commit(SECRET.gitlab, ref, { [file.name]: "late" });
    await scene.advance(10_000);
    expectBytes(await get(door, place), Buffer.from("late"));
  });

  it.each(ALL_DOORS)("of a path that is missing is believed for 10 s: $name", async (door) => {
    const file = await newFile();
    const place = { ref: file.ref, name: "missing.txt" };
    expect((await get(door, place)).status).toBe(404);
    await scene.settle();
    const before = counted(door).total;
    for (let again = 0; again < 5; again++) expect((await get(door, place)).status).toBe(404);
    expect(counted(door).total).toBe(before);
    await scene.advance(10_000);
    expect((await get(door, place)).status).toBe(404);
    expect(counted(door).total).toBeGreaterThan(before);
  });

  it("of a broken origin is stood in for by the last one, as long as the grant lives", async () => {
    const [file, other] = [await newFile(), await newFile()];
    expectBytes(await get(GITLAB_WEB, file), file.bytes);
    await scene.advance(35_000);
    expectBytes(await get(GITLAB_WEB, other), other.bytes); // a grant that is younger than the revision
    gitlab.intercept = (_request, response) => {
      response.writeHead(503).end("out of order");
      return true;
    };
    await scene.advance(25_500);
    const stale = await get(GITLAB_WEB, file);
    expectBytes(stale, file.bytes);
    expect(stale.caches["revision"]).toContain("fwd=stale");
    expect(Number(stale.headers.age)).toBeGreaterThanOrEqual(60);
    await scene.advance(4500);
    const closed = await get(GITLAB_WEB, file);
    expect(closed.status).toBe(502);
    expect(closed.body.includes(file.bytes.subarray(0, 20))).toBe(false);
    gitlab.intercept = undefined;
    expectBytes(await get(GITLAB_WEB, file), file.bytes);
  });
});

describe("a body", () => {
  it.each(ALL_DOORS)("is not read again after a push that leaves it alone: $name", async (door) => {
    const file = await newFile();
    expectBytes(await get(door, file), file.bytes);
    await gitlab.commit(SECRET.gitlab, file.ref, { "else.txt": "else" });
    await scene.advance(60_000);
    const after = await get(door, file);
    expectBytes(after, file.bytes);
    expect(after.caches["revision"]).toContain("fwd=miss");
    expect(counted(door).bytes).toBe(SMALL_BYTES);
    await gitlab.commit(SECRET.gitlab, file.ref, { [file.name]: "changed" });
    await scene.advance(60_000);
    for (let again = 0; again < 3; again++) expectBytes(await get(door, file), Buffer.from("changed"));
    expect(counted(door).bytes).toBe(SMALL_BYTES + "changed".length);
  });

  it.each(ALL_DOORS)("is read once for two branches that hold the same: $name", async (door) => {
    const file = await newFile(BIG_BYTES);
    const ref = scene.name("other");
    await gitlab.commit(SECRET.gitlab, ref, { [file.name]: file.bytes });
    expectBytes(await get(door, file), file.bytes);
    await scene.settle();
    expectBytes(await get(door, { ...file, ref }), file.bytes);
    expect(counted(door).bytes).toBe(BIG_BYTES);
  });

  it.each(ALL_DOORS)(
    "and all else is found by a new isolate of the colo, without the origin: $name",
    async (door) => {
      const [small, big] = [await newFile(), await newFile(BIG_BYTES)];
      for (const file of [small, big]) expectBytes(await get(door, file), file.bytes);
      await scene.settle();
      const before = counted(door).total;
      await scene.harness.newIsolate();
      for (const file of [small, big]) {
        const answer = await get(door, file);
        expectBytes(answer, file.bytes);
        for (const cache of ["grant", "revision", "body"]) expect(answer.caches[cache]).toMatch(/; hit;/);
        expect(answer.caches["body"]).toContain("detail=colo");
      }
      expect(counted(door).total).toBe(before);
    },
  );

  it("of one project is not that of another with the same content", async () => {
    const file = await newFile();
    expectBytes(await get(GITLAB_WEB, file), file.bytes);
    await gitlab.commit("demo/other", file.ref, { [file.name]: file.bytes });
    const url = `${scene.harness.gitlab}/demo/other/-/raw/${file.ref}/${file.name}`;
    expectBytes(await ask(url, { headers: { "PRIVATE-TOKEN": "glpat-other" } }), file.bytes);
    expect(counted(GITLAB_WEB).bytes).toBe(2 * SMALL_BYTES);
  });
});

describe("a repository of 100,000 refs", () => {
  it("costs no more than the refs that are asked for", async () => {
    await gitlab.addManyRefs("demo/other", 100_000);
    let sent = 0;
    gitlab.intercept = (request, response) => {
      const { socket } = request;
      const before = socket.bytesWritten;
      response.once("close", () => {
        sent += socket.bytesWritten - before;
      });
      return false;
    };
    const cost = async (path: string): Promise<number> => {
      sent = 0;
      const url = `${scene.harness.gitlab}/demo/other/-/raw/${path}`;
      expect((await ask(url, { headers: { "PRIVATE-TOKEN": "glpat-other" } })).status).toBe(200);
      await sleep(400); // what is asked behind the answer is counted too
      return sent;
    };
    expect(await cost("main/README.md")).toBeLessThan(10_000);
    expect(await cost("v1.0/README.md")).toBeLessThan(10_000);
    // All begin like this one, some 7 MB of them: the list is broken off, but sockets hold much of it.
    expect(await cost("many/0099999/README.md")).toBeLessThan(6_500_000);
    expect(await cost("many/0000001/README.md")).toBeLessThan(10_000);
    // What is renewed behind a hit is what was found to be enough.
    await scene.advance(25_500);
    expect(await cost("many/0000001/README.md")).toBeLessThan(10_000);
  });
});
