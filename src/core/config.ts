import { readDatabaseSite } from "./config-database.ts";
import { readSites } from "./config-sites.ts";
import { readPreloadTokens, readSecret, readStoreKeys } from "./config-secrets.ts";
import { signingKeyOf } from "./events/signing-key.ts";
import type { ForgeSite, Site } from "./site.ts";

type Limit = { readonly fallback: number; readonly min: number; readonly max: number };

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Every numeric variable: its default and the values that make sense, in the unit its name ends with. */
export const LIMITS = {
  /** How long a yes is believed; 0 asks the origin for every request. */
  GRANT_S: { fallback: 30, min: 0, max: 30 },
  /** Age from which a hit starts one refresh behind the response; two thirds of `GRANT_S` where it is not set. */
  GRANT_REFRESH_S: { fallback: 20, min: 1, max: 30 },
  /** How long a no is believed. */
  DENIAL_S: { fallback: 10, min: 1, max: 10 },
  /** How long a branch or tag is believed to stand for the same commit. */
  REF_S: { fallback: 60, min: 1, max: 3600 },
  /** How long a ref or path is believed to be missing. */
  MISSING_S: { fallback: 10, min: 1, max: 60 },
  /** How long what is known of a file at a commit is believed before the origin is asked whether it still has it. */
  ENTRY_S: { fallback: 86_400, min: 60, max: 31_536_000 },
  /** How long an object is believed to be as it was, where it was not changed through the edge. */
  OBJECT_FRESH_S: { fallback: 30, min: 0, max: 3600 },
  /** How long a list of pipelines is believed to be as it was, where no event says otherwise. */
  PIPELINES_FRESH_S: { fallback: 5, min: 0, max: 300 },
  /** The same of a pipeline that is finished, and of its jobs. */
  PIPELINES_FINISHED_S: { fallback: 60, min: 0, max: 86_400 },
  /** How long the forge's database may take to make a list, connecting included. */
  PIPELINES_DB_S: { fallback: 3, min: 1, max: 30 },
  /** How many of a branch's most wanted files are fetched anew when an event tells that it was pushed to; 0 for none. */
  PRELOAD_FILES: { fallback: 0, min: 0, max: 50 },
  /** The longest body of an event. */
  HOOK_BYTES: { fallback: 4 * MIB, min: 1024, max: 25 * MIB },
  /** The largest object that is cached; larger ones are passed through. */
  OBJECT_BYTES: { fallback: 64 * GIB, min: 0, max: 5 * 1024 * GIB },
  /** How many blocks of a long read are asked of a store at once, and how far reading goes ahead of the readers. */
  READ_AHEAD_BLOCKS: { fallback: 8, min: 1, max: 64 },
  /** How long past `REF_S` the last good commit may stand in for an unreachable origin. */
  STALE_IF_ERROR_S: { fallback: 300, min: 0, max: 86_400 },
  /** How long the origin may take to start an answer. */
  ORIGIN_TIMEOUT_S: { fallback: 15, min: 1, max: 100 },
  /** How long a body may stand still before it counts as broken. */
  ORIGIN_STALL_S: { fallback: 20, min: 1, max: 100 },
  /** The piece in which bodies are stored. */
  BLOCK_BYTES: { fallback: 2 * MIB, min: 16 * 1024, max: 16 * MIB },
  /** The memory an isolate may spend on small bodies. */
  HOT_BYTES: { fallback: 24 * MIB, min: 0, max: 64 * MIB },
  /** The largest body that is kept in memory. */
  HOT_BODY_BYTES: { fallback: 512 * 1024, min: 0, max: 1 * MIB },
  /** How many parts one Range header may ask for before it is ignored. */
  RANGE_PARTS: { fallback: 16, min: 1, max: 100 },
  /** The most entries an archive may have. */
  ZIP_ENTRIES: { fallback: 100_000, min: 0, max: 1_000_000 },
  /** The largest directory of an archive. */
  ZIP_DIRECTORY_BYTES: { fallback: 16 * MIB, min: 1024, max: 64 * MIB },
  /** To how many times its packed size an entry may unpack; deflate can do 1,032. */
  ZIP_RATIO: { fallback: 500, min: 1, max: 1_000_000 },
  /** The most symbolic links an archive may have. */
  ZIP_LINKS: { fallback: 10_000, min: 0, max: 100_000 },
  /** The memory an isolate may spend on directories of archives. */
  DIRECTORIES_BYTES: { fallback: 16 * MIB, min: 0, max: 64 * MIB },
  /** The longest request path that is looked at. */
  PATH_BYTES: { fallback: 4096, min: 256, max: 16_384 },
} as const satisfies Record<string, Limit>;

