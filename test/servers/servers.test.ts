import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cephRgwLacks, startCephRgw } from "../../scripts/servers/ceph-rgw.ts";
import { startDaemons } from "../../scripts/servers/daemons.ts";
import type { S3User } from "../../scripts/servers/s3-user.ts";
import { startVersitygw, versitygwLacks } from "../../scripts/servers/versitygw.ts";
import { describeWith } from "./presence.ts";

const ALICE: S3User = { name: "alice", accessKey: "ALICEACCESSKEY", secretKey: "alice-secret-key" };
const BOB: S3User = { name: "bob", accessKey: "BOBACCESSKEY", secretKey: "bob-secret-key" };

type Answer = { readonly status: number; readonly body: string };

async function curl(user: S3User, url: string, ...more: readonly string[]): Promise<Answer> {
  const signature = ["--aws-sigv4", "aws:amz:us-east-1:s3", "--user", `${user.accessKey}:${user.secretKey}`];
  const payload = ["--header", "x-amz-content-sha256: UNSIGNED-PAYLOAD"];
  const args = ["--silent", "--show-error", "--write-out", "\n%{http_code}", ...signature, ...payload];
  const { stdout } = await promisify(execFile)("curl", [...args, ...more, url]);
  const end = stdout.lastIndexOf("\n");
  return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) };
}

async function keepsAnObject(url: string): Promise<void> {
  expect((await curl(BOB, `${url}/shelf`, "--request", "PUT")).status).toBe(200);
  expect((await curl(BOB, `${url}/shelf/book`, "--request", "PUT", "--data-raw", "words")).status).toBe(200);
  expect(await curl(BOB, `${url}/shelf/book`)).toEqual({ status: 200, body: "words" });
  const forger = { ...BOB, secretKey: "another-key" };
  expect((await curl(forger, `${url}/shelf/book`)).status).toBe(403);
}

/** Servers make their directories in one of our own, where we see what they leave behind. */
let temporary: string;
const ambient = process.env["TMPDIR"];
beforeAll(async () => {
  temporary = await mkdtemp(join(tmpdir(), "forgefront-test-"));
  process.env["TMPDIR"] = temporary;
});
afterAll(async () => {
  if (ambient === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = ambient;
  await rm(temporary, { recursive: true, force: true });
});

/** A daemon that says its process id, and does not heed SIGTERM. */
const STUBBORN =
  "process.on('SIGTERM', () => {}); console.log('pid', process.pid); setInterval(() => {}, 1000)";

function failingStart(second: readonly string[], lastly: Promise<void>): Promise<object> {
  return startDaemons({
    name: "A pair",
    startMs: 10_000,
    start: async (daemons) => {
      await daemons.start(process.execPath, ["-e", STUBBORN]);
      await sleep(500); // until it has said something
      await daemons.start(second[0] ?? "", second.slice(1));
      await lastly;
      return {};
    },
  });
}

async function failureOf(start: Promise<object>): Promise<string> {
  return await start.then(
    () => "none",
    (error: unknown) => (error as Error).message,
  );
}

describe("startDaemons()", () => {
  const cases = [
    ["a daemon that ends", [process.execPath, "-e", "console.error('no luck'); process.exit(3)"], "no luck"],
    ["a program that is not there", ["forgefront-no-such-program"], "ENOENT"],
  ] as const;
  test.each(cases)("ends everything after %s, and says why", async (_, second, reason) => {
    const message = await failureOf(failingStart(second, sleep(1000)));
    expect(message).toMatch(/^A pair did not start: /);
    expect(message).toContain(reason);
    const pid = Number(/pid (\d+)/.exec(message)?.[1]);
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    expect(await readdir(temporary)).toEqual([]);
  });
});

describeWith("Ceph RGW", await cephRgwLacks())("startCephRgw()", () => {
  test("starts a gateway that keeps objects, counts requests and leaves nothing behind", async () => {
    const rgw = await startCephRgw({ users: [ALICE, BOB] });
    try {
      await keepsAnObject(rgw.url);
      expect((await curl(ALICE, `${rgw.url}/shelf/book`)).status).toBe(403);
      expect(await rgw.operations()).toMatchObject({ put: 1, put_b: 5, get: 1 });
    } finally {
      await rgw.close();
    }
    await expect(fetch(rgw.url)).rejects.toThrow();
    expect(await readdir(temporary)).toEqual([]);
  });

  test("finds buckets in the names of its hosts", async () => {
    const names = { dnsName: "s3.example", hostNames: ["objects.example", "files.example"] };
    const rgw = await startCephRgw({ users: [BOB], ...names });
    try {
      await keepsAnObject(rgw.url);
      for (const name of ["s3.example", "objects.example", "files.example"]) {
        const host = `shelf.${name}:${rgw.port}`;
        const answer = await curl(
          BOB,
          `http://${host}/book`,
          "--connect-to",
          `${host}:127.0.0.1:${rgw.port}`,
        );
        expect(answer).toEqual({ status: 200, body: "words" });
      }
    } finally {
      await rgw.close();
    }
  });

  test("starts two at a time", async () => {
    const starts = await Promise.allSettled([startCephRgw({ users: [BOB] }), startCephRgw({ users: [BOB] })]);
    const gateways = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
    try {
      expect(starts.map((start) => start.status)).toEqual(["fulfilled", "fulfilled"]);
      await Promise.all(gateways.map(async ({ url }) => await keepsAnObject(url)));
    } finally {
      await Promise.all(gateways.map(async (gateway) => await gateway.close()));
    }
  });

  test("says why it could not start, and leaves nothing behind", async () => {
    const users = [BOB, { ...ALICE, name: "" }]; // a user without a name is refused each time
    await expect(startCephRgw({ users })).rejects.toThrow(/^Ceph RGW did not start: .*radosgw said last:/s);
    expect(await readdir(temporary)).toEqual([]);
  });
});

describeWith("versitygw", await versitygwLacks())("startVersitygw()", () => {
  test("starts a gateway that keeps objects and leaves nothing behind", async () => {
    const gateway = await startVersitygw({ users: [ALICE, BOB] });
    try {
      await keepsAnObject(gateway.url);
      expect(await curl(ALICE, `${gateway.url}/shelf/book`)).toEqual({ status: 200, body: "words" });
    } finally {
      await gateway.close();
    }
    await expect(fetch(gateway.url)).rejects.toThrow();
    expect(await readdir(temporary)).toEqual([]);
  });

  test("says why it could not start, and leaves nothing behind", async () => {
    const users = [ALICE, BOB, BOB] as const;
    await expect(startVersitygw({ users })).rejects.toThrow(
      /^versitygw did not start: .*versitygw said last:/s,
    );
    expect(await readdir(temporary)).toEqual([]);
  });
});
