import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { type Daemons, startDaemons } from "./daemons.ts";
import { programsLack } from "./programs.ts";
import { quietPort } from "./quiet-port.ts";

/** Keeps connections to a database and lends them for a transaction each, as Hyperdrive does; to connect to it costs next to nothing. */
export type Pgbouncer = {
  /** What to connect to in place of the database; whoever does is let in as the role that the pool is of. */
  readonly url: string;
  close(): Promise<void>;
};

export type PgbouncerOptions = {
  /** How many connections to the database it keeps; a client for whom there is none waits. */
  readonly connections?: number;
};

const START_MS = 10_000;
const CONNECTIONS = 10;
const CLIENTS = 500;
/** It refuses to run as root. Whoever has PostgreSQL to pool has this user, too. */
const USER = "postgres";

/** A sentence that says what is missing to run a PgBouncer; `undefined` where nothing is. */
export async function pgbouncerLacks(): Promise<string | undefined> {
  return await programsLack(["pgbouncer"]);
}

/** A PgBouncer on 127.0.0.1 before the database that a connection string names; it shows that string's password, and asks its own clients for none. */
export async function startPgbouncer(
  database: string,
  { connections = CONNECTIONS }: PgbouncerOptions = {},
): Promise<Pgbouncer> {
  return await startDaemons({
    name: "PgBouncer",
    startMs: START_MS,
    async start(daemons) {
      const port = await quietPort();
      await startPool(daemons, configuration(new URL(database), port, connections));
      const url = `postgres://anybody:anything@127.0.0.1:${port}${new URL(database).pathname}`;
      await untilReady(url, daemons.signal);
      return { url };
    },
  });
}

/** The settings are those of pgbouncer.ini; of `auth_type = any` its manual says that the name of a client's user counts for nothing. */
function configuration(of: URL, own: number, size: number): string {
  const { hostname, port, pathname, username, password } = of;
  const database = decodeURIComponent(pathname.slice(1));
  const target = { host: hostname, port, dbname: database, user: username, password };
  const pairs = Object.entries(target).map(([name, value]) => `${name}=${quoted(decodeURIComponent(value))}`);
  return [
    "[databases]",
    `${database} = ${pairs.join(" ")}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${own}`,
    "unix_socket_dir =",
    "auth_type = any",
    "pool_mode = transaction",
    `default_pool_size = ${size}`,
    `max_client_conn = ${CLIENTS}`,
    "log_connections = 0",
    "log_disconnections = 0",
    "",
  ].join("\n");
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

async function startPool(daemons: Daemons, settings: string): Promise<void> {
  const file = join(daemons.directory, "pgbouncer.ini"); // read before it becomes another user
  await writeFile(file, settings, { mode: 0o600 });
  await daemons.start("pgbouncer", [...(process.getuid?.() === 0 ? ["-u", USER] : []), file]);
}

/** When it answers, a connection to the database is there, too. */
async function untilReady(url: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const sql = postgres(url, { max: 1, fetch_types: false, prepare: false });
    const answers = await sql`SELECT 1`.then(
      () => true,
      () => false,
    );
    await sql.end({ timeout: 1 });
    if (answers) return;
    await sleep(20);
  }
}
