import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../src/core/config.ts";
import { ROOT } from "./bundle.ts";
import { baseHost } from "../src/core/site.ts";
import { startDemo, type Demo } from "./demo/demo.ts";
import { addSamples, DEMO_KEYS } from "./demo/s3-samples.ts";
import { startS3Store, type S3Key, type S3Store } from "./demo/s3.ts";
import { ConfigurationFaults, startLocalEdge } from "./local-edge.ts";
import { step } from "./step.ts";

const DEMO_GITLAB_PORT = 8787;
const DEMO_GITEA_PORT = 8788;
const DEMO_STORE_PORT = 8789;
/** What the demo's forges and the edge know, where the environment says nothing else. */
const LOCAL_WEBHOOK_SECRET = "local-webhook-secret";
const LOCAL_CONTROL_TOKEN = "local-control-token";
const SECRETS = ["KEY_SECRET", "CONTROL_TOKEN", "WEBHOOK_SECRET", "S3_KEYS", "PRELOAD_TOKENS"];
/** Where sites are listened on whose host has no port of its own. */
const COMMON_PORT = 8787;

type Started = { readonly lines: readonly string[]; close(): Promise<void> };

const devVars = join(ROOT, ".dev.vars");
if (existsSync(devVars)) process.loadEnvFile(devVars);
const settings: Readonly<Record<string, string>> = {
  KEY_SECRET: randomBytes(32).toString("hex"),
  ...fromEnvironment([...Object.keys(LIMITS), ...SECRETS, "PIPELINES_DB_HOST"]),
};

try {
  const sites = process.env["SITES"];
  const started = await (sites === undefined ? startWithDemo() : startWithSites(sites));
  let closing: Promise<void> | undefined;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.removeAllListeners(signal); // Miniflare would end the process before all is put away
    process.on(signal, () => {
      closing ??= started.close().then(() => process.exit(0));
    });
  }
  console.log(`ready\n${started.lines.join("\n")}`);
} catch (error) {
  console.error(error instanceof ConfigurationFaults ? error.message : error);
  process.exit(1);
}

async function startWithSites(sites: string): Promise<Started> {
  const hosts = hostsOf(sites);
  const ports = [...new Set(hosts.map((host) => Number(host.split(":")[1] ?? COMMON_PORT)))];
  const edge = await startLocalEdge({ vars: { ...settings, SITES: sites }, ports, step });
  return { lines: hosts.map((host) => `  http://${baseHost({ host })}/`), close: () => edge.close() };
}

/** Only for the ports to listen on: the configuration itself is judged with all the rest. */
function hostsOf(sites: string): string[] {
  try {
    const list: unknown = JSON.parse(sites);
    return Array.isArray(list) ? list.map((site: { host?: unknown }) => String(site.host)) : [];
  } catch {
    return []; // reported as a fault of SITES
  }
}

