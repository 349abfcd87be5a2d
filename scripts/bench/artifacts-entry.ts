import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Demo } from "../demo/demo.ts";
import { archivesOf, type Archives, type KnownEntry } from "./artifacts-archives.ts";
import { askWell } from "./artifacts-answer.ts";
import { downloadAndPrint } from "./artifacts-download.ts";
import { addJob, startEdge, startOrigin, urlsOf, type JobUrls } from "./artifacts-scene.ts";
import type { BenchEdge } from "./bench-edge.ts";
import { runTool } from "../measuring/command.ts";
import type { Conditions, Figure } from "./figure.ts";
import { interleave, medians, type Rounds } from "../measuring/rounds.ts";
import { formatColumns, formatNumber } from "../measuring/table.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
/** What is read beside the directory and the entry. */
const MOST_BESIDE_MIB = 4;
const MOST_REQUESTS = 4;
const ROUNDS = 3;
/** For what is put behind an answer. */
const SETTLE_MS = 500;

type Setting = {
  readonly name: "many" | "large" | "object";
  readonly archive: Archives["many"];
  readonly storage: "local" | "object";
  /** How often it is timed. */
  readonly rounds: number;
};

/** What one request for an entry cost. */
type Step = {
  readonly name: string;
  readonly forgeRequests: number;
  readonly storageRequests: number;
  /** Of the archive, from wherever it is. */
  readonly bytes: number;
  readonly ms: number;
};

type Measured = {
  readonly setting: Setting;
  readonly title: string;
  readonly steps: { readonly cold: Step; readonly other: Step; readonly again: Step };
  readonly rounds: Rounds;
};

/** What one entry of 100 KiB of an archive costs that the edge knows nothing of, beside downloading all of it. */
export async function measureEntry(conditions: Conditions): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const { many, large, small } = await archivesOf(conditions);
  const origin = await startOrigin(scope);
  const settings: Setting[] = [
    { name: "many", archive: many, storage: "local", rounds: ROUNDS },
    { name: "large", archive: large, storage: "local", rounds: 1 },
    { name: "object", archive: small, storage: "object", rounds: ROUNDS },
  ];
  const measured: Measured[] = [];
  for (const setting of settings) measured.push(await measureSetting(conditions, origin, setting));
  conditions.note(
    `An entry of 100 KiB, deflated: what the forge and its object storage were asked and sent. "Cold" is the first answer of a new edge; then another entry of the archive, and that entry once more\n${formatSteps(measured)}`,
  );
  conditions.note(
    `Cold times are of further jobs at an edge that has run before, in turn with downloading the archive straight from the origin, past the edge, and \`unzip -p\``,
  );
  return measured.flatMap(figuresOf);
}

async function measureSetting(conditions: Conditions, origin: Demo, setting: Setting): Promise<Measured> {
  await using scope = new AsyncDisposableStack();
  const { archive, storage, name } = setting;
  const edge = await startEdge(scope, origin);
  const job = await addJob(origin, archive, storage);
  const urls = urlsOf(edge.url, job);
  const { middle, other } = archive.known;
  const step = async (title: string, entry: KnownEntry) =>
    await takeStep(conditions, { origin, setting, urls, title, entry });
  const steps = {
    cold: await step("cold", middle),
    other: await step("another, cold", other),
    again: await step("that again", other),
  };
  const title = `${formatNumber(archive.bytes / MIB)} MiB, ${formatNumber(archive.entries)} entries, ${storage === "object" ? "in object storage" : "on the forge's disk"}`;
  const rounds = await compareTimes(conditions, { origin, setting, edge });
  conditions.say(`${name}: ${describe(Object.values(steps))}; ${describeRounds(rounds)}`);
  return { setting, title, steps, rounds };
}

type StepPlan = {
  readonly origin: Demo;
  readonly setting: Setting;
  readonly urls: JobUrls;
  readonly title: string;
  readonly entry: KnownEntry;
};

async function takeStep(
  { signal }: Conditions,
  { origin: { gitlab, storage }, setting, urls, title, entry }: StepPlan,
): Promise<Step> {
  gitlab.resetCounts();
  storage.resetCounts();
  const { ms, text } = await askWell(urls.entry(entry.name), { signal });
  await sleep(SETTLE_MS, undefined, { signal });
  const [forge, store] = [gitlab.counts(), storage.counts()];
  const { stdout } = await runTool("unzip", ["-p", setting.archive.path, entry.name], {
    signal,
    seconds: 30,
  });
  if (text !== stdout) throw new Error(`The edge has other bytes than unzip of ${entry.name}`);
  return {
    name: title,
    forgeRequests: forge.total,
    storageRequests: store.total,
    bytes: forge.artifactBytes + store.bytes,
    ms,
  };
}

