import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Figure, Lane } from "./bench/figure.ts";
import { missed, ratioOf } from "./bench/figure.ts";
import { interruption } from "./measuring/interruption.ts";
import { benchPeers, type PeersRequest } from "./bench/peers-command.ts";
import { formatTable } from "./measuring/table.ts";
import { ROOT } from "./bundle.ts";
import { readVersions } from "./measuring/versions.ts";

/** Each lane is loaded only when it is asked for. */
const LANES: Readonly<Record<string, () => Promise<Lane>>> = {
  raw: async () => (await import("./bench/raw.ts")).RAW_LANE,
  objects: async () => (await import("./bench/objects.ts")).OBJECTS_LANE,
  artifacts: async () => (await import("./bench/artifacts.ts")).ARTIFACTS_LANE,
  pipelines: async () => (await import("./bench/pipelines.ts")).PIPELINES_LANE,
};

const USAGE = `Usage: npm run bench -- [--out DIR] [--json FILE] [--seconds N] [--quick]
       npm run bench -- LANE [--json FILE] [--seconds N] [--quick] [--only 1,2,..] [--no-fail]
  LANE       ${Object.keys(LANES).join(", ")}; without one, what other caches do as well, of all lanes
  --out      where that is written, as bench.md and bench.svg; docs/ where it is left out, and nowhere with --quick
  --json     write every figure, with each of its rounds, to FILE
  --seconds  how long each load lasts, but for those whose length is part of what they show
  --quick    small sizes and few rounds, to see that all works; all but raw and objects know it
  --only     the points to run, by number
  --no-fail  exit with 0 even if a target is missed`;

class UsageError extends Error {}

type Request = {
  readonly lane: Lane;
  readonly points: readonly number[];
  readonly json: string | undefined;
  readonly seconds: number | undefined;
  readonly isQuick: boolean;
  readonly mayFail: boolean;
};

// What wrangler says of secrets and of itself would stand between the figures; it reads this when it is loaded.
process.env["WRANGLER_LOG"] ??= "error";

const signal = interruption();

try {
  const request = await readRequest(process.argv.slice(2), process.env);
  process.exitCode = "lanes" in request ? await benchPeers(request) : await bench(request);
} catch (error) {
  if (error instanceof UsageError) console.error(`${error.message}\n${USAGE}`);
  else console.error(signal.aborted ? String(signal.reason) : error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

async function bench({ lane, points, json, seconds, isQuick, mayFail }: Request): Promise<number> {
  const lack = await lane.lacks(signal);
  if (lack !== undefined) {
    console.error(lack);
    return 1;
  }
  const versions = await readVersions(signal);
  console.log(versions.map(([name, version]) => `${name} ${version}`).join(" · "));
  const notes: string[] = [];
  const figures: Figure[] = [];
  await using run = new AsyncDisposableStack();
  for (const number of points) {
    signal.throwIfAborted();
    const point = lane.points[number];
    if (point === undefined) throw new UsageError(`There is no point ${number}`);
    const say = (text: string) => console.log(`  ${text}`);
    console.log(`${number}. ${point.title}`);
    const note = (text: string) => void notes.push(text);
    figures.push(...(await point.measure({ signal, seconds, isQuick, run, say, note })));
  }
  console.log(`\n${formatTable(figures.filter(({ isListedApart }) => isListedApart !== true))}\n`);
  for (const note of [...notes, ...lane.notes]) console.log(`${note}\n`);
  if (json !== undefined) await writeFile(json, report(Object.fromEntries(versions), figures, notes));
  const misses = figures.filter(missed).map(({ name }) => name);
  if (misses.length > 0) console.log(`Missed: ${misses.join(", ")}`);
  return misses.length > 0 && !mayFail ? 1 : 0;
}

function report(
  versions: Readonly<Record<string, string>>,
  figures: readonly Figure[],
  notes: readonly string[],
): string {
  const byName = figures.map((figure) => {
    const { name, ...rest } = figure;
    return [name, { ...rest, ratio: ratioOf(figure), missed: missed(figure) }] as const;
  });
  return `${JSON.stringify({ versions, figures: Object.fromEntries(byName), notes }, undefined, 2)}\n`;
}

async function readRequest(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<Request | PeersRequest> {
  const { values, positionals } = parse(args);
  const [name, ...more] = positionals;
  const swallowsOut = environment["npm_config_out"] === "true";
  if (name === undefined || swallowsOut) return readPeersRequest(args, environment);
  if (values.out !== undefined) throw new UsageError("--out is for the bench of all lanes");
  const load = LANES[name];
  if (load === undefined) throw new UsageError(`Unknown lane ${JSON.stringify(name)}`);
  // `npm run bench raw --json FILE`, without `--`: npm takes the flag for one of its own and leaves the file.
  const file = values.json ?? (environment["npm_config_json"] === "true" ? more.shift() : undefined);
  if (more.length > 0) throw unexpected(more[0]);
  const lane = await load();
  const seconds = values.seconds === undefined ? undefined : readNumber("--seconds", values.seconds);
  const isQuick = values.quick ?? environment["npm_config_quick"] === "true";
  if (isQuick && lane.hasQuick !== true) throw new UsageError(`The lane ${name} has no --quick`);
  return {
    lane,
    points: readPoints(lane, values.only),
    json: file,
    seconds,
    isQuick,
    mayFail: values["no-fail"] ?? false,
  };
}

function readPeersRequest(args: readonly string[], environment: NodeJS.ProcessEnv): PeersRequest {
  const { values, positionals } = parse(args);
  const { json, seconds, only, "no-fail": noFail } = values;
  // As with --json: npm leaves the directory of a flag that it takes for one of its own.
  const out = values.out ?? positionals[0];
  const more = positionals.slice(values.out === undefined ? 1 : 0);
  if (more.length > 0) throw unexpected(more[0]);
  if (only !== undefined || noFail !== undefined)
    throw new UsageError("--only and --no-fail are for the bench of one lane: name it");
  const isQuick = values.quick ?? environment["npm_config_quick"] === "true";
  return {
    lanes: LANES,
    seconds: seconds === undefined ? undefined : readNumber("--seconds", seconds),
    isQuick,
    out: out ?? (isQuick ? undefined : join(ROOT, "docs")),
    json,
    command: ["npm run bench", ...(args.length > 0 ? ["--", ...args] : [])].join(" "),
    signal,
  };
}

function unexpected(argument: string | undefined): UsageError {
  return new UsageError(
    `Unexpected argument ${JSON.stringify(argument)}; npm passes flags on only behind \`--\``,
  );
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        out: { type: "string" },
        json: { type: "string" },
        seconds: { type: "string" },
        quick: { type: "boolean" },
        only: { type: "string" },
        "no-fail": { type: "boolean" },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function readNumber(flag: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 600) {
    throw new UsageError(`${flag} must be a whole number from 1 to 600, not ${JSON.stringify(text)}`);
  }
  return number;
}

function readPoints(lane: Lane, only: string | undefined): number[] {
  const all = Object.keys(lane.points).map(Number);
  if (only === undefined) return all;
  const wanted = only.split(",").map(Number);
  const unknown = wanted.find((number) => !all.includes(number));
  if (unknown !== undefined)
    throw new UsageError(`--only must name points of ${all.join(", ")}, not ${JSON.stringify(only)}`);
  return wanted;
}
