import { setTimeout as sleep } from "node:timers/promises";
import { startDemo, type Demo } from "../demo/demo.ts";
import type { Conditions, Figure } from "./figure.ts";
import { failedShare, findK6, runK6, type K6File, type K6Result } from "./k6.ts";
import { startPipelinesEdge } from "./pipelines-edge.ts";
import { readText, SECRET } from "./raw-files.ts";
import { formatColumns, formatNumber } from "../measuring/table.ts";

/** Requests a second. */
const RATES = [1, 5, 50, 500] as const;
const AUTH_MS = 40;
const LOAD_S = 60;
const QUICK_LOAD_S = 8;
/** Bounds what waits at the origin at once. */
const CLIENTS = 100;
const TIMEOUT_S = 10;
/** For what is put behind a response. */
const SETTLE_MS = 1000;
const REFS = 2;
/** A branch stands for its commit for a minute (`REF_S`); the same question tells who may read, which is renewed every 20 s. */
const MOST_LS_REFS_A_MINUTE = 4;

/** The origin itself; and as one reads it who asks git each time what the branch stands for. */
type Way = "edge" | "origin" | "resolving";

type Measured = K6Result & { readonly way: Way; readonly rate: number; readonly lsRefs: number };

/** Files of branches at steady rates, through the edge and without it. */
export async function measureRefs(conditions: Conditions): Promise<Figure[]> {
  const { signal, isQuick, seconds = isQuick ? QUICK_LOAD_S : LOAD_S, say, note } = conditions;
  const k6 = await findK6(signal);
  if (k6 === undefined) {
    say("Not measured: k6 is missing (go install go.k6.io/k6@latest)");
    return [];
  }
  await using scope = new AsyncDisposableStack();
  const demo = scope.adopt(await startDemo({ authMs: AUTH_MS, bigFileBytes: 1024 }), (started) =>
    started.close(),
  );
  const origin = demo.gitlab.url;
  const edge = await startPipelinesEdge(scope, { origin });
  const files = await readFiles(demo, signal);
  const all: Measured[] = [];
  for (const rate of RATES) {
    for (const way of ["edge", "origin", "resolving"] as const) {
      demo.gitlab.resetCounts();
      const base = way === "edge" ? edge.url : origin;
      const load = { base, files, rate, seconds, clients: CLIENTS, timeoutS: TIMEOUT_S };
      const result = await runK6(k6, { ...load, resolves: way === "resolving" }, signal);
      await sleep(SETTLE_MS, undefined, { signal });
      const measured = { ...result, way, rate, lsRefs: demo.gitlab.counts()["git:ls-refs"] };
      say(described(measured));
      all.push(measured);
    }
  }
  note(
    `A file of a public project and one of a private project with a token, in turn, for ${seconds} s at each rate; origin auth ${AUTH_MS} ms. "resolving" asks the origin's git what the branch stands for before each read. At most ${CLIENTS} requests are under way at once; what could not be sent then, or was not answered in ${TIMEOUT_S} s, has failed\n${formatRates(all)}`,
  );
  return [...RATES.flatMap((rate) => rateFigures(rate, all)), resolveFigure(all, seconds)];
}

/** What there is to read, which has to be there. */
async function readFiles(demo: Demo, signal: AbortSignal): Promise<readonly K6File[]> {
  const token = SECRET.headers["PRIVATE-TOKEN"];
  const basic = { Authorization: `Basic ${Buffer.from(`oauth2:${token}`).toString("base64")}` };
  const read = async (file: Omit<K6File, "bytes">): Promise<K6File> => {
    const url = `${demo.gitlab.url}/${file.project}/-/raw/main/${file.path}`;
    return { ...file, bytes: (await readText(url, file.headers, signal)).length };
  };
  return [
    await read({ project: "demo/hello", path: "docs/small.txt", headers: {}, gitHeaders: {} }),
    await read({
      project: SECRET.project,
      path: "config/private.txt",
      headers: SECRET.headers,
      gitHeaders: basic,
    }),
  ];
}

function rateFigures(rate: number, all: readonly Measured[]): Figure[] {
  const ours = find(all, rate, "edge");
  const theirs = find(all, rate, "origin");
  const resolving = find(all, rate, "resolving");
  const name = `pipelines.refs.qps${rate}`;
  const title = `A branch's file at ${rate}/s`;
  return [
    {
      name: `${name}.mean_ms`,
      title: `${title}: mean, edge / origin`,
      unit: "ms",
      ours: ours.meanMs,
      theirs: theirs.meanMs,
      details: { resolvingMs: resolving.meanMs },
    },
    {
      name: `${name}.p95_ms`,
      title: `${title}: p95, edge / origin`,
      unit: "ms",
      ours: ours.p95Ms,
      theirs: theirs.p95Ms,
      details: { resolvingMs: resolving.p95Ms },
    },
    {
      name: `${name}.failed`,
      title: `${title}: failed through the edge`,
      unit: "%",
      ours: 100 * failedShare(ours),
      target: { most: 0 },
      details: { originPercent: 100 * failedShare(theirs), resolvingPercent: 100 * failedShare(resolving) },
    },
  ];
}

/** Over all rates, so that it does not matter when in its minute a branch was when one began. */
function resolveFigure(all: readonly Measured[], seconds: number): Figure {
  const ours = all.filter(({ way }) => way === "edge");
  const lsRefs = ours.reduce((sum, measured) => sum + measured.lsRefs, 0);
  const minutes = (ours.length * seconds) / 60;
  const title = "Asked what a branch stands for and who may read, a minute and branch";
  // A load that is shorter than the life of what it asks for shows nothing but the first questions
  const target = minutes < RATES.length ? {} : { target: { most: MOST_LS_REFS_A_MINUTE } };
  return {
    name: "pipelines.refs.ls_refs",
    title,
    unit: "",
    ours: lsRefs / minutes / REFS,
    ...target,
    details: { lsRefs },
  };
}

function find(all: readonly Measured[], rate: number, way: Way): Measured {
  const found = all.find((measured) => measured.rate === rate && measured.way === way);
  if (found === undefined) throw new Error(`Nothing was measured at ${rate}/s by ${way}`);
  return found;
}

function formatRates(all: readonly Measured[]): string {
  const heading = ["requests/s, way", "mean ms", "p50 ms", "p95 ms", "max ms", "failed %", "ls-refs"];
  const rows = all.map((measured) => [
    `${measured.rate} ${measured.way}`,
    ...[measured.meanMs, measured.p50Ms, measured.p95Ms, measured.maxMs].map(formatNumber),
    formatNumber(100 * failedShare(measured)),
    String(measured.lsRefs),
  ]);
  return formatColumns([heading, ...rows]);
}

function described(measured: Measured): string {
  const { way, rate, meanMs, p95Ms, lsRefs } = measured;
  const failed = formatNumber(100 * failedShare(measured));
  return `${rate}/s, ${way}: mean ${formatNumber(meanMs)} ms, p95 ${formatNumber(p95Ms)} ms, ${failed} % failed, ${lsRefs} ls-refs`;
}