type Comparison = { readonly origin: Demo; readonly setting: Setting; readonly edge: BenchEdge };

/** Milliseconds for the entry, of a job of its own each time, and for downloading and unpacking. */
async function compareTimes(
  conditions: Conditions,
  { origin, setting: { archive, storage, rounds }, edge }: Comparison,
): Promise<Rounds> {
  const { signal, isQuick } = conditions;
  const { directory } = await archivesOf(conditions);
  const { name } = archive.known.middle;
  const ours = async () => {
    const urls = urlsOf(edge.url, await addJob(origin, archive, storage));
    return (await askWell(urls.entry(name), { signal })).ms;
  };
  const theirs = async () => {
    const url = await directUrl(origin, await addJob(origin, archive, storage), signal);
    try {
      return await downloadAndPrint({ url, directory, signal }, name);
    } finally {
      await rm(join(directory, "downloaded.zip"), { force: true });
    }
  };
  return await interleave(isQuick ? 1 : rounds, ours, theirs);
}

/** Where a job's archive itself is: the forge, or the storage that it leads to. */
async function directUrl({ gitlab }: Demo, job: number, signal: AbortSignal): Promise<string> {
  const { archive } = urlsOf(gitlab.url, job);
  const response = await fetch(archive, { redirect: "manual", headers: { Range: "bytes=0-0" }, signal });
  await response.body?.cancel();
  return response.headers.get("Location") ?? archive;
}

function figuresOf({ setting, title, steps, rounds }: Measured): Figure[] {
  const { name, archive, storage } = setting;
  const { cold, other, again } = steps;
  const asked = (step: Step) => (storage === "object" ? step.storageRequests : step.forgeRequests);
  const whom = storage === "object" ? "the storage" : "the forge";
  const beside = cold.bytes - archive.directoryBytes - archive.known.middle.packedBytes;
  const prefix = `artifacts.entry.${name}`;
  const count = (part: string, words: string, ours: number, most?: number): Figure => ({
    name: `${prefix}.${part}`,
    title: `${words} (${title})`,
    unit: "",
    ours,
    ...(most !== undefined && { target: { most } }),
  });
  return [
    count("cold_requests", `One entry, cold: requests at ${whom}`, asked(cold), MOST_REQUESTS),
    ...(storage === "object" ? [count("redirects", "of them before: at the forge", cold.forgeRequests)] : []),
    {
      name: `${prefix}.cold_beside_mib`,
      title: `read beside directory and entry (${title})`,
      unit: "MiB",
      ours: beside / MIB,
      target: { most: MOST_BESIDE_MIB },
      details: { read_mib: cold.bytes / MIB, directory_mib: archive.directoryBytes / MIB },
    },
    count("other_requests", `Another entry: requests at ${whom}`, asked(other), 1),
    count(
      "again_requests",
      "The same again: requests in all",
      again.forgeRequests + again.storageRequests,
      0,
    ),
    {
      name: `${prefix}.cold_ms`,
      title: `One entry, cold, and download + unzip -p (${title})`,
      unit: "ms",
      ...medians(rounds),
      details: { first_of_edge_ms: cold.ms, other_ms: other.ms, again_ms: again.ms },
    },
  ];
}

function formatSteps(measured: readonly Measured[]): string {
  const heading = ["archive and step", "forge asked", "storage asked", "KiB", "directory, KiB", "ms"];
  const rows = measured.flatMap(({ setting, title, steps }) =>
    Object.values(steps).map(({ name, forgeRequests, storageRequests, bytes, ms }) => [
      `${title}: ${name}`,
      String(forgeRequests),
      String(storageRequests),
      formatNumber(bytes / KIB),
      formatNumber(setting.archive.directoryBytes / KIB),
      formatNumber(ms),
    ]),
  );
  return formatColumns([heading, ...rows]);
}

function describe(steps: readonly Step[]): string {
  return steps
    .map(
      ({ name, forgeRequests, storageRequests, bytes, ms }) =>
        `${name} ${forgeRequests}+${storageRequests} requests, ${formatNumber(bytes / KIB)} KiB, ${formatNumber(ms)} ms`,
    )
    .join("; ");
}

function describeRounds({ ours, theirs }: Rounds): string {
  const list = (values: readonly number[]) => values.map(formatNumber).join(", ");
  return `entry ${list(ours)} ms, download and unzip ${list(theirs)} ms`;
}
