import { type AddressInfo, createServer, type Socket } from "node:net";
import connect from "postgres";
import { afterAll, beforeAll } from "vitest";
import { type Demo, startDemo } from "../../scripts/demo/demo.ts";
import {
  createPostgresPipelines,
  type PostgresPipelines,
} from "../../scripts/demo/pipelines/postgres-source.ts";
import {
  createGitlabTables,
  createPipelineIndexes,
  createReader,
} from "../../scripts/servers/gitlab-schema.ts";
import { seedGitlab } from "../../scripts/servers/gitlab-seed.ts";
import { type Postgres, startPostgres } from "../../scripts/servers/postgres.ts";
import { canonicalQuery } from "../../src/core/pipelines/list-query.ts";
import { pipelinesPath } from "../../src/core/pipelines/origin-path.ts";
import type { PipelinesTarget } from "../../src/core/target.ts";
import { pipelinesDatabase, type PipelinesAnswer } from "../../src/origin/pipelines-db.ts";
import { type DatabaseAddress, postgresRunner } from "../../src/origin/postgres.ts";

export const ADDRESS = "https://git.example.com";
export const DATABASE = "gitlab";
export const READER = { role: "forgefront", password: "reader's: pass/word" };
/** How many pipelines `demo/hello` has. */
export const PIPELINES = 1200;
export const MERGE_REQUEST_BRANCH = "feature/merged";

export type Place = {
  readonly postgres: Postgres;
  readonly demo: Demo;
  readonly source: PostgresPipelines;
  /** The connection string of the role that only reads. */
  readonly reader: string;
};

/** GitLab's tables in a PostgreSQL, and the GitLab-shaped forge that reads its pipelines from them row by row. */
export function usePlace(): { readonly place: Place } {
  const running: { place?: Place } = {};
  beforeAll(async () => {
    running.place = await openPlace();
  });
  afterAll(async () => {
    const { place } = running;
    await place?.source.close();
    await place?.demo.close();
    await place?.postgres.close();
  });
  return {
    get place() {
      if (running.place === undefined) throw new Error("There is no place yet");
      return running.place;
    },
  };
}

async function openPlace(): Promise<Place> {
  const [postgres, demo] = await Promise.all([startGitlabDatabase(), startDemo({ bigFileBytes: 1 })]);
  const source = createPostgresPipelines(postgres.url(DATABASE));
  demo.gitlab.pipelineSource = source;
  demo.gitlab.externalUrl = ADDRESS;
  return { postgres, demo, source, reader: postgres.url(DATABASE, READER) };
}

/** A PostgreSQL with GitLab's tables, and in them the demo's projects. */
export async function startGitlabDatabase(): Promise<Postgres> {
  const postgres = await startPostgres();
  await postgres.createDatabase(DATABASE);
  await createGitlabTables(postgres, DATABASE);
  await seedGitlab(postgres, DATABASE, {
    projects: [
      { id: 1, path: "demo/hello", pipelines: PIPELINES },
      { id: 2, path: "demo/nested/secret", pipelines: 40 },
      { id: 3, path: "demo/other", pipelines: 0 },
    ],
    users: ["developer", "Reader", "o'ther"],
    mergeRequestBranch: MERGE_REQUEST_BRANCH,
  });
  await createPipelineIndexes(postgres, DATABASE);
  await createReader(postgres, DATABASE, { ...READER, statementTimeoutMs: 1000 });
  return postgres;
}

export function listOf(project: string, search: string): PipelinesTarget {
  const query = canonicalQuery("gitlab", "list", search);
  if (query === undefined) throw new Error(`Not a query of a list: ${search}`);
  return { lane: "pipelines", project, resource: { kind: "list" }, query, scheme: "https:" };
}

/** Header fields that say which page of what it is, and those every answer has. */
const SAID = [
  ..."content-type x-content-type-options x-frame-options link".split(" "),
  ..."x-page x-per-page x-next-page x-prev-page x-total x-total-pages".split(" "),
];

export type Said = {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** What the forge's API says, for which it reads row by row; each project is asked for by one who may read it. */
export async function fromForge({ demo }: Place, target: PipelinesTarget): Promise<Said> {
  const url = `${demo.gitlab.url}${pipelinesPath("gitlab", target)}`;
  const token = target.project === "3" ? "glpat-other" : "glpat-developer";
  const response = await fetch(url, { headers: { "PRIVATE-TOKEN": token } });
  const body = await response.text();
  if (!response.ok) throw new Error(`The forge answered ${response.status}: ${body}`);
  const headers = SAID.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { body, headers: Object.fromEntries(headers) };
}

/** The parts of a connection string. */
export function addressOf(url: string): DatabaseAddress {
  const { hostname: host, port, username, password, pathname } = new URL(url);
  const [user, secret, database] = [username, password, pathname.slice(1)].map(decodeURIComponent);
  return { host, port: Number(port), user: user ?? "", password: secret ?? "", database: database ?? "" };
}

/** What PostgreSQL says by itself. */
export async function fromDatabase(
  { reader }: Place,
  target: PipelinesTarget,
  timeoutMs = 5000,
): Promise<PipelinesAnswer> {
  const run = postgresRunner(() => addressOf(reader), timeoutMs);
  const database = pipelinesDatabase({ run, restMs: 0, now: () => 0 });
  const ends: Promise<unknown>[] = [];
  try {
    return await database.list(target, ADDRESS, (work) => void ends.push(work));
  } finally {
    await Promise.all(ends);
  }
}

/** Keeps everybody from the table of projects until it is disposed of. */
export async function lockProjects({ postgres: server }: Pick<Place, "postgres">): Promise<AsyncDisposable> {
  const sql = connect(server.url(DATABASE), { max: 1, fetch_types: false });
  const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const work = sql.begin(async (transaction) => {
    await transaction`LOCK TABLE projects IN ACCESS EXCLUSIVE MODE`;
    locked.resolve();
    await held.promise;
  });
  await Promise.race([locked.promise, work]);
  return {
    async [Symbol.asyncDispose]() {
      held.resolve();
      await work;
      await sql.end();
    },
  };
}

/** How many clients are connected as the role that only reads. */
export async function countClients({ postgres: server }: Pick<Place, "postgres">): Promise<number> {
  const sql = connect(server.url("postgres"), { max: 1, fetch_types: false });
  try {
    const [row] = await sql<{ clients: number }[]>`
      SELECT count(*)::integer AS clients FROM pg_stat_activity WHERE usename = ${READER.role}`;
    return row?.clients ?? 0;
  } finally {
    await sql.end();
  }
}

export function said(answer: PipelinesAnswer): Said {
  if (answer.kind !== "answer") throw new Error(`No answer: ${answer.reason}`, { cause: answer.failure });
  return { body: answer.body, headers: Object.fromEntries(answer.headers) };
}

/** A server that takes connections and says nothing. */
export async function silentServer(): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
