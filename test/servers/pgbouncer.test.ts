import connect from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pgbouncerLacks, startPgbouncer } from "../../scripts/servers/pgbouncer.ts";
import { type Postgres, postgresLacks, startPostgres } from "../../scripts/servers/postgres.ts";
import { quietPort } from "../../scripts/servers/quiet-port.ts";
import { postgresRunner } from "../../src/origin/postgres.ts";
import { addressOf } from "./postgres-place.ts";
import { describeWith } from "./presence.ts";

const LOGIN = { role: "reader", password: "reader's: pass/word" };
const AT_ONCE = 12;
const CONNECTIONS = 3;

const lacks = (await postgresLacks()) ?? (await pgbouncerLacks());

describeWith("PgBouncer", lacks)("startPgbouncer()", () => {
  const running: { postgres?: Postgres } = {};
  beforeAll(async () => {
    running.postgres = await startPostgres();
    await running.postgres.execute(
      "postgres",
      `CREATE ROLE reader LOGIN PASSWORD 'reader''s: pass/word'; ALTER ROLE reader SET statement_timeout = 1234`,
    );
  });
  afterAll(async () => await running.postgres?.close());

  test("lends a few connections to many who connect, as the role that they are of", async () => {
    const { postgres } = running;
    if (postgres === undefined) throw new Error("There is no PostgreSQL yet");
    const pool = await startPgbouncer(postgres.url("postgres", LOGIN), { connections: CONNECTIONS });
    try {
      const run = postgresRunner(() => addressOf(pool.url), 5000);
      const text =
        "SELECT current_user::text AS name, pg_backend_pid() AS pid, current_setting('statement_timeout') AS timeout, pg_sleep(0.02)::text";
      const ends: Promise<unknown>[] = [];
      const rows = await Promise.all(
        Array.from(
          { length: AT_ONCE },
          async () => await run({ text, values: [] }, (work) => void ends.push(work)),
        ),
      );
      await Promise.all(ends);
      const said = rows.flat() as { readonly name: string; readonly pid: number; readonly timeout: string }[];
      expect(said).toHaveLength(AT_ONCE);
      for (const row of said) expect(row).toMatchObject({ name: "reader", timeout: "1234ms" });
      expect(new Set(said.map(({ pid }) => pid)).size).toBeLessThanOrEqual(CONNECTIONS);
    } finally {
      await pool.close();
    }
    const sql = connect(pool.url, { max: 1, connect_timeout: 1 });
    await expect(sql`SELECT 1`).rejects.toThrow("ECONNREFUSED");
    await sql.end();
  });

  test("says why it could not start", async () => {
    const unnamable = `postgres://a:b@127.0.0.1:${await quietPort()}/two words`;
    await expect(startPgbouncer(unnamable)).rejects.toThrow(
      /^PgBouncer did not start: .*pgbouncer said last:/s,
    );
  });
});