export type Limits = { readonly [name in keyof typeof LIMITS]: number };

export type Config = {
  readonly sites: readonly Site[];
  readonly limits: Limits;
  readonly keySecret: string;
  /** Secrets by access key id, for sites that verify signatures themselves. */
  readonly storeKeys: ReadonlyMap<string, string>;
  /** Without it the control routes that need it do not exist. */
  readonly controlToken: string | undefined;
  /** What events of the forge or store are proven by; without it they are not taken. */
  readonly webhookSecret: string | undefined;
  /** As whom files are fetched that nobody has asked for yet, by the host of a site; as nobody where there is none. */
  readonly preloadTokens: ReadonlyMap<string, string>;
  /** The site whose forge the bound database is of; `undefined` where none is bound. */
  readonly databaseSite: ForgeSite | undefined;
};

export type ConfigAnswer =
  | { readonly kind: "config"; readonly config: Config }
  | { readonly kind: "faults"; readonly faults: readonly string[] };

/** What can stand after `Bearer` (RFC 6750 §2.1). */
const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Reads every variable and secret at once; all faults are reported together, and none is papered over by a default. */
export function readConfig(vars: Readonly<Record<string, unknown>>): ConfigAnswer {
  const faults: string[] = [];
  const sites = readSites(vars["SITES"], faults);
  const limits = readLimits(vars, faults);
  const keySecret = readSecret(vars, "KEY_SECRET", faults);
  const controlToken = readSecret(vars, "CONTROL_TOKEN", faults);
  const webhookSecret = readSecret(vars, "WEBHOOK_SECRET", faults);
  const databaseSite = readDatabaseSite(vars, sites, faults);
  const storeKeys = readStoreKeys(vars["S3_KEYS"], faults);
  const preloadTokens = readPreloadTokens(vars["PRELOAD_TOKENS"], sites, faults);
  if (storeKeys.size === 0 && vars["S3_KEYS"] === undefined && sites.some(needsStoreKeys)) {
    faults.push("S3_KEYS is missing: sites with auth edge verify signatures with it");
  }
  if (keySecret === undefined && vars["KEY_SECRET"] === undefined) {
    faults.push("KEY_SECRET is missing: set it with `wrangler secret put KEY_SECRET`");
  }
  if (controlToken !== undefined && !BEARER_TOKEN.test(controlToken)) {
    faults.push("CONTROL_TOKEN must be made of what a bearer token may hold: letters, digits and -._~+/");
  }
  if (webhookSecret?.startsWith("whsec_") === true && signingKeyOf(webhookSecret) === undefined) {
    faults.push("WEBHOOK_SECRET begins with whsec_, so the rest must be the signing key in Base64");
  }
  if (faults.length > 0 || keySecret === undefined) return { kind: "faults", faults };
  return {
    kind: "config",
    config: { sites, limits, keySecret, storeKeys, controlToken, webhookSecret, preloadTokens, databaseSite },
  };
}

function readLimits(vars: Readonly<Record<string, unknown>>, faults: string[]): Limits {
  const limits: Record<string, number> = {};
  for (const [name, limit] of Object.entries<Limit>(LIMITS)) {
    limits[name] = readLimit(name, vars[name], limit, faults);
  }
  const { GRANT_S = 0, GRANT_REFRESH_S = 0 } = limits;
  if (vars["GRANT_REFRESH_S"] === undefined) limits["GRANT_REFRESH_S"] = Math.floor((GRANT_S * 2) / 3);
  else if (GRANT_S > 0 && GRANT_REFRESH_S > GRANT_S) faults.push("GRANT_REFRESH_S must not exceed GRANT_S");
  return limits as Limits;
}

function readLimit(name: string, value: unknown, limit: Limit, faults: string[]): number {
  if (value === undefined) return limit.fallback;
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= limit.min && number <= limit.max) {
    return number;
  }
  faults.push(
    `${name} must be a whole number from ${limit.min} to ${limit.max}, not ${JSON.stringify(value)}`,
  );
  return limit.fallback;
}

function needsStoreKeys(site: Site): boolean {
  return site.kind === "s3" && site.auth === "edge";
}
