import { writeFile } from "node:fs/promises";
import { findK6 } from "./bench/k6.ts";
import { interruption } from "./measuring/interruption.ts";
import { runOnPlace } from "./load/run-on-place.ts";
import { runOnPreview } from "./load/run-on-preview.ts";
import { readRequest, USAGE, UsageError } from "./load/request.ts";
import { formatFigures } from "./load/summary.ts";

const GET_K6 = "go install go.k6.io/k6@v1.8.1";

// What wrangler says of secrets and of itself would stand between the figures; it reads this when it is loaded.
process.env["WRANGLER_LOG"] ??= "error";

const signal = interruption();

try {
  process.exitCode = await load();
} catch (error) {
  if (error instanceof UsageError) console.error(`${error.message}\n${USAGE}`);
  else console.error(signal.aborted ? String(signal.reason) : error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

async function load(): Promise<number> {
  const request = readRequest(process.argv.slice(2));
  const k6 = await findK6(signal);
  if (k6 === undefined) {
    console.log(`Skipped: k6 is not installed; ${GET_K6} gets it`);
    return process.env["CI"] === "true" ? 1 : 0;
  }
  const say = (text: string) => console.log(text);
  const base = process.env["BASE_URL"];
  const run = { k6, request, say, signal };
  const outcomes =
    base === undefined || base === ""
      ? await runOnPlace(run)
      : await runOnPreview({ ...run, environment: process.env });
  console.log(`\n${formatFigures(outcomes.map(({ figures }) => figures))}\n`);
  if (request.json !== undefined)
    await writeFile(request.json, `${JSON.stringify(outcomes, undefined, 2)}\n`);
  const missed = outcomes.filter(({ holds }) => !holds).map(({ scenario }) => scenario);
  console.log(missed.length === 0 ? "All thresholds hold" : `Missed: ${missed.join(", ")}`);
  return missed.length === 0 ? 0 : 1;
}
