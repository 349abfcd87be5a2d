import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runTool } from "../measuring/command.ts";
import { askAdminSocket } from "./ceph-admin-socket.ts";
import { cephConfiguration, type CephFacts } from "./ceph-configuration.ts";
import { type Daemons, startDaemons, untilHttpAnswers } from "./daemons.ts";
import { programsLack } from "./programs.ts";
import { quietPort } from "./quiet-port.ts";
import type { S3User } from "./s3-user.ts";

export type CephRgwOptions = {
  readonly users: readonly S3User[];
  /** How much the OSD says it can hold; it takes memory only for what is stored. */
  readonly memoryBytes?: number;
  /** The domain whose subdomains are buckets. */
  readonly dnsName?: string;
  /** More such domains. */
  readonly hostNames?: readonly string[];
};

export type CephRgw = {
  readonly url: string;
  readonly port: number;
  readonly users: readonly S3User[];
  /** How many requests of each kind there were since the start (`req`, `get`, `put`), and their bytes (`put_b`, and `get_b`, which is one short for each GET). */
  operations(): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
};

const START_MS = 30_000;
const GIBIBYTE = 1024 ** 3;
const PROGRAMS = ["ceph-mon", "ceph-osd", "monmaptool", "osdmaptool", "radosgw", "radosgw-admin"];

/** A sentence that says what is missing to run a Ceph RGW; `undefined` where nothing is. */
export async function cephRgwLacks(): Promise<string | undefined> {
  return await programsLack(PROGRAMS);
}

/** A Ceph object gateway on a cluster of one monitor and one OSD in memory, all of it on 127.0.0.1. */
export async function startCephRgw(options: CephRgwOptions): Promise<CephRgw> {
  return await startDaemons({
    name: "Ceph RGW",
    startMs: START_MS,
    start: async (daemons) => {
      const facts = await decideFacts(daemons.directory, options);
      await startAll({ daemons, configuration: join(daemons.directory, "ceph.conf") }, facts, options);
      return {
        url: `http://127.0.0.1:${facts.rgwPort}`,
        port: facts.rgwPort,
        users: options.users,
        operations: async () => await countOperations(facts.directory),
      };
    },
  });
}

async function decideFacts(directory: string, options: CephRgwOptions): Promise<CephFacts> {
  return {
    directory,
    fsid: randomUUID(),
    monPort: await quietPort(),
    rgwPort: await quietPort(),
    memoryBytes: options.memoryBytes ?? GIBIBYTE,
    dnsName: options.dnsName,
  };
}

type Cluster = {
  readonly daemons: Daemons;
  /** The path of ceph.conf. */
  readonly configuration: string;
};

async function startAll(
  cluster: Cluster,
  facts: CephFacts,
  { users, hostNames = [] }: CephRgwOptions,
): Promise<void> {
  const { daemons, configuration } = cluster;
  await writeFile(configuration, cephConfiguration(facts));
  await makeCluster(cluster, facts);
  await daemons.start("ceph-mon", ["-f", "-i", "a", "-c", configuration]);
  await daemons.start("ceph-osd", ["-f", "-i", "0", "-c", configuration]);
  if (hostNames.length > 0) await nameHosts(cluster, hostNames);
  await daemons.start("radosgw", ["-f", "-n", "client.rgw", "-c", configuration]);
  await untilHttpAnswers(`http://127.0.0.1:${facts.rgwPort}/`, daemons.signal);
  await Promise.all(users.map(async (user) => await createUser(cluster, user)));
}

/** The monitor's first maps and the OSD's empty store. */
async function makeCluster(cluster: Cluster, { fsid, monPort }: CephFacts): Promise<void> {
  const { directory } = cluster.daemons;
  const [mons, osds] = [join(directory, "monmap"), join(directory, "osdmap")];
  const address = `[v1:127.0.0.1:${monPort}]`;
  await Promise.all([mkdir(join(directory, "mon")), mkdir(join(directory, "osd"))]);
  await Promise.all([
    run(cluster, "monmaptool", ["--create", "--addv", "a", address, "--fsid", fsid, mons]),
    // The OSD's place is in the map from the start: commands to a new monitor may come too early for it.
    run(cluster, "osdmaptool", ["--createsimple", "1", osds]),
    run(cluster, "ceph-osd", ["-i", "0", "--mkfs", "--osd-uuid", randomUUID(), "--no-mon-config"]),
  ]);
  await run(cluster, "ceph-mon", ["-i", "a", "--mkfs", "--monmap", mons, "--osdmap", osds]);
}

async function nameHosts(cluster: Cluster, hostnames: readonly string[]): Promise<void> {
  const zonegroup = ["--rgw-zonegroup=default"];
  await run(cluster, "radosgw-admin", ["user", "list"]); // the zone group is not there before something needs it
  const { stdout } = await run(cluster, "radosgw-admin", ["zonegroup", "get", ...zonegroup]);
  const file = join(cluster.daemons.directory, "zonegroup.json");
  await writeFile(file, JSON.stringify({ ...(JSON.parse(stdout) as object), hostnames }));
  await run(cluster, "radosgw-admin", ["zonegroup", "set", ...zonegroup, `--infile=${file}`]);
}

async function createUser(cluster: Cluster, { name, accessKey, secretKey }: S3User): Promise<void> {
  const user = [`--uid=${name}`, `--display-name=${name}`];
  const key = [`--access-key=${accessKey}`, `--secret-key=${secretKey}`];
  await run(cluster, "radosgw-admin", ["user", "create", ...user, ...key]);
}

async function run({ configuration, daemons }: Cluster, tool: string, args: readonly string[]) {
  return await runTool(tool, [...args, "-c", configuration], {
    signal: daemons.signal,
    seconds: START_MS / 1000,
  });
}

async function countOperations(directory: string): Promise<Readonly<Record<string, number>>> {
  const counters = (await askAdminSocket(join(directory, "client.rgw.asok"), "perf dump")) as {
    readonly rgw: Readonly<Record<string, unknown>>;
  };
  const numbers = Object.entries(counters.rgw).filter(([, value]) => typeof value === "number");
  return Object.fromEntries(numbers) as Record<string, number>;
}
