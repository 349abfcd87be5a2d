import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../scripts/bundle.ts";
import { startDemo, type Demo } from "../../scripts/demo/demo.ts";
import { quietPort } from "../../scripts/servers/quiet-port.ts";

const START_MS = 60_000;
const TAKEN_MS = 15_000;
const DEMO_PORTS = [8787, 8788, 8789];

type Started = {
  readonly child: ChildProcess;
  /** All it has printed so far, on both channels. */
  readonly output: () => string;
  readonly exit: Promise<number | null>;
};

let demo: Demo;
let directory = "";
let running: Started | undefined;

beforeAll(async () => {
  demo = await startDemo({ bigFileBytes: 10_000 });
  directory = await mkdtemp(join(tmpdir(), "forgefront-start-"));
});
afterEach(async () => {
  running?.child.kill("SIGKILL");
  await running?.exit;
  running = undefined;
});
afterAll(async () => {
  await demo.close();
  await rm(directory, { recursive: true, force: true });
});

function start(settings: Record<string, string>): Started {
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, TMPDIR, ...settings };
  const child = spawn(process.execPath, ["scripts/start.ts"], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (data: Buffer) => (output += data.toString()));
  const exit = once(child, "close").then(([code]) => code as number | null);
  running = { child, output: () => output, exit };
  return running;
}

async function ready({ output, exit }: Started): Promise<void> {
  let hasEnded = false;
  void exit.then(() => (hasEnded = true));
  while (!/^ready$/m.test(output())) {
    if (hasEnded) throw new Error(`The start ended: ${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe("scripts/start.ts with sites of its own", () => {
  it.each([["SIGTERM"], ["SIGINT", "SIGINT"]] as const)(
    "does serve each site on its port, and stop cleanly on %s",
    async (...signals) => {
      const [gitlabPort, giteaPort] = [await quietPort(), await quietPort()];
      const sites = [
        { host: `127.0.0.1:${gitlabPort}`, kind: "gitlab", origin: demo.gitlab.url },
        { host: `127.0.0.1:${giteaPort}`, kind: "gitea", origin: demo.gitea.url },
      ];
      const started = start({ SITES: JSON.stringify(sites), CONTROL_TOKEN: "token-of-the-start-tests" });
      await ready(started);
      for (const { host } of sites) expect(started.output()).toContain(`http://${host}/`);
      expect(started.output()).not.toContain("token-of-the-start-tests");

      const gitlab = await fetch(`http://127.0.0.1:${gitlabPort}/demo/hello/-/raw/main/README.md`);
      const gitea = await fetch(`http://127.0.0.1:${giteaPort}/demo/hello/raw/branch/main/README.md`);
      expect([gitlab.status, gitea.status]).toEqual([200, 200]);
      expect(await gitlab.text()).toBe(await gitea.text());
      const metrics = await fetch(`http://127.0.0.1:${gitlabPort}/-/forgefront/metrics`, {
        headers: { Authorization: "Bearer token-of-the-start-tests" },
      });
      expect(metrics.status).toBe(200);

      for (const signal of signals) started.child.kill(signal);
      expect(await started.exit).toBe(0);
      expect([await isOpen(gitlabPort), await isOpen(giteaPort)]).toEqual([false, false]);
      expect(started.output()).not.toMatch(/error|exception/i);
    },
    START_MS,
  );
});

describe("scripts/start.ts with a faulty configuration", () => {
  it(
    "does name every fault at once, and exit with an error",
    async () => {
      const sites = [
        { host: "Upper.example", kind: "gitlab", origin: "http://127.0.0.1:1" },
        { host: "a.example", kind: "github", origin: "http://127.0.0.1:1" },
        { host: "b.example", kind: "gitea", origin: "ftp://127.0.0.1/path" },
      ];
      const started = start({
        SITES: JSON.stringify(sites),
        KEY_SECRET: "short",
        CONTROL_TOKEN: "short-too",
        GRANT_S: "31",
        BLOCK_BYTES: "1e6",
        REF_S: "-1",
      });
      expect(await started.exit).toBeGreaterThan(0);
      const output = started.output();
      for (const name of [
        "SITES[0].host",
        "SITES[1].kind",
        "SITES[2].origin",
        "KEY_SECRET",
        "CONTROL_TOKEN",
        "GRANT_S",
        "BLOCK_BYTES",
        "REF_S",
      ]) {
        expect(output).toContain(name);
      }
      expect(output).not.toMatch(/^ready$/m);
      expect(output).not.toMatch(/^\s+at .*\.ts:\d+/m);
      expect(output).not.toContain("short-too");
    },
    START_MS,
  );

  it.each(["not json", "[]"])(
    "SITES=%s is a fault of SITES, not a crash",
    async (sites) => {
      const started = start({ SITES: sites });
      expect(await started.exit).toBeGreaterThan(0);
      expect(started.output()).toContain("SITES");
      expect(started.output()).not.toMatch(/^\s+at .*\.ts:\d+/m);
    },
    START_MS,
  );

  it(
    "a port that is taken is said, and the exit code tells",
    async () => {
      const port = Number(new URL(demo.gitlab.url).port);
      const site = { host: `127.0.0.1:${port}`, kind: "gitlab", origin: demo.gitlab.url };
      const started = start({ SITES: JSON.stringify([site]) });
      expect(await started.exit).toBeGreaterThan(0);
      expect(started.output()).not.toMatch(/^ready$/m);
      expect(started.output()).toContain(String(port));
    },
    TAKEN_MS,
  );
});

