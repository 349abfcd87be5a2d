import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { bundle } from "./bundle.ts";
import { startWorker } from "./local-edge.ts";
import { quietPort } from "./servers/quiet-port.ts";

/**
 * What the Worker may weigh, gzipped. Cloudflare takes 3 MB on the free plan and 10 MB on the paid one;
 * the smaller it is, the sooner an isolate has started.
 */
const CEILING_KIB = 260;
/** What its start may cost; Cloudflare refuses a Worker that takes longer than a second. */
const STARTUP_CEILING_MS = 400;
const ROUNDS = 3;
const EMPTY_WORKER = "export default { fetch: () => new Response() };";

const bundled = await bundle();
try {
  const script = await readFile(bundled.script, "utf8");
  const kib = gzipSync(script).byteLength / 1024;
  const startup = await startupMs(script);
  console.log(`The Worker weighs ${kib.toFixed(1)} KiB gzipped, of ${CEILING_KIB} KiB at most`);
  console.log(
    `It takes ${startup.toFixed(0)} ms longer to start than an empty one, of ${STARTUP_CEILING_MS} ms at most`,
  );
  if (kib > CEILING_KIB || startup > STARTUP_CEILING_MS) process.exitCode = 1;
} finally {
  await bundled.remove();
}

/** How much longer workerd takes to its first answer with this Worker than with an empty one, in milliseconds. */
async function startupMs(script: string): Promise<number> {
  const differences: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const empty = await firstAnswerMs(EMPTY_WORKER);
    differences.push((await firstAnswerMs(script)) - empty);
  }
  return differences.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
}

async function firstAnswerMs(contents: string): Promise<number> {
  const port = await quietPort();
  const host = `127.0.0.1:${port}`;
  const bindings = {
    KEY_SECRET: "a secret for one start",
    SITES: [{ host, kind: "gitlab", origin: "http://127.0.0.1:9" }],
  };
  const started = performance.now();
  const miniflare = await startWorker({ contents, bindings, ports: [port] });
  try {
    const response = await fetch(`http://${host}/-/forgefront/health`);
    if (!response.ok) throw new Error(`The Worker answered ${response.status}`);
    await response.arrayBuffer();
    return performance.now() - started;
  } finally {
    await miniflare.dispose();
  }
}
