import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { S3User } from "../../scripts/servers/s3-user.ts";
import type { StoreAuth } from "../../src/core/site.ts";
import { describeWith } from "../servers/presence.ts";
import { ALICE, BOB, BUCKET, type Place } from "./place.ts";
import { pythonEnvironment, pythonLacks } from "./python.ts";

const LACKS = await pythonLacks();
/** Each command loads half of an SDK first. */
const PATIENCE = { timeout: 60_000 };
const PROGRAM = join(import.meta.dirname, "aws_cli.py");
/**
 * None of them empty: after an empty upload that is answered without a `100 Continue`, as is allowed, the AWS CLI 1.46.2 takes
 * the next answer on that connection for another one (`request()` of its own botocore keeps `response_class`).
 */
const SIZES = { "one.bin": 20_000_000, "sub/one": 1, "sub/two +ü.bin": 3_000_000 } as const;

/** The AWS CLI moves files to and fro, many requests at a time. */
export function movesFiles(place: () => Place, auth: StoreAuth): void {
  describeWith("the AWS CLI", LACKS)(`the AWS CLI, auth ${auth}`, () => {
    const remote = `s3://${BUCKET}/cli-${auth}`;
    let directory: string;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "forgefront-aws-"));
    });
    afterAll(() => rm(directory, { recursive: true }));

    const aws = async (as: S3User, ...args: readonly string[]) => {
      const env = {
        ...(await pythonEnvironment()),
        AWS_ACCESS_KEY_ID: as.accessKey,
        AWS_SECRET_ACCESS_KEY: as.secretKey,
        AWS_DEFAULT_REGION: "us-east-1",
        AWS_ENDPOINT_URL: `http://${place().host(auth)}`,
        AWS_MAX_ATTEMPTS: "1",
      };
      return (await promisify(execFile)("python3", [PROGRAM, ...args], { env, cwd: directory })).stdout;
    };

    test("keeps a directory in the store and gets it again", PATIENCE, async () => {
      const files = Object.entries(SIZES).map(([name, size]) => ({ name, bytes: randomBytes(size) }));
      await mkdir(join(directory, "up/sub"), { recursive: true });
      for (const { name, bytes } of files) await writeFile(join(directory, "up", name), bytes);
      await aws(ALICE, "s3", "sync", "--no-progress", "up", remote);
      const list = await aws(ALICE, "s3", "ls", "--recursive", `${remote}/`);
      expect(
        list
          .trim()
          .split("\n")
          .map((line) => line.slice(19).trim()),
      ).toEqual(files.map(({ name, bytes }) => `${bytes.length} cli-${auth}/${name}`));
      for (const to of ["down", "again"]) {
        await aws(ALICE, "s3", "sync", "--no-progress", remote, to);
        expect((await readdir(join(directory, to), { recursive: true })).toSorted()).toEqual([
          "one.bin",
          "sub",
          "sub/one",
          "sub/two +ü.bin",
        ]);
        for (const { name, bytes } of files)
          expect((await readFile(join(directory, to, name))).equals(bytes)).toBe(true);
      }
    });

    test("overwrites, removes, and is refused", PATIENCE, async () => {
      await writeFile(join(directory, "file"), "first");
      await aws(ALICE, "s3", "cp", "--quiet", "file", `${remote}/file`);
      expect(await aws(ALICE, "s3", "cp", `${remote}/file`, "-")).toBe("first");
      await writeFile(join(directory, "file"), "second");
      await aws(ALICE, "s3", "cp", "--quiet", "file", `${remote}/file`);
      expect(await aws(ALICE, "s3", "cp", `${remote}/file`, "-")).toBe("second");
      await expect(aws(BOB, "s3", "cp", `${remote}/file`, "-")).rejects.toThrow(/403|AccessDenied/);
      await aws(ALICE, "s3", "rm", "--quiet", `${remote}/file`);
      await expect(aws(ALICE, "s3", "cp", `${remote}/file`, "-")).rejects.toThrow(/404|NoSuchKey/);
    });
  });
}
