import type { Defer } from "../core/defer.ts";
import type { Site } from "../core/site.ts";
import type { Log, MemoryStore, Stamped } from "../core/store.ts";
import { pulseKey } from "./change-keys.ts";
import type { Ports } from "./ports.ts";

/** How long an isolate believes that nothing was told to others of its colo. */
const COLO_LOOK_MS = 1000;
/** The same of other colos: KV gives no newer answer within this time. */
const FAR_LOOK_MS = 30_000;

/** Keeps an isolate up to date with what others of the colo, and other colos, were told. */
export type Watch = {
  /** When anything was last told of a site. What is written to the colo is always later than what was there, whatever the clocks say: it is felt because it differs. */
  readonly pulses: Log<Stamped>;
  /** When a site's pulse was last looked at, by its key. */
  readonly felt: Map<string, number>;
  /** When an account was last looked at, in the colo and beyond. */
  readonly seen: MemoryStore<Seen>;
};

/** The pulse that was last felt before an account was looked at, and when other colos' was. */
type Seen = { readonly pulseAt: number; readonly farAt: number };

type Watching = { readonly ports: Ports; readonly watch: Watch };

/** Whether anything can be told at all: by a forge's or store's events, or by a purge. */
export function isWatched({ config }: Ports): boolean {
  return config.webhookSecret !== undefined || config.controlToken !== undefined;
}

/** Whether what this isolate knows by a key is all that was told, as far as can be known without looking. */
export function isUpToDate({ ports, watch }: Watching, site: Site, key: string): boolean {
  if (!isWatched(ports)) return true;
  const now = ports.now();
  const pulse = pulseKey(site);
  if (now - (watch.felt.get(pulse) ?? -Infinity) >= COLO_LOOK_MS) return false;
  const seen = watch.seen.get(key);
  return seen !== undefined && isSeen(watch, pulse, seen, now);
}

function isSeen(watch: Watch, pulse: string, { pulseAt, farAt }: Seen, now: number): boolean {
  return now - farAt < FAR_LOOK_MS && pulseAtOf(watch, pulse) === pulseAt;
}

function pulseAtOf({ pulses }: Watch, pulse: string): number {
  return pulses.hot(pulse)?.at ?? 0;
}

/** Until when `isUpToDate` will hold, in milliseconds; for something it holds for now. */
export function upToDateUntil({ ports, watch }: Watching, site: Site, key: string): number {
  if (!isWatched(ports)) return Infinity;
  const felt = watch.felt.get(pulseKey(site)) ?? 0;
  return Math.min(felt + COLO_LOOK_MS, (watch.seen.get(key)?.farAt ?? 0) + FAR_LOOK_MS);
}

/** Looks where others leave what they were told. */
export async function bringUpToDate<T>(
  { ports, watch }: Watching,
  site: Site,
  { log, key }: { readonly log: Log<T>; readonly key: string },
): Promise<void> {
  if (isUpToDate({ ports, watch }, site, key)) return;
  const now = ports.now();
  const pulse = pulseKey(site);
  if (now - (watch.felt.get(pulse) ?? -Infinity) >= COLO_LOOK_MS) {
    await watch.pulses.look(pulse, false);
    watch.felt.set(pulse, now);
  }
  const seen = watch.seen.get(key);
  if (seen !== undefined && isSeen(watch, pulse, seen, now)) return;
  const isFar = seen === undefined || now - seen.farAt >= FAR_LOOK_MS;
  const pulseAt = pulseAtOf(watch, pulse);
  await log.look(key, isFar);
  watch.seen.set(key, { pulseAt, farAt: isFar ? now : seen.farAt });
}

/** Lets the isolates of the colo know that something was told of a site; after it was. */
export async function beat({ ports, watch }: Watching, site: Site, defer: Defer): Promise<void> {
  await watch.pulses.note(pulseKey(site), (before) => before ?? { at: ports.now() }, defer);
}