async function startWithDemo(): Promise<Started> {
  const authMs = Number(process.env["DEMO_AUTH_MS"] ?? 0);
  const demo = await step("Building the demo's repositories, jobs and pipelines", () =>
    startDemo({ authMs }),
  );
  const store = await step("Starting its object store", () => startS3Store({ authMs }));
  const close = async () => {
    await demo.close();
    await store.close();
  };
  try {
    addSamples(store);
    const s3 = `127.0.0.1:${DEMO_STORE_PORT}`;
    const gitlab = `127.0.0.1:${DEMO_GITLAB_PORT}`;
    const gitea = `127.0.0.1:${DEMO_GITEA_PORT}`;
    const sites = [
      { host: gitlab, kind: "gitlab", origin: demo.gitlab.url },
      { host: gitea, kind: "gitea", origin: demo.gitea.url },
      { host: s3, kind: "s3", origin: store.url, auth: "edge" },
    ];
    const keys = Object.fromEntries(Object.values(DEMO_KEYS).map(({ id, secret }) => [id, secret]));
    const vars = {
      CONTROL_TOKEN: LOCAL_CONTROL_TOKEN,
      WEBHOOK_SECRET: LOCAL_WEBHOOK_SECRET,
      ...settings,
      S3_KEYS: keys,
      SITES: sites,
    };
    const secret = vars.WEBHOOK_SECRET;
    demo.gitlab.hooks = [{ url: `http://${gitlab}/-/forgefront/hooks`, secret }];
    demo.gitea.hooks = [{ url: `http://${gitea}/-/forgefront/hooks`, secret }];
    const ports = [DEMO_GITLAB_PORT, DEMO_GITEA_PORT, DEMO_STORE_PORT];
    const edge = await startLocalEdge({ vars, ports, step });
    return {
      lines: [...demoLines(demo, gitlab, gitea), "", ...storeLines(store, s3)],
      async close() {
        await edge.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function storeLines(store: S3Store, s3: string): string[] {
  const signed = ({ id, secret }: S3Key) => `--aws-sigv4 aws:amz:us-east-1:s3 --user ${id}:${secret}`;
  return [
    `  http://${s3}/  an S3 store through the edge, which verifies signatures (origin ${store.url})`,
    "",
    "A private object, with a signature that may and one that may not read it:",
    `  curl -i ${signed(DEMO_KEYS.reader)} http://${s3}/demo/hello.txt`,
    `  curl -i ${signed(DEMO_KEYS.other)} http://${s3}/demo/hello.txt`,
    "A range of 50 MB, of which one block is fetched:",
    `  curl -s -D - -o part -r 1000000-1000099 ${signed(DEMO_KEYS.reader)} http://${s3}/demo/big.bin`,
    "A file in a zip archive, and what else is in it:",
    `  curl -i 'http://${s3}/public/builds/site.zip!/coverage/index.html'`,
    `  curl -s ${signed(DEMO_KEYS.reader)} "http://${s3}/demo/builds/site.zip?recursive=true&zip=list"`,
    "A write through the edge is visible at once:",
    `  curl -s -X PUT -d "written just now" -H "x-amz-content-sha256: UNSIGNED-PAYLOAD" ${signed(DEMO_KEYS.writer)} http://${s3}/demo/hello.txt`,
    `  curl -i ${signed(DEMO_KEYS.reader)} http://${s3}/demo/hello.txt`,
    "What anybody may read, and what the origin was asked:",
    `  curl -i http://${s3}/public/hello.txt`,
    `  curl -s ${store.url}/-/demo/counts`,
  ];
}

/** A secret as the lines show it: one of the user's own stays with the user, and the shell that knows it puts it in. */
function shownSecret(name: "CONTROL_TOKEN" | "WEBHOOK_SECRET", local: string): string {
  return settings[name] === undefined ? local : `$${name}`;
}

function demoLines(demo: Demo, gitlab: string, gitea: string): string[] {
  const controlToken = shownSecret("CONTROL_TOKEN", LOCAL_CONTROL_TOKEN);
  const webhookSecret = shownSecret("WEBHOOK_SECRET", LOCAL_WEBHOOK_SECRET);
  return [
    `  http://${gitlab}/  a GitLab-shaped forge through the edge (origin ${demo.gitlab.url})`,
    `  http://${gitea}/  the same repositories, Gitea-shaped (origin ${demo.gitea.url})`,
    "",
    "A public file, by branch; run it twice and compare Cache-Status:",
    `  curl -i http://${gitlab}/demo/hello/-/raw/main/README.md`,
    "A private file, with and without a token:",
    `  curl -i -H "PRIVATE-TOKEN: glpat-reader" http://${gitlab}/demo/nested/secret/-/raw/main/config/private.txt`,
    `  curl -i http://${gitlab}/demo/nested/secret/-/raw/main/config/private.txt`,
    "A range of a 50 MB file, from an origin that has no ranges:",
    `  curl -s -D - -o part -r 1000000-1000099 http://${gitlab}/demo/hello/-/raw/main/big/blob.bin`,
    "One file of a job's zip archive, and a directory of it unpacked while it is sent:",
    `  curl -i http://${gitlab}/api/v4/projects/1/jobs/1001/artifacts/coverage/index.html`,
    `  curl -s "http://${gitlab}/api/v4/projects/1/jobs/1001/artifacts?format=tar&path=coverage" | tar xv`,
    "The latest job's archive as a page for people, of a branch and in a browser:",
    `  curl -i -L "http://${gitlab}/demo/hello/-/jobs/artifacts/main/browse?job=build"`,
    "Pipelines, rendered once for everyone who polls them, by number or by path:",
    `  curl -i "http://${gitlab}/api/v4/projects/1/pipelines?per_page=5"`,
    `  curl -i "http://${gitlab}/api/v4/projects/demo%2Fhello/pipelines?page=1&per_page=5"`,
    "An event that makes them fresh (the demo's own pushes tell of themselves), and what a purge would forget:",
    `  curl -i -H "X-Gitlab-Token: ${webhookSecret}" -H "X-Gitlab-Event: Pipeline Hook" -d '{"object_kind":"pipeline","object_attributes":{"id":13},"project":{"id":1,"path_with_namespace":"demo/hello"}}' http://${gitlab}/-/forgefront/hooks`,
    `  curl -s -H "Authorization: Bearer ${controlToken}" -d '{"project":"demo/hello","dry_run":true}' http://${gitlab}/-/forgefront/purge`,
    "A look inside, for a browser (any user, the control token as password), and what it shows as JSON:",
    `  http://${gitlab}/-/forgefront/`,
    `  curl -s -H "Authorization: Bearer ${controlToken}" http://${gitlab}/-/forgefront/look`,
    "What the origin was asked, and what the edge counted:",
    `  curl -s ${demo.gitlab.url}/-/demo/counts`,
    `  curl -s -H "Authorization: Bearer ${controlToken}" http://${gitlab}/-/forgefront/metrics`,
    "All else passes through:",
    `  git clone http://${gitlab}/demo/hello.git`,
  ];
}

function fromEnvironment(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
