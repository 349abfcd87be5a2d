/** What a Ceph of one monitor, one OSD in memory and one gateway has to be told. */
export type CephFacts = {
  readonly directory: string;
  /** The cluster's id. */
  readonly fsid: string;
  readonly monPort: number;
  readonly rgwPort: number;
  readonly memoryBytes: number;
  readonly dnsName: string | undefined;
};

const QUIET =
  "asok auth client context crush finisher mgrc mon monc ms none objclass objecter osd paxos rados rgw rocksdb timer tp";

/** The text of ceph.conf. */
export function cephConfiguration(facts: CephFacts): string {
  const { directory, fsid, monPort, rgwPort, memoryBytes, dnsName } = facts;
  return `
[global]
fsid = ${fsid}
mon_initial_members = a
mon_host = [v1:127.0.0.1:${monPort}]
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
ms_bind_ipv6 = false
ms_bind_msgr2 = false
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
run_dir = ${directory}
admin_socket = ${directory}/$name.asok
crash_dir = ${directory}
pid_file =
log_file =
log_to_stderr = true
${QUIET.split(" ")
  .map((subsystem) => `debug_${subsystem} = 0/0`)
  .join("\n")}

# A decision of the monitor takes a second where it waits for more of them to come.
paxos_propose_interval = 0.02
paxos_min_wait = 0.01
mon_data = ${directory}/mon
mon_cluster_log_file =
mon_allow_pool_size_one = true
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0

osd_data = ${directory}/osd
osd_objectstore = memstore
memstore_device_bytes = ${memoryBytes}
# The map has its place; an OSD that asks for one before it knows the cluster ends with "wrong fsid".
osd_crush_update_on_start = false
osd_class_update_on_start = false

# Without tcp_nodelay each answer on a kept connection waits 40 ms.
rgw_frontends = beast endpoint=127.0.0.1:${rgwPort} tcp_nodelay=1
# Its threads for lifecycle rules hold up the end by five seconds.
rgw_enable_lc_threads = false
rgw_enable_quota_threads = false
rgw_dynamic_resharding = false
# A topic's address may hold a password only where the request for it came over TLS, or says that it came so to a proxy.
rgw_trust_forwarded_https = true
${dnsName === undefined ? "" : `rgw_dns_name = ${dnsName}`}
`;
}
