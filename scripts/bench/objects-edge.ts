import { quietPort } from "../servers/quiet-port.ts";
import { startSites } from "./bench-edge.ts";
import { READER } from "./objects-origin.ts";

/** An edge with empty caches in front of one object store, under one or more host names that share nothing. */
export type ObjectEdge = {
  readonly urls: readonly [string, ...string[]];
  readonly pid: number;
  close(): Promise<void>;
};

export type ObjectEdgeOptions = {
  readonly origin: string;
  readonly hosts?: number;
  readonly vars?: Readonly<Record<string, number>>;
  /** Secrets by access key id. */
  readonly keys?: Readonly<Record<string, string>>;
};

const READER_KEYS = { [READER.accessKey]: READER.secretKey };

/** The edge verifies signatures itself. */
export async function startObjectEdge({
  origin,
  hosts = 1,
  vars = {},
  keys = READER_KEYS,
}: ObjectEdgeOptions): Promise<ObjectEdge> {
  const ports: number[] = [];
  while (ports.length < hosts) ports.push(await quietPort());
  const sites = ports.map((port) => ({ host: `127.0.0.1:${port}`, kind: "s3", origin, auth: "edge" }));
  const started = await startSites({ sites, ports, vars: { ...vars, S3_KEYS: keys } });
  const [first = "", ...others] = sites.map(({ host }) => `http://${host}`);
  return { urls: [first, ...others], ...started };
}
