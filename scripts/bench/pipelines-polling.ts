import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { LIMITS } from "../../src/core/config.ts";
import type { BenchEdge } from "./bench-edge.ts";
import { processSeconds } from "../measuring/cores.ts";
import type { Conditions, Figure } from "./figure.ts";
import { percentile } from "./percentile.ts";
import { startPipelinesEdge } from "./pipelines-edge.ts";
import { changePipeline, startPollingForge, versionOf, type PollingForge } from "./pipelines-forge.ts";
import { pollAll, type Poller } from "./pipelines-pollers.ts";
import type { Seen } from "./pipelines-timeline.ts";

const POLLERS = 200;
const PEOPLE = 10;
const PROJECTS = 20;
const PIPELINES = 20;
const AUTH_MS = 40;
const POLL_S = 60;
const QUICK_POLL_S = 12;
const PERIOD_MS = 1000;
/** In which everybody polls for the first time; the origin's requests are counted a second after it. */
const ARRIVAL_S = 4;
const COUNTED_AFTER_S = ARRIVAL_S + 1;
/** How often some project changes, one after the other: in a forge at work, and where each project changes all the time. */
const CHANGE_MS = { usual: 1500, busy: 100 } as const;
/** How often one project changes besides, and is asked for, to see how soon that is told. */
const LIVELY_CHANGE_MS = 500;
const LIVELY_PERIOD_MS = 20;

/** How many questions of many pollers reach the origin, and how old what they are told is, with events and without. */
export async function measurePolling(conditions: Conditions): Promise<Figure[]> {
  const { seconds = conditions.isQuick ? QUICK_POLL_S : POLL_S, say, note } = conditions;
  const direct = await watch(conditions, { seconds, way: "direct", pace: "busy" });
  say(`straight to the origin: ${described(direct)}`);
  const usual = await watch(conditions, { seconds, way: "edge", pace: "usual" });
  say(`through the edge: ${described(usual)}`);
  const polled = await watch(conditions, { seconds, way: "edge", pace: "busy" });
  say(`through the edge, where all change all the time: ${described(polled)}`);
  const toldUsual = await watch(conditions, { seconds, way: "events", pace: "usual" });
  say(`through the edge that is told of events: ${described(toldUsual)}`);
  const told = await watch(conditions, { seconds, way: "events", pace: "busy" });
  say(`the same, where all change all the time: ${described(told)}`);
  const revalidationS = Math.max(...direct.tookMs) / 1000;
  const boundS = LIMITS.PIPELINES_FRESH_S.fallback + revalidationS;
  note(
    `${POLLERS} pollers, a poll a second each, of ${PEOPLE} people and ${PROJECTS} projects, each changed every ${(CHANGE_MS.usual * PROJECTS) / 1000} s, or (busy) every ${(CHANGE_MS.busy * PROJECTS) / 1000} s; ${seconds} s each way, origin auth ${AUTH_MS} ms. An answer's age is how long what it says had been over when its head was with the poller, so a little more than when it was sent. Bound: PIPELINES_FRESH_S + ${revalidationS.toFixed(3)} s, the slowest answer of the origin itself. With events one more poller asks every ${LIVELY_PERIOD_MS} ms for a project that changes every ${LIVELY_CHANGE_MS} ms besides; the time to its first fresh answer runs from the change, of which the hook is sent at once`,
  );
  return [
    ...wayFigures({ name: "polling", title: "Polled", way: usual, direct, boundS }),
    ...wayFigures({ name: "polling_busy", title: "Polled, busy", way: polled, direct, boundS }),
    ...wayFigures({ name: "events", title: "Polled, with events", way: toldUsual, direct, boundS }),
    ...wayFigures({ name: "events_busy", title: "Polled, busy, with events", way: told, direct, boundS }),
    ...delayFigures(told),
  ];
}

type Way = "direct" | "edge" | "events";

type Watched = {
  readonly originPerS: number;
  readonly agesS: readonly number[];
  readonly delaysMs: readonly number[];
  /** How long each answer took to its head. */
  readonly tookMs: readonly number[];
  /** How much of a core the edge kept busy; one is all that workerd can use. */
  readonly edgeCores: number;
  readonly failures: readonly unknown[];
};

type Round = {
  readonly seconds: number;
  readonly way: Way;
  readonly pace: keyof typeof CHANGE_MS;
};

