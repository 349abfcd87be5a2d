import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startDaemons, untilHttpAnswers } from "../servers/daemons.ts";
import { quietPort } from "../servers/quiet-port.ts";

export type Varnish = { readonly url: string; close(): Promise<void> };

export type VarnishOptions = {
  /** Host and port of the origin. */
  readonly origin: string;
  /** VCL that makes of a client's request the question whether it may be answered; `askHead` or `ASK_RGW`. */
  readonly question: string;
  /** How long an answer is kept. */
  readonly freshS: number;
};

const START_MS = 15_000; // VCL is compiled with a C compiler
const MEMORY = "1g";

/** Asks a forge by the head of one address, with what the client shows of itself. */
export function askHead(path: string): string {
  return `
    set req.method = "HEAD";
    set req.url = "${path}";`;
}

/** Asks Ceph's RGW by the client's own signed request, which it then answers without a body. */
export const ASK_RGW = `
    set req.http.X-Rgw-Auth = "yes";`;

/**
 * A Varnish with an empty cache in memory before an origin. As it is commonly done, each request is sent to the origin twice over:
 * at first past the cache, as the question whether this client may read, and after a yes anew, to be looked up by its address
 * alone, whoever asks.
 */
export async function startVarnish(options: VarnishOptions): Promise<Varnish> {
  return await startDaemons({
    name: "Varnish",
    startMs: START_MS,
    start: async (daemons) => {
      const { directory, signal } = daemons;
      const port = await quietPort();
      const vcl = join(directory, "origin.vcl");
      await writeFile(vcl, configurationOf(options));
      const listens = ["-a", `127.0.0.1:${port}`, "-T", "none"];
      const keeps = ["-n", join(directory, "work"), "-s", `malloc,${MEMORY}`];
      await daemons.start("varnishd", ["-j", "none", "-F", "-f", vcl, ...listens, ...keeps]);
      const url = `http://127.0.0.1:${port}`;
      await untilHttpAnswers(`${url}${READY_PATH}`, signal);
      return { url };
    },
  });
}

const READY_PATH = "/ready";

function configurationOf({ origin, question, freshS }: VarnishOptions): string {
  const { hostname, port } = new URL(`http://${origin}`);
  return `
vcl 4.1;
import std;

backend origin {
  .host = "${hostname}";
  .port = "${port}";
}

sub vcl_recv {
  if (req.url == "${READY_PATH}") {
    return (synth(200));
  }
  if (req.method != "GET" && req.method != "HEAD") {
    return (pass);
  }
  if (req.restarts == 0) {${question}
    return (pass);
  }
  return (hash);
}

sub vcl_hash {
  hash_data(req.url);
  hash_data(req.http.Host);
  return (lookup);
}

sub vcl_deliver {
  if (req.restarts == 0 && (req.method == "GET" || req.method == "HEAD")) {
    if (resp.status == 200 || resp.status == 206) {
      std.rollback(req);
      return (restart);
    }
    return (deliver);
  }
  set resp.http.X-Cache-Hits = obj.hits;
}

sub vcl_backend_response {
  unset beresp.http.Set-Cookie;
  unset beresp.http.Vary;
  if (bereq.uncacheable || beresp.status != 200) {
    set beresp.uncacheable = true;
    set beresp.ttl = 0s;
  } else {
    set beresp.ttl = ${freshS}s;
  }
  return (deliver);
}
`;
}
