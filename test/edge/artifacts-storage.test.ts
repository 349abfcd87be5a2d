import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ARTIFACT_ASKERS, askAs, buildMarked, formsOf, MARKER } from "./artifact-askers.ts";
import {
  PRIVATE_PROJECT,
  startArtifactScene,
  text,
  type ArtifactScene,
  type Built,
} from "./artifact-scene.ts";
import { WEB_AND_API } from "./principals.ts";
import type { Answer } from "./scene.ts";

const BLOCK_BYTES = 16 * 1024;
const VARS = { BLOCK_BYTES, HOT_BODY_BYTES: 8 * 1024, ORIGIN_TIMEOUT_S: 1, ORIGIN_STALL_S: 1 };

let scene: ArtifactScene;
beforeAll(async () => {
  scene = await startArtifactScene({ vars: VARS });
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.harness.close());

/** Blocks apart, so that each has to be read for itself. */
const CONTENTS = [0, 1, 2, 3, 4, 5].map(() => randomBytes(3 * BLOCK_BYTES));
const build = (): Built =>
  scene.build(
    CONTENTS.map((content, index) => ({ name: `${index}.bin`, content })),
    { storage: "object" },
  );

async function read({ web }: Built, index: number): Promise<number> {
  const { status, body } = await scene.get(web.entry(`${index}.bin`));
  if (status === 200) expect(body.equals(CONTENTS[index] ?? Buffer.alloc(0))).toBe(true);
  return status;
}

/** How often the forge was asked, and how often its storage. */
async function asked(act: () => Promise<unknown>): Promise<[forge: number, storage: number]> {
  await scene.settle();
  const before = [scene.gitlab.counts().total, scene.storage.counts().total] as const;
  await act();
  await scene.settle();
  return [scene.gitlab.counts().total - before[0], scene.storage.counts().total - before[1]];
}

/** That nothing in an answer leads to the storage. */
function expectNoAddress({ headers, body, status }: Answer): void {
  const told = `${JSON.stringify(headers)}${body.toString("latin1")}`;
  for (const trace of [
    "X-Amz-",
    "x-amz-",
    "GITLABARTIFACTS",
    new URL(scene.storage.url).host,
    "artifacts.zip?",
  ])
    expect([status, told.includes(trace), trace]).toEqual([status, false, trace]);
}

describe("an object storage that the forge sends to", () => {
  it("is told nothing of who asks", async () => {
    const seen: IncomingMessage["headers"][] = [];
    const urls: string[] = [];
    scene.storage.intercept = ({ headers, url = "", method }) => {
      seen.push(headers);
      urls.push(`${method} ${url}`);
      return false;
    };
    for (const channel of WEB_AND_API) {
      for (const asker of ARTIFACT_ASKERS) {
        const { job, ...built } = buildMarked(scene, { project: PRIVATE_PROJECT, storage: "object" });
        for (const [form, path] of Object.entries(formsOf({ job, ...built }, channel)))
          if (["small entry", "tar", "latest archive"].includes(form)) await askAs(scene, asker, path);
        await askAs(scene, asker, built[channel].archive, {
          method: "HEAD",
          headers: { referer: "http://a/", "x-custom": "a" },
        });
      }
    }
    expect(seen.length).toBeGreaterThan(50);
    expect(scene.storage.leaks()).toEqual([]);
    const sent = new Set(seen.flatMap((headers) => Object.keys(headers)));
    for (const name of [
      "authorization",
      "cookie",
      "private-token",
      "job-token",
      "deploy-token",
      "referer",
      "x-custom",
      "sudo",
    ])
      expect([...sent]).not.toContain(name);
    expect(urls.filter((url) => !url.startsWith("GET ") || /token|job-reader/.test(url))).toEqual([]);
  });

  it("is found again without the forge as long as the address is good", async () => {
    const built = build();
    expect(await asked(async () => await read(built, 0))).toEqual([1, expect.any(Number)]);
    const [forge, storage] = await asked(async () => await read(built, 2));
    expect([forge, storage]).toEqual([0, 1]);
    await scene.advance(15_000);
    expect((await asked(async () => await read(built, 4)))[0]).toBe(0);
  });

  it("is asked for anew once the address has ended, or is about to", async () => {
    for (const { life, later, times } of [
      { life: 60, later: 15_000, times: 0 },
      { life: 30, later: 15_000, times: 1 },
      { life: 10, later: 1000, times: 1 },
    ]) {
      scene.gitlab.storageExpiresS = life;
      const built = build();
      expect(await read(built, 0)).toBe(200);
      await scene.advance(later);
      const [forge] = await asked(async () => expect(await read(built, 3)).toBe(200));
      expect([life, forge]).toEqual([life, times]);
    }
  });

  it("is asked for anew where it does not take the address any more", async () => {
    const built = build();
    expect(await read(built, 0)).toBe(200);
    await scene.settle();
    let refused = 0;
    const known = new Set<string>();
    scene.gitlab.intercept = () => {
      known.add("asked again");
      return false;
    };
    scene.storage.intercept = (_request, response) => {
      if (known.size > 0) return false;
      refused++;
      response
        .writeHead(403, { "content-type": "application/xml" })
        .end("<Error><Code>AccessDenied</Code></Error>");
      return true;
    };
    expect((await asked(async () => expect(await read(built, 3)).toBe(200)))[0]).toBe(1);
    expect(refused).toBe(1);
  });

  it("is never shown to anyone", async () => {
    const built = buildMarked(scene, { storage: "object" });
    expect((await scene.get(built.web.archive, { direct: true })).status).toBe(302);
    for (const channel of WEB_AND_API) {
      for (const path of Object.values(formsOf(built, channel))) {
        for (const headers of [
          {},
          { range: "bytes=0-9" },
          { "if-none-match": "*" },
          { range: "bytes=99999999-" },
        ])
          for (const method of ["GET", "HEAD"]) expectNoAddress(await scene.get(path, { method, headers }));
      }
      expectNoAddress(await scene.get(built[channel].entry("none")));
    }
    expectNoAddress({ ...(await scene.get("/")), headers: {}, body: Buffer.from(await scene.metrics()) });
  });
});

type Trouble = (response: ServerResponse, request: IncomingMessage) => void;
const TROUBLES: Readonly<Record<string, readonly [number, Trouble]>> = {
  "is down": [502, (response) => void response.socket?.destroy()],
  "says nothing": [504, () => undefined],
  "answers 500": [502, (response) => void response.writeHead(500).end("no")],
  "answers 503": [502, (response) => void response.writeHead(503, { "retry-after": "1" }).end("slow down")],
  "refuses its own address": [502, (response) => void response.writeHead(403).end("<Error/>")],
  "has it no more": [502, (response) => void response.writeHead(404).end("<Error/>")],
  "sends elsewhere": [
    502,
    (response) => void response.writeHead(307, { location: "http://127.0.0.1:9/" }).end(),
  ],
};

describe("an object storage that", () => {
  it.each(Object.entries(TROUBLES))(
    "%s: is told in time, without its address, and leaves nothing behind",
    async (_name, [wanted, trouble]) => {
      for (const isWarm of [false, true]) {
        const built = build();
        if (isWarm) expect(await read(built, 0)).toBe(200);
        await scene.settle();
        scene.storage.intercept = (request, response) => {
          trouble(response, request);
          return true;
        };
        const started = Date.now();
        const paths = [
          built.web.entry("3.bin"),
          built.api.entry("2.bin"),
          built.web.made("tar", "1.bin"),
          built.web.archive,
        ];
        const answers = await Promise.all(paths.map(async (path) => await scene.get(path)));
        expect(Date.now() - started).toBeLessThan(6000);
        for (const answer of answers) {
          const told = answer.status === 200 && !answer.whole ? "broken off" : answer.status;
          if (isWarm) expect([502, 504, "broken off"]).toContain(told);
          else expect(told).toBe(wanted);
          expectNoAddress(answer);
        }
        scene.storage.intercept = undefined;
        await scene.settle();
        await scene.advance(11_000);
        for (const index of [1, 2, 3, 0]) expect(await read(built, index)).toBe(200);
        await scene.settle();
        await scene.harness.newIsolate();
        for (const index of [1, 2, 3, 0]) expect(await read(built, index)).toBe(200);
      }
    },
  );
});

describe("an artifact in object storage", () => {
  it("that is no zip is what it is, and nothing inside of it is found", async () => {
    const bytes = text(3000);
    const { web, api } = scene.build(bytes, { storage: "object" });
    expect((await scene.get(web.archive)).body.equals(bytes)).toBe(true);
    for (const path of [web.entry("a"), api.entry("a"), web.list(), api.list(), web.made("tar")])
      expect((await scene.get(path)).status).toBe(422);
  });

  it("that is empty is what it is", async () => {
    for (const storage of ["local", "object"] as const) {
      const { web } = scene.build(Buffer.alloc(0), { storage });
      const archive = await scene.get(web.archive);
      expect([
        storage,
        archive.status === 302 || (archive.status === 200 && archive.body.length === 0),
      ]).toEqual([storage, true]);
      for (const path of [web.list(), web.made("tar")])
        expect((await scene.get(path)).status).toBeGreaterThanOrEqual(400);
    }
  });
});

describe("metrics", () => {
  const counted = async (status: number): Promise<number> => {
    const line = new RegExp(
      `^forgefront_requests_total\\{lane="artifact",status="${status}"\\} (\\d+)$`,
      "m",
    );
    return Number(line.exec(await scene.metrics())?.[1] ?? 0);
  };

  it("count artifacts as such, and know of no name and no credential", async () => {
    const built = buildMarked(scene, { project: PRIVATE_PROJECT, storage: "object" });
    const before = [await counted(200), await counted(404)] as const;
    const forms = Object.values(formsOf(built, "api"));
    const reader = { headers: { "PRIVATE-TOKEN": "glpat-reader" } };
    for (const path of forms) for (let time = 0; time < 3; time++) await askAs(scene, reader, path);
    for (const path of forms)
      expect([path, (await askAs(scene, { query: "private_token=glpat-other" }, path)).status]).toEqual([
        path,
        404,
      ]);
    await askAs(scene, reader, built.api.entry("none"));
    await scene.settle();
    expect((await counted(200)) - before[0]).toBe(3 * forms.length);
    expect((await counted(404)) - before[1]).toBe(forms.length + 1);
    const metrics = await scene.metrics();
    const names = [
      MARKER,
      "small.txt",
      "none",
      "secret",
      "demo/",
      String(built.job.id),
      built.job.name,
      "artifacts/",
      "glpat",
    ];
    for (const name of names) expect([name, metrics.includes(name)]).toEqual([name, false]);
  });
});
