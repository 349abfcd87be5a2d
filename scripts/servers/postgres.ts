import { randomBytes } from "node:crypto";
import { chmod, mkdir, readdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { runTool } from "../measuring/command.ts";
import { type Daemons, startDaemons } from "./daemons.ts";
import { findProgram, isExecutable, programsLack } from "./programs.ts";
import { quietPort } from "./quiet-port.ts";

export type Login = { readonly role: string; readonly password: string };

export type Postgres = {
  readonly port: number;
  /** The role that may do everything. */
  readonly superuser: Login;
  /** The connection string of a role for a database. */
  url(database: string, login?: Login): string;
  /** Runs statements, separated by semicolons, one after the other as the superuser. */
  execute(database: string, statements: string): Promise<void>;
  createDatabase(name: string): Promise<void>;
  close(): Promise<void>;
};

export type PostgresOptions = {
  /** Settings beside those that make it small, quick and forgetful; by the names of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
};

const START_MS = 30_000;
const STOP_SECONDS = 5;
const SUPERUSER = "postgres";
/** Debian keeps each version's programs in a directory of its own, and only `psql` and the like on the search path. */
const DEBIAN_VERSIONS = "/usr/lib/postgresql";

const PROGRAMS = ["initdb", "postgres", "pg_ctl"];

/** Nothing of it has to outlive the process, so nothing waits for a disk. */
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "4GB",
  autovacuum: "off",
  shared_buffers: "256MB",
  maintenance_work_mem: "256MB",
  max_connections: "60",
  // Else what it shares lies in /dev/shm, and stays there when it is killed
  dynamic_shared_memory_type: "mmap",
  timezone: "UTC",
};

/** A sentence that says what is missing to run a PostgreSQL; `undefined` where nothing is. */
export async function postgresLacks(): Promise<string | undefined> {
  if ((await findPrograms()) === undefined)
    return `Not installed: postgres (neither on the search path nor in ${DEBIAN_VERSIONS})`;
  if (!isRoot()) return undefined;
  const tools = await programsLack(["setpriv", "chown"]);
  if (tools !== undefined) return tools;
  const known = await runTool("id", ["-u", SUPERUSER], limits()).catch(() => undefined);
  return known === undefined ? `There is no user ${SUPERUSER}: PostgreSQL refuses to run as root` : undefined;
}

/** A PostgreSQL of its own, over a temporary directory, on 127.0.0.1; roles show a password. */
export async function startPostgres({ settings = {} }: PostgresOptions = {}): Promise<Postgres> {
  const programs = await findPrograms();
  if (programs === undefined) throw new Error("There is no PostgreSQL to start");
  const superuser = { role: SUPERUSER, password: randomBytes(12).toString("hex") };
  const started = await startDaemons({
    name: "PostgreSQL",
    startMs: START_MS,
    start: async (daemons) => {
      const place = await initialize(programs, daemons, superuser);
      const port = await quietPort();
      const all = Object.entries({ ...SETTINGS, ...settings, port: String(port) });
      const flags = all.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
      await daemons.start(...asServer(join(programs, "postgres"), ["-D", place.data, ...flags]));
      const server = { port, superuser };
      await untilReady(server, daemons.signal);
      return { ...server, stop: async () => await stop(programs, place) };
    },
  });
  const { port } = started;
  const url = (database: string, login = superuser) => urlOf(port, database, login);
  const execute = async (database: string, statements: string) => {
    await run(url(database), statements);
  };
  return {
    port,
    superuser,
    url,
    execute,
    createDatabase: async (name) => await execute(SUPERUSER, `CREATE DATABASE ${identifier(name)}`),
    async close() {
      await started.stop();
      await started.close();
    },
  };
}

/** A name as PostgreSQL takes it in a statement (its manual, "Lexical Structure"). */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as PostgreSQL takes it in a statement. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The directory of `initdb`, `postgres` and `pg_ctl`; the newest version, where there are several. */
async function findPrograms(): Promise<string | undefined> {
  const installed = await findProgram("initdb");
  const versions = await readdir(DEBIAN_VERSIONS).catch(() => []);
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  const directories = newestFirst.map((version) => join(DEBIAN_VERSIONS, version, "bin"));
  // What is on the search path may be a link to where all of them are.
  if (installed !== undefined) directories.unshift(dirname(await realpath(installed)));
  for (const directory of directories) {
    const found = PROGRAMS.map(async (name) => await isExecutable(join(directory, name)));
    if ((await Promise.all(found)).every(Boolean)) return directory;
  }
  return undefined;
}

type Place = { readonly data: string };

async function initialize(programs: string, daemons: Daemons, { password }: Login): Promise<Place> {
  const { directory, signal } = daemons;
  const [data, secret] = [join(directory, "data"), join(directory, "password")];
  await mkdir(data);
  await writeFile(secret, password, { mode: 0o600 });
  if (isRoot()) {
    await chmod(directory, 0o711); // so that another user comes through
    await runTool("chown", [SUPERUSER, data, secret], limits(signal));
  }
  const flags = ["--auth-host=scram-sha-256", "--auth-local=reject", "--encoding=UTF8", "--locale=C"];
  const args = ["-D", data, `--username=${SUPERUSER}`, `--pwfile=${secret}`, "--no-sync", ...flags];
  await runTool(...asServer(join(programs, "initdb"), args), limits(signal));
  return { data };
}

/** PostgreSQL does not run as root; elsewhere it runs as whoever starts it. */
function asServer(program: string, args: readonly string[]): [program: string, args: readonly string[]] {
  if (!isRoot()) return [program, args];
  const user = [`--reuid=${SUPERUSER}`, `--regid=${SUPERUSER}`, "--init-groups"];
  return ["setpriv", [...user, "--", program, ...args]];
}

/** Asked to end in the usual way (SIGTERM), it would wait until the last client has gone. */
async function stop(programs: string, { data }: Place): Promise<void> {
  const args = ["stop", "-D", data, "-m", "fast", "-w", "-t", String(STOP_SECONDS)];
  await runTool(...asServer(join(programs, "pg_ctl"), args), limits()).catch(() => {}); // then it is killed
}

async function untilReady(server: Pick<Postgres, "port" | "superuser">, signal: AbortSignal): Promise<void> {
  const url = urlOf(server.port, SUPERUSER, server.superuser);
  for (;;) {
    signal.throwIfAborted();
    const answers = await run(url, "SELECT 1").then(
      () => true,
      () => false,
    );
    if (answers) return;
    await sleep(20);
  }
}

async function run(url: string, statements: string): Promise<void> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    await sql.unsafe(statements).simple();
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function urlOf(port: number, database: string, { role, password }: Login): string {
  // The library takes the database's name as it stands there, so names are plain words.
  return `postgres://${encodeURIComponent(role)}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

function limits(signal = AbortSignal.timeout(START_MS)) {
  return { signal, seconds: START_MS / 1000 };
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
