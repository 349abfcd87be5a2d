import { judge, type Lifetime } from "../core/freshness.ts";
import type { Grant } from "../core/grant.ts";
import { changesOf, mayBeThereAt } from "./changes.ts";
import type { Visit } from "./visit.ts";
import { writtenAt } from "./written.ts";

/** Whether a verdict is still believed. A "no" to an object may have been for want of it: once it is written, it is asked for again. */
export function isGrantUsable(visit: Visit, grant: Grant): boolean {
  if (grant.kind === "no" && grant.at <= writtenAt(visit)) return false;
  const changes = changesOf(visit);
  if (grant.kind !== "hold" && grant.at <= (changes?.accessAt ?? 0)) return false;
  if (grant.kind === "no" && grant.at <= mayBeThereAt(changes, visit.target)) return false;
  return judge(grant.at, visit.isolate.ports.now(), grantLifetime(visit, grant)) !== "expired";
}

/** Refreshes are spread by the low digits of the stamp and the isolate's own share of chance. */
const JITTER_MS = 5000;

/** How long a verdict is believed, and from when it is renewed behind a hit. */
export function grantLifetime(visit: Visit, grant: Grant): Lifetime {
  const { limits } = visit.isolate.ports.config;
  if (grant.kind === "hold") return { soft: Infinity, hard: grant.until - grant.at };
  if (grant.kind === "no") return { soft: Infinity, hard: limits.DENIAL_S * 1000 };
  const jitter = (grant.at + visit.isolate.jitterMs) % JITTER_MS;
  return { soft: limits.GRANT_REFRESH_S * 1000 + jitter, hard: limits.GRANT_S * 1000 };
}
