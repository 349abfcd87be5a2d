import { readFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { ROOT } from "../bundle.ts";
import { versionOf } from "./command.ts";
import { findK6 } from "../bench/k6.ts";

/** What was measured with and on, as name and version. */
export async function readVersions(signal: AbortSignal): Promise<[string, string][]> {
  const [wrangler, miniflare, workerd, fflate] = await Promise.all(
    ["wrangler", "miniflare", "workerd", "fflate"].map(packageVersion),
  );
  return [
    ["wrangler", wrangler ?? ""],
    ["miniflare", miniflare ?? ""],
    ["workerd", workerd ?? ""],
    ["fflate", fflate ?? ""],
    ["node", process.versions.node],
    ["wrk", (await versionOf("wrk", "-v", signal)) ?? "absent"],
    ["nginx", (await versionOf("nginx", "-v", signal)) ?? "absent"],
    ["varnish", (await versionOf("varnishd", "-V", signal)) ?? "absent"],
    ["ab", (await versionOf("ab", "-V", signal)) ?? "absent"],
    ["k6", (await k6Version(signal)) ?? "absent"],
    ["radosgw", (await versionOf("radosgw", "--version", signal)) ?? "absent"],
    ["curl", (await versionOf("curl", "--version", signal)) ?? "absent"],
    ["unzip", (await versionOf("unzip", "-v", signal)) ?? "absent"],
    ["tar", (await versionOf("tar", "--version", signal)) ?? "absent"],
    ["cores", String(availableParallelism())],
    ["load before", (loadavg()[0] ?? 0).toFixed(2)],
  ];
}

async function k6Version(signal: AbortSignal): Promise<string | undefined> {
  const k6 = await findK6(signal);
  return k6 && (await versionOf(k6, "version", signal));
}

async function packageVersion(name: string): Promise<string> {
  const text = await readFile(join(ROOT, "node_modules", name, "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
