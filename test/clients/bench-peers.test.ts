import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findK6 } from "../../scripts/bench/k6.ts";
import type { PeerRow } from "../../scripts/bench/peers.ts";
import { cephRgwLacks } from "../../scripts/servers/ceph-rgw.ts";
import { programsLack } from "../../scripts/servers/programs.ts";
import { describeWith } from "../servers/presence.ts";

const ROOT = join(import.meta.dirname, "../..");
const BENCH = join(ROOT, "scripts/bench.ts");
/** What each row has to have, in the order of the columns. */
const PEERS_OF_ALL = new Set(["edge", "origin", "nginx", "varnish"]);
const MOST_MS = 240_000;
const PROGRAMS = ["bash", "curl", "git", "nginx", "python3", "tar", "unzip", "varnishd", "wrk"];

async function lacks(): Promise<string | undefined> {
  const k6 = (await findK6(AbortSignal.timeout(10_000))) === undefined ? "Not installed: k6" : undefined;
  return (await programsLack(PROGRAMS)) ?? (await cephRgwLacks()) ?? k6;
}

type Run = {
  readonly child: ChildProcess;
  readonly said: () => string;
  readonly ended: Promise<{ readonly code: unknown; readonly said: string }>;
};

describeWith("all peers of the bench", await lacks())("npm run bench", () => {
  /** Everything that is started has its files in `temporary`, which tells what is left of it. */
  let directory: string;
  let temporary: string;
  let running: ChildProcess | undefined;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "forgefront-test-"));
    temporary = join(directory, "temporary");
    await mkdir(temporary);
  });
  afterEach(async () => {
    running?.kill("SIGKILL"); // it has ended, if all is well
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  });

  function bench(...args: readonly string[]): Run {
    const env = { ...process.env, TMPDIR: temporary };
    const child = spawn(process.execPath, [BENCH, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    running = child;
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => void (said += text));
    const ended = once(child, "close").then(([code]) => ({ code: code as unknown, said }));
    return { child, said: () => said, ended };
  }

  async function expectNothingLeft(): Promise<void> {
    expect(await readdir(temporary)).toEqual([]);
    expect(await processesIn(temporary)).toEqual([]);
  }

  test(
    "--quick measures every peer in every lane and writes it where it is told to",
    async () => {
      const docs = await modifiedAt();
      const [out, json] = [join(directory, "out"), join(directory, "rounds.json")];
      const { ended } = bench("--quick", "--out", out, "--json", json);
      expect(await ended).toMatchObject({ code: 0 });
      const { rows, lacks: wanting } = JSON.parse(await readFile(json, "utf8")) as {
        readonly rows: readonly PeerRow[];
        readonly lacks: readonly string[];
      };
      expect(wanting).toEqual([]);
      expect(new Set(rows.map(({ lane }) => lane))).toEqual(
        new Set(["raw", "objects", "artifacts", "pipelines"]),
      );
      for (const { what, rounds } of rows) {
        const measured = Object.keys(rounds).filter((peer) => PEERS_OF_ALL.has(peer));
        expect({ what, measured }).toEqual({ what, measured: [...PEERS_OF_ALL] });
        for (const values of Object.values(rounds)) expect(Math.min(...values)).toBeGreaterThan(0);
      }
      const page = await readFile(join(out, "bench.md"), "utf8");
      expect(page.match(/^\| (raw|objects|artifacts|pipelines) /gm)).toHaveLength(rows.length);
      expect(page).not.toContain("not here");
      const plot = await readFile(join(out, "bench.svg"), "utf8");
      expect(plot.match(/<rect class="edge"/g)).toHaveLength(rows.length);
      expect(await modifiedAt()).toEqual(docs);
      await expectNothingLeft();
    },
    MOST_MS,
  );

  test(
    "ends all that it started when it is interrupted",
    async () => {
      const { child, said, ended } = bench("--quick");
      await until(() => said().includes("  edge, "), MOST_MS / 4);
      expect((await processesIn(temporary)).length).toBeGreaterThan(1);
      child.kill("SIGINT");
      expect(await ended).toEqual({ code: 1, said: expect.stringContaining("Interrupted by SIGINT") });
      await expectNothingLeft();
    },
    MOST_MS,
  );
});

/** When the page and the plot of the repository were written; nothing where there are none. */
async function modifiedAt(): Promise<readonly (number | undefined)[]> {
  const files = ["bench.md", "bench.svg"].map((name) => join(ROOT, "docs", name));
  return await Promise.all(
    files.map(async (file) =>
      stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => undefined,
      ),
    ),
  );
}

/** What runs that has a directory in its arguments or its environment; of itself this test has it in neither. */
async function processesIn(directory: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const read = async (pid: string, file: string) =>
    await readFile(`/proc/${pid}/${file}`, "utf8").catch(() => ""); // it ended meanwhile
  const all = await Promise.all(
    pids.map(async (pid) => [await read(pid, "cmdline"), await read(pid, "environ")] as const),
  );
  return all.filter((texts) => texts.some((text) => text.includes(directory))).map(([line]) => line);
}

async function until(isSo: () => boolean, mostMs: number): Promise<void> {
  for (const end = Date.now() + mostMs; !isSo();) {
    if (Date.now() > end) throw new Error(`It was not so in ${mostMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
