import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { bundle } from "./bundle.ts";

/**
 * What the Worker may weigh, gzipped. Cloudflare takes 3 MB on the free plan and 10 MB on the paid one;
 * the smaller it is, the sooner an isolate has started.
 */
const CEILING_KIB = 160;

const bundled = await bundle();
try {
  const script = await readFile(bundled.script);
  const kib = gzipSync(script).byteLength / 1024;
  console.log(`The Worker weighs ${kib.toFixed(1)} KiB gzipped, of ${CEILING_KIB} KiB at most`);
  if (kib > CEILING_KIB) process.exitCode = 1;
} finally {
  await bundled.remove();
}
