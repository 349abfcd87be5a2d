import { LIMITS, type Config } from "../config.ts";
import { baseHost, type Site } from "../site.ts";

/** Which of the optional bindings are there. */
export type Bound = { readonly kv: boolean; readonly analytics: boolean; readonly database: boolean };

/** The configuration as it may be shown: of secrets, no more than whether they are set. */
export type Settings = {
  readonly sites: readonly ShownSite[];
  readonly limits: readonly ShownLimit[];
  readonly secrets: Readonly<Record<string, string>>;
  readonly bindings: Readonly<Record<string, boolean>>;
};

export type ShownSite = {
  readonly host: string;
  readonly kind: string;
  readonly origin: string;
  readonly auth?: string;
  readonly region?: string;
};

export type ShownLimit = { readonly name: string; readonly value: number; readonly fallback: number };

export function shownSettings(config: Config, { kv, analytics, database }: Bound): Settings {
  const { sites, limits, storeKeys, webhookSecret, preloadTokens } = config;
  return {
    sites: sites.map(shownSite),
    limits: Object.entries(LIMITS).map(([name, { fallback }]) => ({
      name,
      value: limits[name as keyof typeof LIMITS],
      fallback,
    })),
    secrets: {
      KEY_SECRET: "set",
      CONTROL_TOKEN: "set",
      WEBHOOK_SECRET: webhookSecret === undefined ? "not set" : "set",
      S3_KEYS: counted(storeKeys.size, "key"),
      PRELOAD_TOKENS: counted(preloadTokens.size, "host"),
    },
    bindings: { FORGEFRONT_KV: kv, FORGEFRONT_EVENTS: analytics, PIPELINES_DB: database },
  };
}

function shownSite(site: Site): ShownSite {
  const { host, kind, origin } = site;
  const base = baseHost(site);
  const shown = { host: host === base ? host : `${host} and ${base}`, kind, origin };
  return site.kind === "s3" ? Object.assign(shown, { auth: site.auth, region: site.region }) : shown;
}

function counted(count: number, what: string): string {
  if (count === 0) return "not set";
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
