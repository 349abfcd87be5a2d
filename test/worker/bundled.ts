import { bundle } from "../../scripts/bundle.ts";

/** The Worker of the tests, whose world a test can change; where a run has bundled it, that is taken. */
export const TEST_WORKER = {
  entry: "test/worker/edge.ts",
  ...(process.env["TEST_WORKER_SCRIPT"] !== undefined && { script: process.env["TEST_WORKER_SCRIPT"] }),
};

/** Bundles it once for all suites of a run (Vitest: `globalSetup`). */
export async function setup(): Promise<() => Promise<void>> {
  const bundled = await bundle(TEST_WORKER.entry);
  process.env["TEST_WORKER_SCRIPT"] = bundled.script;
  return () => bundled.remove();
}
