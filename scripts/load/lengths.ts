import type { Bounds } from "./truth.ts";

/** For how long things are believed, asked for and withdrawn in one way to run the load; in seconds. */
export type Lengths = {
  /** Variables of the edge. */
  readonly vars: Readonly<Record<string, number>>;
  readonly laneS: number;
  readonly mixedS: number;
};

/** As the edge is installed. */
export const FULL: Lengths = {
  vars: { GRANT_S: 30, DENIAL_S: 10, REF_S: 60, PIPELINES_FRESH_S: 5 },
  laneS: 15,
  mixedS: 75,
};

/** The same with lives of seconds, so that each of them ends within the run. */
export const SHORT: Lengths = {
  vars: {
    GRANT_S: 5,
    GRANT_REFRESH_S: 3,
    DENIAL_S: 2,
    REF_S: 8,
    MISSING_S: 2,
    OBJECT_FRESH_S: 5,
    PIPELINES_FRESH_S: 2,
  },
  laneS: 8,
  mixedS: 25,
};

/** What measuring may be wrong by: an answer is stamped when the origin gave it, and asked for a moment before. */
const SLACK_S = 1;
/** Until all isolates of a colo know what one was told. */
const TOLD_S = 1;
/** How long somebody is kept out after the bound, at least: as long as it takes to ask again. */
const LEFT_OUT_S = 4;

/** What must not be shown any longer after what time. */
export function boundsOf({ vars }: Lengths): Bounds {
  const ms = (name: string) => ((vars[name] ?? 0) + SLACK_S) * 1000;
  return {
    grantMs: ms("GRANT_S"),
    denialMs: ms("DENIAL_S"),
    refMs: ms("REF_S"),
    listMs: ms("PIPELINES_FRESH_S"),
    toldMs: (TOLD_S + SLACK_S) * 1000,
  };
}

/** How long a right is away. */
export function awayMs(lengths: Lengths): number {
  return boundsOf(lengths).grantMs + LEFT_OUT_S * 1000;
}

/** The shortest mixed run in which a right that is withdrawn early on is missed. */
export function leastMixedS(lengths: Lengths): number {
  return Math.ceil(awayMs(lengths) / 1000) + LEFT_OUT_S;
}
