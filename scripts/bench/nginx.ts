import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { quietPort } from "../servers/quiet-port.ts";
import { TOOL_ENVIRONMENT } from "./command.ts";

export type Nginx = { readonly url: string; close(): Promise<void> };

export type NginxOptions = {
  /** Host and port of the origin, which `http://origin` stands for in the locations. */
  readonly origin: string;
  /** The `location` blocks, whose cache is called `files`. */
  readonly locations: string;
};

const START_MS = 5000;

/** An nginx of one worker before an origin, with connections kept on both sides and an empty cache. */
export async function startNginx(options: NginxOptions): Promise<Nginx> {
  const directory = await mkdtemp(join(tmpdir(), "forgefront-nginx-"));
  const port = await quietPort();
  const configuration = join(directory, "nginx.conf");
  await writeFile(configuration, configurationOf({ ...options, directory, port }));
  const args = ["-p", directory, "-e", "stderr", "-c", configuration];
  const child = spawn("nginx", args, { env: TOOL_ENVIRONMENT, stdio: ["ignore", "ignore", "inherit"] });
  const url = `http://127.0.0.1:${port}`;
  const close = async () => {
    await end(child);
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await untilReady(child, `${url}/ready`);
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const failed = once(child, "exit").then(() => {
    throw new Error("nginx ended before it was ready");
  });
  failed.catch(() => {}); // an end after it was ready is no failure
  const deadline = Date.now() + START_MS;
  for (;;) {
    const ready = await Promise.race([
      failed,
      fetch(url).then(
        (response) => response.ok,
        () => false,
      ),
    ]);
    if (ready) return;
    if (Date.now() > deadline) throw new Error(`nginx was not ready within ${START_MS} ms`);
    await sleep(20);
  }
}

type Place = { readonly directory: string; readonly port: number };

function configurationOf({ origin, locations, directory, port }: NginxOptions & Place): string {
  // Only root may change users, and then the worker must be let into the temporary directory.
  const user = process.getuid?.() === 0 ? "user root;" : "";
  return `
daemon off;
${user}
worker_processes 1;
pid ${directory}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  client_body_temp_path ${directory}/client;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  proxy_cache_path ${directory}/cache levels=1:2 keys_zone=files:10m max_size=1g inactive=10m use_temp_path=off;
  upstream origin {
    server ${origin};
    keepalive 64;
    keepalive_requests 1000000000;
  }
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header Host $host;
  server {
    listen 127.0.0.1:${port};
    location = /ready { return 200; }
${locations}
  }
}
`;
}