/** Lets everybody poll for so long, on a forge of its own. */
async function watch({ signal }: Conditions, { seconds, way, pace }: Round): Promise<Watched> {
  await using scope = new AsyncDisposableStack();
  const place = await startPollingForge(scope, {
    projects: PROJECTS,
    people: PEOPLE,
    pipelines: PIPELINES,
    authMs: AUTH_MS,
  });
  const { forge } = place;
  const edge = way === "direct" ? undefined : await startEdge(scope, place, way);
  const base = edge?.url ?? forge.url;
  const busyS = async () => (edge === undefined ? 0 : await processSeconds(edge.pid));
  const lengthMs = (COUNTED_AFTER_S + seconds) * 1000;
  const crowd = crowdOf(place, base);
  const lively = livelyOf(place, base);
  const pollers = way === "events" ? [...crowd.pollers, lively.poller] : crowd.pollers;
  const busyBefore = await busyS();
  const stop = new AbortController();
  const changing = changeAll(place, { way, pace }, AbortSignal.any([signal, stop.signal]));
  const [originRequests] = await Promise.all([
    countAfterArrival(place, seconds, signal),
    pollAll(pollers, lengthMs, signal),
  ]).finally(() => stop.abort());
  const edgeCores = ((await busyS()) - busyBefore) / (COUNTED_AFTER_S + seconds);
  await changing;
  if (way === "events") await expectDelivered(place);
  return {
    originPerS: originRequests / seconds,
    agesS: [...crowd.agesS, ...lively.agesS],
    delaysMs: place.projects[0]?.timeline.delaysMs(lively.seen) ?? [],
    tookMs: crowd.tookMs,
    edgeCores,
    failures: [...crowd.failures, ...lively.failures],
  };
}

async function startEdge(scope: AsyncDisposableStack, { forge }: PollingForge, way: Way): Promise<BenchEdge> {
  const secret = randomBytes(32).toString("hex");
  const vars = way === "events" ? { WEBHOOK_SECRET: secret } : {};
  const edge = await startPipelinesEdge(scope, { origin: forge.url, vars });
  if (way === "events") forge.hooks = [{ url: `${edge.url}/-/forgefront/hooks`, secret }];
  return edge;
}

/** Each person looks at each project, so many times over as there are pollers; they begin anywhere in the first seconds. */
function crowdOf({ projects, tokens }: PollingForge, base: string) {
  const agesS: number[] = [];
  const tookMs: number[] = [];
  const failures: unknown[] = [];
  const pollers = Array.from({ length: POLLERS }, (_, index): Poller => {
    const project = projects[Math.floor(index / tokens.length) % projects.length];
    const token = tokens[index % tokens.length];
    if (project === undefined || token === undefined) throw new RangeError("Nobody polls nothing");
    return {
      ...listOf(base, project.id, token),
      periodMs: PERIOD_MS,
      delayMs: Math.random() * ARRIVAL_S * 1000,
      onFailure: (error) => void failures.push(error),
      onAnswer({ body, askedMs, headMs }) {
        agesS.push(project.timeline.ageMs(versionOf(body), headMs) / 1000);
        tookMs.push(headMs - askedMs);
      },
    };
  });
  return { pollers, agesS, tookMs, failures };
}

/** Somebody who asks for the first project without much of a pause. */
function livelyOf({ projects, tokens }: PollingForge, base: string) {
  const [project] = projects;
  const [token] = tokens;
  if (project === undefined || token === undefined) throw new RangeError("Nobody polls nothing");
  const agesS: number[] = [];
  const seen: Seen[] = [];
  const failures: unknown[] = [];
  const poller: Poller = {
    ...listOf(base, project.id, token),
    periodMs: LIVELY_PERIOD_MS,
    delayMs: 0,
    onFailure: (error) => void failures.push(error),
    onAnswer({ body, headMs }) {
      const version = versionOf(body);
      seen.push({ version, sentMs: headMs });
      agesS.push(project.timeline.ageMs(version, headMs) / 1000);
    },
  };
  return { poller, agesS, seen, failures };
}

function listOf(base: string, project: number, token: string): Pick<Poller, "url" | "headers"> {
  const url = `${base}/api/v4/projects/${project}/pipelines?per_page=${PIPELINES}`;
  return { url, headers: { "PRIVATE-TOKEN": token } };
}

