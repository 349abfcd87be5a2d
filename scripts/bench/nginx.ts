import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startDaemons, untilHttpAnswers } from "../servers/daemons.ts";
import { quietPort } from "../servers/quiet-port.ts";

export type Nginx = { readonly url: string; close(): Promise<void> };

export type NginxOptions = {
  /** Host and port of the origin, which `http://origin` stands for in the locations. */
  readonly origin: string;
  /** The `location` blocks, whose cache is called `files`. */
  readonly locations: string;
};

const START_MS = 5000;
const PID_FILE = "nginx.pid";
const READY_PATH = "/ready";

/** An nginx of one worker before an origin, with connections kept on both sides and an empty cache. */
export async function startNginx(options: NginxOptions): Promise<Nginx> {
  let pidFile: string | undefined;
  const killAll = () => pidFile !== undefined && killWithWorkers(pidFile);
  // Before that of the daemons: nobody would know the workers of a master that is gone
  process.once("exit", killAll);
  const nginx = await startDaemons({
    name: "nginx",
    startMs: START_MS,
    start: async (daemons) => {
      const { directory, signal } = daemons;
      const port = await quietPort();
      const configuration = join(directory, "nginx.conf");
      await writeFile(configuration, configurationOf({ ...options, directory, port }));
      pidFile = join(directory, PID_FILE);
      await daemons.start("nginx", ["-p", directory, "-e", "stderr", "-c", configuration]);
      const url = `http://127.0.0.1:${port}`;
      await untilHttpAnswers(url + READY_PATH, signal);
      return { url };
    },
  }).catch((error: unknown) => {
    process.removeListener("exit", killAll);
    throw error;
  });
  const close = async () => {
    await nginx.close();
    process.removeListener("exit", killAll);
  };
  return { url: nginx.url, close };
}

/** Ends an nginx at once, whose workers would outlive their master. */
function killWithWorkers(pidFile: string): void {
  try {
    const master = readFileSync(pidFile, "utf8").trim();
    const workers = readFileSync(`/proc/${master}/task/${master}/children`, "utf8").match(/\d+/g) ?? [];
    for (const pid of [master, ...workers]) process.kill(Number(pid), "SIGKILL");
  } catch {
    // It has ended, or never began
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
pid ${directory}/${PID_FILE};
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
    location = ${READY_PATH} { return 200; }
${locations}
  }
}
`;
}