describe("scripts/start.ts with the demo", () => {
  it(
    "does print commands that work as printed",
    async ({ skip }) => {
      if ((await Promise.all(DEMO_PORTS.map(isOpen))).some(Boolean)) {
        console.log(`Skipped: one of the ports ${DEMO_PORTS.join(", ")} is taken`);
        skip();
      }
      const started = start({});
      await ready(started);
      const commands = started
        .output()
        .split("\n")
        .flatMap((line) => /^\s+((?:curl|git clone) .*)$/.exec(line)?.[1] ?? []);
      const run = async (command: string) =>
        (await promisify(execFile)("bash", ["-c", command], { cwd: directory, encoding: "latin1" })).stdout;
      const outputs: string[] = [];
      for (const command of commands) outputs.push(await run(command));
      const programs = commands.map((command) => command.split(" ")[0]).join(" ");
      expect(programs).toBe(`${"curl ".repeat(14)}git${" curl".repeat(9)}`);

      const [open = "", secret = "", refused = "", range = ""] = outputs;
      const [entry = "", unpacked = "", browsed = ""] = outputs.slice(4);
      const [byNumber = "", byPath = "", event = "", purge = "", look = "", counts = "", metrics = ""] =
        outputs.slice(7);
      expect(open).toMatch(/^HTTP\/1\.1 200 OK[^]*forgefront-body; fwd=miss[^]*# Hello/i);
      expect(await run(commands[0] ?? "")).toMatch(/forgefront-grant; hit[^]*forgefront-body; hit/i);
      expect(secret).toMatch(/^HTTP\/1\.1 200 OK[^]*TOP-SECRET of secret/);
      expect(refused).toMatch(/^HTTP\/1\.1 401 Unauthorized/);
      expect(refused).not.toContain("TOP-SECRET");
      expect(range).toMatch(/^HTTP\/1\.1 206 Partial Content/);
      expect(range).toMatch(/^content-range: bytes 1000000-1000099\/52428800\r$/im);
      expect(await run("wc -c < part")).toMatch(/^\s*100\s*$/);
      expect(entry).toMatch(/^HTTP\/1\.1 200 OK[^]*content-type: text\/html[^]*<!doctype html>/i);
      expect(unpacked.split("\n")).toContain("coverage/index.html");
      expect(browsed).toMatch(/^HTTP\/1\.1 302 Found[^]*HTTP\/1\.1 200 OK[^]*<table/);
      expect(byNumber).toMatch(/^HTTP\/1\.1 200 OK[^]*forgefront-revision; fwd=miss[^]*"project_id":1,/i);
      expect(byPath).toMatch(/^HTTP\/1\.1 200 OK[^]*projects\/demo%2Fhello\/pipelines\?[^]*"project_id":1,/i);
      expect(event).toMatch(/^HTTP\/1\.1 200 OK[^]*\{"changes":1\}$/);
      expect(JSON.parse(purge)).toMatchObject({ dry_run: true, purged: { project: "demo/hello" } });
      expect(JSON.parse(look)).toMatchObject({ isolates: 1, settings: { sites: { length: 3 } } });
      const page = started.output().match(/^ +(http:\/\/\S+\/-\/forgefront\/)$/m)?.[1] ?? "";
      const challenged = await fetch(page);
      expect([challenged.status, challenged.headers.get("www-authenticate")]).toEqual([
        401,
        'Basic realm="forgefront", Bearer realm="forgefront"',
      ]);
      expect(started.output()).toMatch(
        /^Building the demo's repositories, jobs and pipelines \.\.\. \d+\.\d s$/m,
      );
      expect(JSON.parse(counts)).toMatchObject({
        denied: expect.any(Number) as number,
        "web:raw": expect.any(Number) as number,
      });
      expect(metrics).toMatch(/^forgefront_requests_total\{/m);
      expect(await run("cd hello && git rev-parse HEAD")).toMatch(/^[0-9a-f]{40}\n$/);

      const [object = "", denied = "", part = "", inner = "", listed = ""] = outputs.slice(15);
      const [written = "", again = "", anybody = "", asked = ""] = outputs.slice(20);
      expect(inner).toMatch(/^HTTP\/1\.1 200 OK[^]*<!doctype html>/);
      expect(JSON.parse(listed)).toContainEqual(
        expect.objectContaining({ path: "coverage/index.html", type: "file" }),
      );
      expect(object).toMatch(/^HTTP\/1\.1 200 OK[^]*Hello from a private bucket/);
      expect(denied).toMatch(/^HTTP\/1\.1 403 Forbidden[^]*<Code>AccessDenied<\/Code>/);
      expect(denied).not.toContain("Hello");
      expect(part).toMatch(/^content-range: bytes 1000000-1000099\/52428800\r$/im);
      expect(written).toBe("");
      expect(again).toMatch(/^HTTP\/1\.1 200 OK[^]*written just now$/);
      expect(anybody).toMatch(/^HTTP\/1\.1 200 OK[^]*Hello, everybody/);
      expect(JSON.parse(asked)).toMatchObject({
        put: 1,
        denied: expect.any(Number) as number,
        "get-range": expect.any(Number) as number,
      });

      started.child.kill("SIGINT");
      expect(await started.exit).toBe(0);
      expect(await Promise.all(DEMO_PORTS.map(isOpen))).toEqual([false, false, false]);
    },
    START_MS,
  );
});
