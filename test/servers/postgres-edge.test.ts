import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { postgresLacks } from "../../scripts/servers/postgres.ts";
import {
  API,
  DEVELOPER,
  HELLO,
  idsOf,
  OTHER,
  READER,
  SECRET_LIST,
  type Headers,
} from "../edge/pipelines-scene.ts";
import type { Answer } from "../edge/scene.ts";
import { DATABASE, MERGE_REQUEST_BRANCH } from "./postgres-place.ts";
import { GREETING_BYTES, told, useDatabaseScene } from "./postgres-scene.ts";
import { describeWith } from "./presence.ts";

const BY_NUMBER = `${API}/1/pipelines`;

const LISTS = [
  HELLO,
  BY_NUMBER,
  `${HELLO}?per_page=100&page=3`,
  `${BY_NUMBER}?page=60`,
  `${BY_NUMBER}?page=61`,
  `${BY_NUMBER}?page=9999`,
  `${HELLO}?ref=main&per_page=5`,
  `${BY_NUMBER}?ref=release%2F2024+%26+%3Cnext%3E`,
  `${HELLO}?status=failed&order_by=updated_at&sort=asc`,
  `${BY_NUMBER}?scope=finished&username=Reader`,
  `${BY_NUMBER}?source=merge_request_event&created_after=2024-01-01T03:00:00Z`,
  `${BY_NUMBER}?name=Build+%26+deploy+%3Cmain%3E`,
  `${BY_NUMBER}?yaml_errors=true&updated_before=2024-01-01T09:30:00%2B02:00`,
  `${HELLO}?sha=${"0".repeat(40)}`,
  `${SECRET_LIST}?per_page=7`,
  `${API}/2/pipelines?per_page=7&page=2`,
];

/** What would be something else than a text, were it not taken for one. */
const UNSAFE = [
  "main' OR '1'='1",
  "'; DROP TABLE projects; --",
  "$1",
  "\\'; SELECT pg_sleep(9); --",
  'main" OR "a',
  "%",
  "<script>&amp;\u2028",
  "Lübeck → 😀",
];

/** Askers who see the same. */
const CROWD: readonly Headers[] = Array.from({ length: 30 }, (_, index) => ({
  "PRIVATE-TOKEN": `unknown-${index}`,
  authorization: index % 2 === 0 ? "Bearer glpat-reader" : "Bearer glpat-developer",
}));

