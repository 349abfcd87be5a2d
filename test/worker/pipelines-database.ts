import { env } from "cloudflare:workers";
import { pipelinesDatabase } from "../../src/origin/pipelines-db.ts";
import { postgresRunner } from "../../src/origin/postgres.ts";
import type { PipelinesTarget } from "../../src/core/target.ts";

/** What a test asks of the database from inside workerd. */
export type DatabaseQuestion = { readonly target: PipelinesTarget; readonly address: string };

const { PIPELINES_DB, TIMEOUT_MS } = env as unknown as {
  readonly PIPELINES_DB: Hyperdrive;
  readonly TIMEOUT_MS: number;
};

const database = pipelinesDatabase({
  run: postgresRunner(() => PIPELINES_DB, TIMEOUT_MS),
  restMs: 0,
  now: () => Date.now(),
});

export default {
  async fetch(request, _env, context) {
    const { target, address } = await request.json<DatabaseQuestion>();
    const answer = await database.list(target, address, (work) => context.waitUntil(work));
    return Response.json(answer.kind === "answer" ? answer : { kind: "none", reason: answer.reason });
  },
} satisfies ExportedHandler<Env>;
