import { writeFile } from "node:fs/promises";
import { interruption } from "./measuring/interruption.ts";
import { FIGURES_FILE, readFigures } from "./costs/figures.ts";
import { measureCosts } from "./costs/measure.ts";
import { readRequest, USAGE, UsageError } from "./costs/options.ts";
import { writeTables } from "./costs/page.ts";
import { reportOf } from "./costs/report.ts";

// What wrangler says of secrets and of itself would stand between the lines; it reads this when it is loaded.
process.env["WRANGLER_LOG"] ??= "error";

const signal = interruption();

try {
  await run();
} catch (error) {
  if (error instanceof UsageError) console.error(`${error.message}\n${USAGE}`);
  else console.error(signal.aborted ? String(signal.reason) : error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

async function run(): Promise<void> {
  const request = readRequest(process.argv.slice(2));
  if (request.kind === "help") {
    console.log(USAGE);
    return;
  }
  if (request.kind === "tables") {
    await writeTables(await readFigures(), signal);
    return;
  }
  if (request.kind === "estimate") {
    console.log(reportOf(request.workload, await readFigures()));
    return;
  }
  const figures = await measureCosts({ signal, say: (line) => console.log(line) });
  await writeFile(FIGURES_FILE, `${JSON.stringify(figures, undefined, 2)}\n`);
}
