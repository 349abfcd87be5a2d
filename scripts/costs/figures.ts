import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../bundle.ts";
import type { Counted } from "./counts.ts";
import type { Lane } from "./lanes.ts";

/** What one event took, on average: a request, but for those of `clone` and `delivery`. */
export type Figure = { readonly events: number; readonly cpuMs: number } & Readonly<Record<Counted, number>>;

/** In what state a request of a lane finds the caches. */
export const SITUATIONS = [
  /** Grant, revision and body are in memory. */
  "hot",
  /** As hot, and the grant is old enough to be renewed behind the answer. */
  "renewed",
  /** The asker is known no more, as after a minute of silence; the bytes are. */
  "returned",
  /** Nobody has read this before. */
  "first",
  /** The origin refuses the asker. */
  "denied",
] as const;
export type Situation = (typeof SITUATIONS)[number];

/** What was measured: what each situation takes of what is billed. */
export type Figures = {
  /** The day, and the machine with the versions of what ran. */
  readonly measured: string;
  readonly on: Readonly<Record<string, string>>;
  readonly lanes: Readonly<Record<Lane, Readonly<Record<Situation, Figure>>>>;
  /** A list that is asked for again in the place of everyone who was told the same. */
  readonly relisted: Figure;
  /** A page that passes through. */
  readonly passed: Figure;
  /** A `git clone`, all of its requests together. */
  readonly clone: Figure;
  /** A push that a forge tells of. */
  readonly delivery: Figure;
  /** A look whether anything was told: reads of KV for each project, and for the site. */
  readonly look: { readonly perProject: number; readonly perSite: number };
  /** Data points that an isolate writes in a second of mixed traffic. */
  readonly dataPointsPerS: number;
  /** One read of an object of so many bytes that nobody has read, and the next from the colo. */
  readonly large: { readonly bytes: number; readonly first: Figure; readonly again: Figure };
};

/** Where they are kept. */
export const FIGURES_FILE = join(ROOT, "scripts/costs/figures.json");

/** Reads what `npm run costs -- --measure` has written. */
export async function readFigures(): Promise<Figures> {
  return JSON.parse(await readFile(FIGURES_FILE, "utf8")) as Figures;
}
