import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { startDemo, type Demo } from "../demo/demo.ts";
import { createPostgresPipelines } from "../demo/pipelines/postgres-source.ts";
import type { PipelineSource } from "../demo/pipelines/source.ts";
import { createGitlabTables, createPipelineIndexes, createReader } from "../servers/gitlab-schema.ts";
import { seedGitlab } from "../servers/gitlab-seed.ts";
import { pgbouncerLacks, startPgbouncer } from "../servers/pgbouncer.ts";
import { startPostgres, type Postgres } from "../servers/postgres.ts";

/** GitLab's own tables in a PostgreSQL, and the GitLab-shaped forge over them. */
export type PipelinesTable = {
  readonly demo: Demo;
  /** What the forge can read from: each row with its own statements, or a page with a few (as GitLab's own list is preloaded). */
  readonly sources: { readonly rowByRow: PipelineSource; readonly preloading: PipelineSource };
  /** The project whose pipelines fill the table. */
  readonly project: number;
  readonly version: string;
  /** The connection string of the role that only reads; of the pool before the database, where there is one. */
  readonly reader: string;
  readonly isPooled: boolean;
};

const DATABASE = "gitlab";
const PROJECT = { id: 1, path: "demo/hello" };
const OTHERS = [
  { id: 2, path: "demo/nested/secret", pipelines: 500 },
  { id: 3, path: "demo/other", pipelines: 50 },
] as const;
const USERS = ["developer", "reader", "other"];
const STATEMENT_MS = 10_000;

/** Fills the table and starts the forge, which reads from there row by row. */
export async function startPipelinesTable(
  scope: AsyncDisposableStack,
  pipelines: number,
): Promise<PipelinesTable> {
  const server = scope.adopt(await startPostgres(), (started) => started.close());
  const demo = scope.adopt(await startDemo({ bigFileBytes: 1024 }), (started) => started.close());
  const login = { role: "forgefront", password: randomBytes(12).toString("hex") };
  await server.createDatabase(DATABASE);
  await createGitlabTables(server, DATABASE);
  await seedGitlab(server, DATABASE, { projects: [{ ...PROJECT, pipelines }, ...OTHERS], users: USERS });
  await createPipelineIndexes(server, DATABASE);
  await createReader(server, DATABASE, { ...login, statementTimeoutMs: STATEMENT_MS });
  const reader = server.url(DATABASE, login);
  const isPooled = (await pgbouncerLacks()) === undefined;
  const rowByRow = createPostgresPipelines(server.url(DATABASE), { statements: "per row" });
  const preloading = createPostgresPipelines(server.url(DATABASE));
  for (const source of [rowByRow, preloading]) scope.defer(() => source.close());
  demo.gitlab.pipelineSource = rowByRow;
  return {
    demo,
    sources: { rowByRow, preloading },
    project: PROJECT.id,
    version: await readVersion(server),
    reader: isPooled ? scope.adopt(await startPgbouncer(reader), (started) => started.close()).url : reader,
    isPooled,
  };
}

async function readVersion(server: Postgres): Promise<string> {
  const sql = postgres(server.url("postgres"), { max: 1, fetch_types: false });
  try {
    const [row] = await sql<{ server_version: string }[]>`SHOW server_version`;
    return row?.server_version ?? "";
  } finally {
    await sql.end({ timeout: 1 });
  }
}