/** Changes one project after the other until it is stopped; with events, the first one more often. */
async function changeAll(
  { forge, projects }: PollingForge,
  { way, pace }: Pick<Round, "way" | "pace">,
  signal: AbortSignal,
): Promise<void> {
  const change = (step: number, project: PollingForge["projects"][number] | undefined) => {
    const id = project?.pipelines[step % PIPELINES];
    if (id !== undefined) changePipeline(forge, id, step);
  };
  const inTurn = every(CHANGE_MS[pace], signal, (step) =>
    change(Math.floor(step / projects.length), projects[step % projects.length]),
  );
  const lively =
    way === "events" ? every(LIVELY_CHANGE_MS, signal, (step) => change(step + 7, projects[0])) : undefined;
  await Promise.all([inTurn, lively]);
}

async function every(ms: number, signal: AbortSignal, work: (step: number) => void): Promise<void> {
  for (let step = 0; !signal.aborted; step++) {
    work(step);
    // Up to a quarter sooner or later, so that nothing keeps in step with the polls
    await sleep(ms * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => {});
  }
}

async function countAfterArrival(
  { forge }: PollingForge,
  seconds: number,
  signal: AbortSignal,
): Promise<number> {
  await sleep(COUNTED_AFTER_S * 1000, undefined, { signal });
  forge.resetCounts();
  await sleep(seconds * 1000, undefined, { signal });
  return forge.counts().total;
}

/** That each hook was taken, or the figures would be those of an edge that is told nothing. */
async function expectDelivered({ forge }: PollingForge): Promise<void> {
  const outcomes = await forge.delivered();
  const failed = outcomes.find((outcome) => outcome.kind === "failed" || outcome.status >= 300);
  if (failed !== undefined) throw new Error(`A hook was not taken: ${JSON.stringify(failed)}`);
  if (outcomes.length === 0) throw new Error("No hook was delivered");
}

type WayFigures = {
  readonly name: string;
  readonly title: string;
  readonly way: Watched;
  readonly direct: Watched;
  readonly boundS: number;
};

function wayFigures({ name, title, way, direct, boundS }: WayFigures): Figure[] {
  const prefix = `pipelines.${name}`;
  return [
    {
      name: `${prefix}.origin_requests_per_s`,
      title: `${title}: requests at the origin, edge / straight`,
      unit: "requests/s",
      ours: way.originPerS,
      theirs: direct.originPerS,
    },
    {
      name: `${prefix}.oldest_s`,
      title: `${title}: oldest answer`,
      unit: "s",
      ours: Math.max(...way.agesS),
      target: { most: Number(boundS.toFixed(3)) },
      details: { answers: way.agesS.length, straightS: Math.max(...direct.agesS) },
    },
    {
      name: `${prefix}.age_p99_s`,
      title: `${title}: age of answers, p99`,
      unit: "s",
      ours: percentile(way.agesS, 99),
      details: { straightS: percentile(direct.agesS, 99) },
    },
    {
      name: `${prefix}.failed`,
      title: `${title}: polls that failed`,
      unit: "",
      ours: way.failures.length,
      target: { most: 0 },
      details: { answered: way.agesS.length },
    },
    {
      name: `${prefix}.took_p50_ms`,
      title: `${title}: time of an answer, p50, edge / straight`,
      unit: "ms",
      ours: percentile(way.tookMs, 50),
      theirs: percentile(direct.tookMs, 50),
      details: {
        p99Ms: percentile(way.tookMs, 99),
        straightP99Ms: percentile(direct.tookMs, 99),
        edgeCores: way.edgeCores,
      },
    },
  ];
}

function delayFigures({ delaysMs }: Watched): Figure[] {
  const figure = (percent: number): Figure => ({
    name: `pipelines.events.fresh_p${percent}_ms`,
    title: `From a hook to the first fresh answer, p${percent}`,
    unit: "ms",
    ours: delaysMs.length === 0 ? Number.NaN : percentile(delaysMs, percent),
    details: { changes: delaysMs.length },
  });
  return [figure(50), figure(99)];
}

function described({ originPerS, agesS, delaysMs, tookMs, edgeCores, failures }: Watched): string {
  const ages = `oldest ${Math.max(...agesS).toFixed(2)} s, p99 ${percentile(agesS, 99).toFixed(2)} s`;
  const delays =
    delaysMs.length === 0 ? "" : `; fresh after ${percentile(delaysMs, 50).toFixed(0)} ms (median)`;
  const took = `p50 ${percentile(tookMs, 50).toFixed(1)} ms, p99 ${percentile(tookMs, 99).toFixed(0)} ms`;
  const failed = failures.length === 0 ? "" : `, ${failures.length} failed (${String(failures[0])})`;
  return `${agesS.length} answers (${took})${failed}, ${originPerS.toFixed(1)} requests/s at the origin, ${ages}${delays}; ${edgeCores.toFixed(2)} of a core for the edge`;
}
