import { access, constants } from "node:fs/promises";
import { startBenchEdge, type BenchEdge } from "./bench-edge.ts";

export type PipelinesEdgeOptions = {
  readonly origin: string;
  readonly vars?: Readonly<Record<string, unknown>>;
  /** The connection string of GitLab's own database. */
  readonly database?: string;
};

/** Where Linux keeps files in memory. */
const IN_MEMORY = "/dev/shm";

/**
 * An edge whose stores are files in memory, where there is a place for such: Miniflare waits for the disk with each thing
 * that it stores, as no cache does, and many small ones would show nothing but that.
 */
export async function startPipelinesEdge(
  scope: AsyncDisposableStack,
  { origin, vars = {}, database }: PipelinesEdgeOptions,
): Promise<BenchEdge> {
  const isWritable = await access(IN_MEMORY, constants.W_OK).then(
    () => true,
    () => false,
  );
  const environment = {
    ...(isWritable && { TMPDIR: IN_MEMORY }),
    ...(database !== undefined && { PIPELINES_DB: database }),
  };
  const edge = await withEnvironment(environment, async () => await startBenchEdge(origin, vars));
  return scope.adopt(edge, (started) => started.close());
}

/** Does something while the environment says something else. */
async function withEnvironment<T>(
  values: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, values);
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
