import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { unstable_readConfig } from "wrangler";
import { readConfig } from "../src/core/config.ts";
import { ROOT } from "./bundle.ts";

/** Stands for the secret while the rest of the configuration is checked; wrangler itself insists on the real one. */
const PLACEHOLDER_SECRET = "checked by wrangler on deploy";

const { vars } = unstable_readConfig({ config: join(ROOT, "wrangler.toml") });
const answer = readConfig({ ...vars, KEY_SECRET: PLACEHOLDER_SECRET });
if (answer.kind === "faults") {
  console.error(`wrangler.toml has faults\n${answer.faults.map((fault) => `  - ${fault}`).join("\n")}`);
  process.exitCode = 1;
} else {
  const wrangler = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
  const { status } = spawnSync(process.execPath, [wrangler, "deploy", ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}