describeWith("PostgreSQL", await postgresLacks())("with GitLab's database", () => {
  const running = useDatabaseScene();

  describe("a list made of GitLab's database", () => {
    /** What an edge says that has no database, and a memory of its own. */
    async function withoutDatabase(path: string, headers: Headers): Promise<Answer> {
      const { scene } = running;
      await scene.harness.world({ database: "none" });
      const answer = await scene.get(path, headers, { isolate: scene.name("plain") });
      await scene.harness.world({ database: "bound" });
      return answer;
    }

    test.each(LISTS)("is what the forge's API says of %s, header fields and all", async (path) => {
      const { scene } = running;
      const urls = scene.listen();
      const answers = [await scene.get(path, READER), await scene.get(path, READER)];
      expect(await scene.outcomes()).toEqual({ made: 1 });
      // By path twice: the number that the first list told says nothing of who may read
      for (const url of urls) expect(url).toMatch(/\/pipelines\?per_page=1$/);
      expect(urls.length).toBe(new Set(urls).size);
      const expected = told(await withoutDatabase(path, READER));
      expect(expected).toMatchObject({ status: 200 });
      expect(urls.at(-1)).not.toMatch(/\?per_page=1$/); // which is the forge's answer, then
      for (const answer of answers) expect(told(answer)).toEqual(expected);
    });

    test.each([HELLO, BY_NUMBER])("has the ETag of the forge's own: %s", async (path) => {
      const { scene } = running;
      const { headers } = await scene.get(path, READER);
      const condition = { ...READER, "if-none-match": String(headers.etag) };
      await scene.way.set({ kind: "closed" });
      for (const ms of [0, 6000, 6000]) {
        await scene.advance(ms);
        expect([ms, (await scene.get(path, condition)).status]).toEqual([ms, 304]);
      }
      expect(await scene.outcomes()).toEqual({ made: 1, unreachable: 1 });
    });

    test.each(UNSAFE)("takes %j for nothing but a text", async (text) => {
      const { scene } = running;
      for (const name of ["ref", "username"]) {
        const path = `${BY_NUMBER}?${String(new URLSearchParams({ [name]: text }))}`;
        const answer = await scene.get(path, READER);
        expect(answer.body.toString()).toBe("[]");
        expect(told(answer)).toEqual(told(await withoutDatabase(path, READER)));
      }
      expect(await scene.outcomes()).toEqual({ made: 2 });
    });

    test.each([`${BY_NUMBER}?scope=branches`, `${BY_NUMBER}?scope=tags&per_page=3`])(
      "is the forge's own where only the repository knows: %s",
      async (path) => {
        const { scene } = running;
        const expected = told(await withoutDatabase(path, READER));
        expect(told(await scene.get(path, READER))).toEqual(expected);
        expect(await scene.outcomes()).toEqual({ unsupported: 1 });
        const urls = scene.listen();
        await scene.advance(6000);
        expect(told(await scene.get(path, READER))).toEqual(expected);
        expect(urls.filter((url) => url.endsWith("?per_page=1"))).toEqual([]); // it is not tried again at once
      },
    );

    test("is the forge's own where a setting of its decides", async () => {
      const { scene } = running;
      const path = `${BY_NUMBER}?ref=${encodeURIComponent(MERGE_REQUEST_BRANCH)}`;
      expect(told(await scene.get(path, READER))).toEqual(told(await withoutDatabase(path, READER)));
      expect(await scene.outcomes()).toEqual({ ambiguous: 1 });
    });
  });

  describe("who may read a list made of GitLab's database", () => {
    /** Status and body of the forge itself, where it refuses. */
    async function expectRefused(path: string, headers: Headers): Promise<void> {
      const { scene } = running;
      const direct = await scene.direct(path, headers);
      expect(direct.status).toBeGreaterThanOrEqual(400);
      for (let time = 0; time < 2; time++) {
        const got = await scene.get(path, headers);
        expect([got.status, got.body.toString()]).toEqual([direct.status, direct.body.toString()]);
        expect(got.headers).not.toHaveProperty("x-total");
      }
    }

    const STRANGERS: readonly (readonly [string, Headers])[] = [
      ["nobody", {}],
      ["another user", OTHER],
      ["an unknown token", { "PRIVATE-TOKEN": "glpat-unknown" }],
      ["a deploy token", { "DEPLOY-TOKEN": "gldt-secret" }],
      ["a job, which may only list jobs", { "JOB-TOKEN": "job-reader" }],
    ];

    test.each(STRANGERS)("is asked of the forge: %s", async (_name, headers) => {
      const { scene } = running;
      for (const path of [SECRET_LIST, `${API}/2/pipelines`]) {
        await expectRefused(path, headers);
        expect((await scene.get(path, READER)).status).toBe(200);
        await expectRefused(path, headers);
      }
      expect(await scene.outcomes()).toEqual({ made: 1 }); // by path and by number it is one
    });

    test("is a job's own list of jobs, and no pipelines", async () => {
      const { scene } = running;
      const job = { "JOB-TOKEN": "job-reader" };
      const jobs = `${API}/2/pipelines/20000040/jobs`;
      expect((await scene.get(jobs, job)).status).toBe(200);
      await expectRefused(`${API}/2/pipelines`, job);
      expect((await scene.get(jobs, job)).status).toBe(200);
      expect(await scene.outcomes()).toEqual({});
    });

    test("ends 31 s after a token was revoked, a member removed, the pipelines disabled", async () => {
      const { scene } = running;
      const { gitlab } = scene.harness.demo;
      const path = `${API}/2/pipelines`;
      const changes: readonly (() => void)[] = [
        () => gitlab.revokeToken("glpat-reader"),
        () => {
          gitlab.restoreToken("glpat-reader");
          gitlab.setMember("reader", "demo/nested/secret", false);
        },
        () => {
          gitlab.setMember("reader", "demo/nested/secret", true);
          gitlab.setPipelinesAccess("demo/nested/secret", "disabled");
        },
      ];
      for (const [index, change] of changes.entries()) {
        if (index === 0) expect((await scene.get(path, READER)).status).toBe(200);
        change();
        await scene.advance(31_000);
        await expectRefused(path, READER);
      }
      gitlab.setPipelinesAccess("demo/nested/secret", "everyone");
      await scene.advance(31_000);
      expect((await scene.get(path, READER)).status).toBe(200);
    });

    test("is believed where the forge is down for as long as a grant lives, and no longer", async () => {
      const { scene } = running;
      const path = `${API}/2/pipelines`;
      expect((await scene.get(path, READER)).status).toBe(200);
      scene.harness.demo.gitlab.intercept = (_request, response) => {
        response.writeHead(503).end();
        return true;
      };
      for (const [ms, status, made] of [
        [15_000, 200, 2],
        [16_000, 502, 2],
      ] as const) {
        await scene.advance(ms);
        expect([ms, (await scene.get(path, READER)).status, await scene.outcomes()]).toEqual([
          ms,
          status,
          { made },
        ]);
      }
    });

    test("is asked once of each asker in half a minute, by the shortest list, and the list itself never", async () => {
      const { scene } = running;
      const path = `${API}/2/pipelines`;
      const urls = scene.listen();
      for (let passed = 0; passed < 60_000; passed += 3000) {
        for (const query of ["", "?ref=main", "?page=2"])
          for (const headers of [READER, DEVELOPER])
            expect((await scene.get(path + query, headers)).status).toBe(200);
        await scene.settle();
        await scene.advance(3000);
      }
      expect(new Set(urls)).toEqual(new Set([`${path}?per_page=1`]));
      expect(urls.length).toBeGreaterThanOrEqual(4);
      expect(urls.length).toBeLessThanOrEqual(6); // a grant is renewed at 20 to 25 s
    });
  });

  describe("how often a list is made of GitLab's database", () => {
    const path = `${API}/2/pipelines`;

    async function pollAll(): Promise<readonly (readonly number[])[]> {
      const { scene } = running;
      return await Promise.all(CROWD.map(async (headers) => idsOf(await scene.get(path, headers))));
    }

    async function made(): Promise<number> {
      const { made: count = 0, ...others } = await running.scene.outcomes();
      expect(others).toEqual({});
      return count;
    }

    /** A pipeline of the project in the tables, and the hook that tells of it. */
    async function addPipeline(id: number): Promise<void> {
      const { scene } = running;
      const { gitlab } = scene.harness.demo;
      gitlab.hooks = [
        { url: `${scene.harness.gitlab}/-/forgefront/hooks`, secret: scene.harness.webhookSecret },
      ];
      await scene.postgres.execute(
        DATABASE,
        `INSERT INTO p_ci_pipelines (partition_id, id, iid, project_id, sha, ref, status, source, user_id, created_at, updated_at)
         VALUES (103, ${id}, ${id - 20_000_000}, 2, repeat('d', 40), 'main', 'running', 1, 1, now(), now())`,
      );
      const row = await gitlab.addPipeline("demo/nested/secret", { status: "running" });
      for (const delivered of await gitlab.delivered())
        expect(delivered).toMatchObject({ kind: "answered", status: 200 });
      gitlab.pipelines.remove(row.id);
    }

    test("is once for many askers at once, and again when it has grown old", async () => {
      const { scene } = running;
      await pollAll();
      expect(await made()).toBe(1);
      await scene.advance(500);
      await pollAll();
      await scene.settle();
      expect(await made()).toBe(1); // three of five seconds are not over
      await scene.advance(2500);
      await pollAll();
      await expect.poll(made, { timeout: 5000 }).toBe(2); // one renews it behind the answers
      await scene.advance(5001);
      await pollAll();
      expect(await made()).toBe(3);
    });

    test("is anew at once when a hook has told of a change", async () => {
      const { scene } = running;
      expect(idsOf(await scene.get(path, READER))[0]).toBe(20_000_040);
      await addPipeline(20_000_041);
      for (const [first] of await pollAll()) expect(first).toBe(20_000_041);
      expect(await made()).toBe(2);
    });

    test("answers nobody with what was read before a hook told of a change", async () => {
      const { scene } = running;
      await scene.get(`${path}?per_page=1`, READER); // so that nobody is asked who may
      await scene.way.set({ kind: "held", afterBytes: GREETING_BYTES });
      const early = scene.get(path, READER);
      await sleep(100);
      await addPipeline(20_000_042);
      const late = [READER, DEVELOPER].map(async (headers) => await scene.get(path, headers));
      await sleep(100);
      await scene.way.set({ kind: "open" });
      expect((await early).status).toBe(200);
      for (const answer of await Promise.all(late)) expect(idsOf(answer)[0]).toBe(20_000_042);
      expect(idsOf(await scene.get(path, READER))[0]).toBe(20_000_042);
    });
  });
});
