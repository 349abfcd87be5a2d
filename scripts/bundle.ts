import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, URL } from "node:url";
import { promisify } from "node:util";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

export type Bundle = {
  /** The one module wrangler would upload. */
  readonly script: string;
  /** What wrangler said of its size. */
  readonly report: string;
  remove(): Promise<void>;
};

/** Bundles a Worker exactly as `wrangler deploy` would, without uploading it. */
export async function bundle(entry = "workers/edge.ts"): Promise<Bundle> {
  const outdir = await mkdtemp(join(tmpdir(), "forgefront-bundle-"));
  const wrangler = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
  const run = promisify(execFile)(
    process.execPath,
    [wrangler, "deploy", entry, "--dry-run", "--outdir", outdir],
    {
      cwd: ROOT,
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" },
    },
  );
  const { stdout } = await run;
  return {
    script: join(outdir, basename(entry).replace(/\.ts$/, ".js")),
    report: stdout,
    remove: () => rm(outdir, { recursive: true, force: true }),
  };
}
