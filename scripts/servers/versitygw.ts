import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { runTool } from "../measuring/command.ts";
import { type Daemons, startDaemons, untilHttpAnswers } from "./daemons.ts";
import { findProgram, isExecutable } from "./programs.ts";
import { quietPort } from "./quiet-port.ts";
import type { S3User } from "./s3-user.ts";

export type VersitygwOptions = {
  /** The first of them is the root user, who may do everything; the others own what they create. */
  readonly users: readonly [root: S3User, ...others: S3User[]];
  /** The domain whose subdomains are buckets. */
  readonly dnsName?: string;
};

export type Versitygw = {
  readonly url: string;
  readonly port: number;
  readonly users: readonly S3User[];
  close(): Promise<void>;
};

const START_MS = 20_000;

/** A sentence that says what is missing to run a versitygw; `undefined` where nothing is. */
export async function versitygwLacks(): Promise<string | undefined> {
  if ((await findVersitygw()) !== undefined) return undefined;
  return "Not installed: versitygw (neither $VERSITYGW, nor on the search path, nor in the bin directory of GOPATH)";
}

/** A versitygw, the strictest reader of signatures there is, over a temporary directory, on 127.0.0.1. */
export async function startVersitygw(options: VersitygwOptions): Promise<Versitygw> {
  const program = await findVersitygw();
  if (program === undefined) throw new Error("There is no versitygw to start");
  return await startDaemons({
    name: "versitygw",
    startMs: START_MS,
    start: async (daemons) => {
      const port = await quietPort();
      const gateway = { program, url: `http://127.0.0.1:${port}`, root: options.users[0], daemons };
      await startGateway(gateway, options.dnsName);
      await untilHttpAnswers(gateway.url, daemons.signal);
      // One after the other: they are written to one file.
      for (const user of options.users.slice(1)) await createUser(gateway, user);
      return { url: gateway.url, port, users: options.users };
    },
  });
}

async function findVersitygw(): Promise<string | undefined> {
  const named = process.env["VERSITYGW"];
  if (named !== undefined) return (await isExecutable(named)) ? named : undefined;
  const installed = await findProgram("versitygw");
  if (installed !== undefined) return installed;
  const built = join(await goPath(), "bin", "versitygw");
  return (await isExecutable(built)) ? built : undefined;
}

async function goPath(): Promise<string> {
  const signal = AbortSignal.timeout(START_MS);
  return await runTool("go", ["env", "GOPATH"], { signal, seconds: START_MS / 1000 }).then(
    ({ stdout }) => stdout.trim(),
    () => join(homedir(), "go"), // what Go takes where it is not told
  );
}

type Gateway = {
  /** The path of the binary. */
  readonly program: string;
  readonly url: string;
  readonly root: S3User;
  readonly daemons: Daemons;
};

async function startGateway(gateway: Gateway, dnsName: string | undefined): Promise<void> {
  const { program, url, root, daemons } = gateway;
  const accounts = await newDirectory(daemons.directory, "accounts");
  const objects = await newDirectory(daemons.directory, "objects");
  const listen = ["--port", new URL(url).host, "--quiet", "--keep-alive"];
  const domain = dnsName === undefined ? [] : ["--virtual-domain", dnsName];
  // Metadata in extended attributes: beside the files, that of an overwritten object would stay (1.8.0).
  await daemons.start(program, [...listen, ...domain, "--iam-dir", accounts, "posix", objects], {
    ROOT_ACCESS_KEY_ID: root.accessKey,
    ROOT_SECRET_ACCESS_KEY: root.secretKey,
  });
}

async function newDirectory(parent: string, name: string): Promise<string> {
  const path = join(parent, name);
  await mkdir(path);
  return path;
}

async function createUser({ program, url, root, daemons }: Gateway, user: S3User): Promise<void> {
  const asRoot = ["--access", root.accessKey, "--secret", root.secretKey, "--endpoint-url", url];
  const account = ["--access", user.accessKey, "--secret", user.secretKey, "--role", "userplus"];
  const limits = { signal: daemons.signal, seconds: START_MS / 1000 };
  await runTool(program, ["admin", ...asRoot, "create-user", ...account], limits);
}
