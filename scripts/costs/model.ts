import { LIMITS } from "../../src/core/config.ts";
import type { Billed } from "./prices.ts";
import type { Figures, Situation } from "./figures.ts";
import type { Lane } from "./lanes.ts";

/** A month of one lane's traffic. */
export type Workload = {
  readonly lane: Lane;
  /** In a month, of all kinds. */
  readonly requests: number;
  /** The hours of the month in which they come; evenly, but at random. */
  readonly hours: number;
  /** Of what may be read, the share whose bytes were read before. */
  readonly hit: number;
  /** The share that the origin refuses, each with another credential. */
  readonly denied: number;
  /** The share that passes through: pages, clones, uploads. */
  readonly passed: number;
  /** Who asks within the same half minute, and of how many projects (objects, jobs: what a grant is for) each of them. */
  readonly askers: number;
  readonly projects: number;
  /** How many colos share the requests, and how many isolates in all of them. */
  readonly colos: number;
  readonly isolates: number;
  /** Whether events or purges are taken (`WEBHOOK_SECRET`, `CONTROL_TOKEN`): isolates then look for them. */
  readonly isWatched: boolean;
  /** Pushes that are told of, in the month. */
  readonly deliveries: number;
};

/** How often in the month something happens beyond a hit; one request may be several of them. */
export type Events = Readonly<Record<Exclude<Situation, "hot"> | "relisted" | "passed" | "delivery", number>>;

/** What a month takes of what is billed. */
export type Usage = Readonly<Record<Billed, number>>;

/** By so much isolates and grants differ, so that not all are renewed at once. */
const SPREAD_S = 5;

/** On average: the first of a colo's isolates renews a grant for all. */
function renewedFromS({ isolates, colos }: Workload): number {
  return LIMITS.GRANT_REFRESH_S.fallback + SPREAD_S / (Math.max(1, isolates / colos) + 1);
}

const GRANT_S = LIMITS.GRANT_S.fallback;
const RELISTED_FROM_S = LIMITS.PIPELINES_FRESH_S.fallback;
/** How often an isolate looks in KV for what other colos were told of a project. */
const LOOK_S = 30;

/**
 * How often what happens.
 *
 * Isolates of a colo share their grants. One of a pair of an asker and a project is renewed by the first request that finds it 22.5 s
 * old (sooner where there are several isolates, each with a limit of its own): behind the answer where that comes before 30 s, else ("returned") the asker waits for the origin. Where a pair's requests
 * come to a colo at random, r a second, that first request comes 1/r after the 22.5 s, so that there is one renewal
 * in 22.5 s + 1/r, of which exp(-7.5 s × r) come too late. That is more than there are in truth where a colo finds in KV
 * what another one has just learned, and where some pairs ask much more often than others: a bound from above.
 *
 * A list of pipelines is asked for again by the first request that finds it 5 s old, for all who were told the same.
 */
export function eventsOf(workload: Workload): Events {
  const { requests, hit, askers, projects, colos, isolates } = workload;
  const seconds = workload.hours * 3600;
  const fromS = renewedFromS(workload);
  const denied = requests * workload.denied;
  const passed = requests * workload.passed;
  const reads = readsOf(workload);
  const pairs = askers * projects * colos;
  const perPair = reads / seconds / pairs;
  const renewals = Math.min(reads, pairs * seconds * firstAfter(fromS, perPair));
  const returned = renewals * Math.exp(-(GRANT_S - fromS) * perPair);
  const lists = projects * isolates;
  const relisted =
    workload.lane === "pipelines"
      ? lists * seconds * firstAfter(RELISTED_FROM_S, reads / seconds / lists)
      : 0;
  const renewed = renewals - returned;
  const first = reads * (1 - hit);
  return { first, renewed, returned, relisted, denied, passed, delivery: workload.deliveries };
}

/** How many requests of the month are for what may be read. */
function readsOf({ requests, denied, passed }: Workload): number {
  return requests * (1 - denied - passed);
}

/** How often in a second something is done by the first request that finds it so old, where `perS` requests come at random. */
function firstAfter(ageS: number, perS: number): number {
  return perS === 0 ? 0 : 1 / (ageS + 1 / perS);
}

/**
 * What a month takes: every read what was measured of a hit, and what happens beyond that what it was measured to take more; looks for
 * what was told, once in 30 s for each project in each isolate; and data points once a second for all requests of an isolate
 * that went alike.
 */
export function usageOf(workload: Workload, figures: Figures): Usage {
  const { hot, ...lane } = figures.lanes[workload.lane];
  const { passed, denied, delivery, ...ofReads } = eventsOf(workload);
  const beyond = { ...lane, relisted: figures.relisted };
  const taken = (name: "cpuMs" | "kvReads" | "kvWrites" | "kvDeletes" | "kvLists") => {
    const more = (Object.keys(ofReads) as (keyof typeof ofReads)[]).map(
      (event) => ofReads[event] * (beyond[event][name] - hot[name]),
    );
    const others =
      passed * figures.passed[name] + denied * lane.denied[name] + delivery * figures.delivery[name];
    return more.reduce((sum, one) => sum + one, readsOf(workload) * hot[name] + others);
  };
  return {
    requests: workload.requests + delivery,
    cpuMs: taken("cpuMs"),
    kvReads: taken("kvReads") + looks(workload, figures),
    kvWrites: taken("kvWrites"),
    kvDeletes: taken("kvDeletes"),
    kvLists: taken("kvLists"),
    dataPoints: dataPoints(workload, figures),
  };
}

/** Reads of KV by isolates that look whether other colos were told of anything; nothing is told so of objects. */
function looks({ lane, requests, hours, projects, isolates, isWatched }: Workload, figures: Figures): number {
  if (!isWatched || lane === "object") return 0;
  const seconds = hours * 3600;
  const perIsolate = requests / seconds / isolates;
  const ofProjects = projects * firstAfter(LOOK_S, perIsolate / projects) * figures.look.perProject;
  const ofSite = firstAfter(LOOK_S, perIsolate) * figures.look.perSite;
  return (ofProjects + ofSite) * isolates * seconds;
}

function dataPoints({ requests, hours, isolates }: Workload, { dataPointsPerS }: Figures): number {
  return Math.min(requests, dataPointsPerS * isolates * hours * 3600);
}

/** The same month without a KV namespace: each colo then asks the origin itself what another one knows. */
export function withoutKv(usage: Usage): Usage {
  return { ...usage, kvReads: 0, kvWrites: 0, kvDeletes: 0, kvLists: 0 };
}
