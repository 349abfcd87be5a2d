import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import type { Miniflare } from "miniflare";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundle } from "../../scripts/bundle.ts";
import { startWorker } from "../../scripts/local-edge.ts";
import { postgresLacks, startPostgres } from "../../scripts/servers/postgres.ts";
import { quietPort } from "../../scripts/servers/quiet-port.ts";
import type { PipelinesAnswer } from "../../src/origin/pipelines-db.ts";
import {
  ADDRESS,
  countClients,
  fromForge,
  listOf,
  lockProjects,
  type Place,
  said,
  silentServer,
  usePlace,
} from "./postgres-place.ts";
import { describeWith } from "./presence.ts";

const TIMEOUT_MS = 1500;
const AT_ONCE = 40;

describeWith("PostgreSQL", await postgresLacks())("PostgreSQL from inside workerd", () => {
  const running = usePlace();
  const worker: { contents?: string } = {};
  beforeAll(async () => {
    const bundled = await bundle("test/worker/pipelines-database.ts");
    worker.contents = await readFile(bundled.script, "utf8");
    await bundled.remove();
  });

  async function withWorker<T>(
    url: string,
    work: (ask: (search: string) => Promise<PipelinesAnswer>) => Promise<T>,
  ): Promise<T> {
    const port = await quietPort();
    const { contents = "" } = worker;
    const hyperdrives = { PIPELINES_DB: url };
    const miniflare: Miniflare = await startWorker({
      contents,
      bindings: { TIMEOUT_MS },
      ports: [port],
      hyperdrives,
    });
    try {
      return await work(async (search) => {
        const body = JSON.stringify({ target: listOf("1", search), address: ADDRESS });
        const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body });
        return (await response.json()) as PipelinesAnswer;
      });
    } finally {
      await miniflare.dispose();
    }
  }

  async function expectNobodyLeft(place: Place): Promise<void> {
    const deadline = Date.now() + 5000;
    while ((await countClients(place)) > 0 && Date.now() < deadline) await sleep(20);
    expect(await countClients(place)).toBe(0);
  }

  test("is the same, for many at once, and leaves no connection behind", async () => {
    const { place } = running;
    await withWorker(place.reader, async (ask) => {
      const searches = ["", "per_page=100", "ref=main", "order_by=status&sort=asc", "source=schedule&page=2"];
      for (const search of searches)
        expect(said(await ask(search))).toEqual(await fromForge(place, listOf("1", search)));
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, async () => await ask("")));
      expect(new Set(answers.map((answer) => answer.kind))).toEqual(new Set(["answer"]));
      await expectNobodyLeft(place);
    });
  });

  test("is none, with a reason, where the database is slow or gone or refuses", async () => {
    const { place } = running;
    const reason = async (url: string) =>
      await withWorker(url, async (ask) => {
        const answer = await ask("");
        return answer.kind === "answer" ? "answer" : answer.reason;
      });
    const gone = new URL(place.reader);
    gone.port = String(await quietPort());
    expect(await reason(gone.href)).toBe("unreachable");
    const refused = new URL(place.reader);
    refused.password = "wrong";
    expect(await reason(refused.href)).toBe("error");
    await using silent = await silentServer();
    expect(await reason(`postgres://a:b@127.0.0.1:${silent.port}/x`)).toBe("timeout");
    {
      await using _lock = await lockProjects(place);
      expect(await reason(place.reader)).toBe("timeout");
    }
    await expectNobodyLeft(place);
  });
});

describeWith("PostgreSQL", await postgresLacks())("startPostgres()", () => {
  let temporary: string;
  const ambient = process.env["TMPDIR"];
  beforeAll(async () => {
    temporary = await mkdtemp(join(tmpdir(), "forgefront-test-"));
    await chmod(temporary, 0o711); // where it runs as another user, that one has to come through
    process.env["TMPDIR"] = temporary;
  });
  afterAll(async () => {
    if (ambient === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = ambient;
    await rm(temporary, { recursive: true, force: true });
  });

  test("starts a server that keeps rows and leaves nothing behind", async () => {
    const postgres = await startPostgres({ settings: { work_mem: "8MB" } });
    try {
      await postgres.createDatabase("shelf");
      await postgres.execute("shelf", "CREATE TABLE books (title text); INSERT INTO books VALUES ('words')");
      await expect(postgres.execute("shelf", "SELECT * FROM authors")).rejects.toThrow(/authors/);
      await expect(postgres.createDatabase("shelf")).rejects.toThrow(/already exists/);
    } finally {
      await postgres.close();
    }
    expect(await readdir(temporary)).toEqual([]);
  });

  test("says why it could not start, and leaves nothing behind", async () => {
    await expect(startPostgres({ settings: { work_mem: "a lot" } })).rejects.toThrow(
      /^PostgreSQL did not start: .*said last:/s,
    );
    expect(await readdir(temporary)).toEqual([]);
  });
});
