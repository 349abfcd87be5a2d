import { createApp, type Defer } from "../src/app.ts";
import { readConfig } from "../src/core/config.ts";
import type { Dialect } from "../src/core/dialect.ts";
import type { Entry } from "../src/core/entry.ts";
import type { Grant } from "../src/core/grant.ts";
import { loopMark } from "../src/core/loop.ts";
import type { Refusal } from "../src/core/refusal.ts";
import type { Revision } from "../src/core/revision.ts";
import type { Site } from "../src/core/site.ts";
import type { Records, Stamped } from "../src/core/store.ts";
import { forgeDialect } from "../src/origin/forge-dialect.ts";
import { giteaForge } from "../src/origin/gitea.ts";
import { gitlabForge } from "../src/origin/gitlab.ts";
import { originClient } from "../src/origin/http.ts";
import type { Fill } from "../src/serve/fill.ts";
import { flights } from "../src/serve/flights.ts";
import { passThrough } from "../src/serve/pass-through.ts";
import type { Missing, Ports } from "../src/serve/ports.ts";
import type { KnownAsker } from "../src/serve/asker.ts";
import { coloBlocks, coloRecords, type OpenCache } from "../src/store/colo.ts";
import { kvRecords } from "../src/store/kv.ts";
import { memoryStore } from "../src/store/memory.ts";
import { tieredRecords } from "../src/store/tiered.ts";
import { secretHash } from "./secret-hash.ts";
import { telemetry } from "./telemetry.ts";

/** What of the platform the Worker uses; a test may put its own clock and faults in their place. */
export type Platform = {
  readonly now: () => number;
  readonly random: () => number;
  readonly openCache: OpenCache;
  readonly kv: KVNamespace | undefined;
  readonly analytics: AnalyticsEngineDataset | undefined;
  readonly vars: Readonly<Record<string, unknown>>;
};

/** The memory an isolate may spend on records of each kind, by a rough weight in bytes. */
const RECORDS_BYTES = 4 * 1024 * 1024;
const SMALL_RECORD_BYTES = 256;
/** How many URLs an isolate remembers the meaning of, at up to a few KiB each. */
const URLS = 2000;
/** How many repositories' git capabilities, at some 200 bytes each. */
const ADVERTISEMENTS = 1000;

/** Puts the Worker together; throws with every fault of the configuration, so that a faulty one does not start. */
export function createEdge(
  platform: Platform,
): (request: Request, defer: Defer) => Response | Promise<Response> {
  const { now, random, openCache, kv, vars } = platform;
  const answer = readConfig(vars);
  if (answer.kind === "faults") throw new Error(`Configuration has faults\n- ${answer.faults.join("\n- ")}`);
  const { config } = answer;
  const { limits } = config;
  const hash = secretHash(config.keySecret);
  const { port, scrape } = telemetry(sizes, platform.analytics);
  const onStoreError = (tier: "colo" | "kv") => port.storeError(tier);

  const records = <T extends Stamped>(far: "colo" | "kv", weigh: (record: T) => number): Records<T> => {
    const memory = memoryStore<T>(RECORDS_BYTES, weigh);
    remembered.push(memory);
    const colo = coloRecords<T>(openCache, onStoreError);
    return tieredRecords({
      memory,
      colo,
      kv: far === "kv" && kv !== undefined ? kvRecords<T>(kv, onStoreError) : undefined,
    });
  };
  const remembered: { count: number }[] = [];
  const hot = memoryStore<Uint8Array>(limits.HOT_BYTES, (bytes) => bytes.byteLength);
  const ports: Ports = {
    config,
    now,
    random,
    digest: (text) => hash.digest(text),
    dialect: dialects(config.sites, { now, timeoutMs: limits.ORIGIN_TIMEOUT_S * 1000, telemetry: port }),
    grants: records<Grant>("kv", weighGrant),
    revisions: records<Revision>("kv", weighRevision),
    denials: records<Grant>("colo", weighGrant),
    entries: records<Entry>("colo", weighEntry),
    blocks: coloBlocks(openCache, onStoreError),
    hot,
    missing: memoryStore<Missing>(RECORDS_BYTES, weighRefused),
    telemetry: port,
    async passThrough(site, request) {
      const sent = now();
      return await passThrough(site, request, (status) =>
        port.origin("pass", status ?? "unreachable", now() - sent),
      );
    },
  };

  function sizes() {
    const [grants, revisions] = remembered;
    return [
      { cache: "grant", entries: grants?.count ?? 0 },
      { cache: "revision", entries: revisions?.count ?? 0 },
      { cache: "body", entries: hot.count, bytes: hot.weight },
    ] as const;
  }

  const patienceMs = (limits.ORIGIN_TIMEOUT_S + 1) * 1000;
  return createApp({
    journey: {
      isolate: {
        ports,
        asked: flights(patienceMs),
        opened: flights(patienceMs),
        fills: new Map<string, Fill>(),
        jitterMs: Math.floor(random() * 5000),
      },
      askers: { digest: ports.digest, known: memoryStore<KnownAsker>(RECORDS_BYTES, weighAsker) },
      targets: memoryStore(URLS),
    },
    scrape: () => scrape(now()),
    isControlToken: (token) => hash.equal(token, config.controlToken ?? ""),
    onFault: (error) =>
      console.error("Unexpected failure", error instanceof Error ? error.stack : String(error)),
  });
}

type DialectParts = {
  readonly now: () => number;
  readonly timeoutMs: number;
  readonly telemetry: Ports["telemetry"];
};

function dialects(
  sites: readonly Site[],
  { now, timeoutMs, telemetry: port }: DialectParts,
): (site: Site) => Dialect {
  const bySite = new Map(
    sites.map((site) => {
      const onAnswer = (status: number | "timeout" | "unreachable", ms: number) =>
        port.origin("raw", status, ms);
      const ask = originClient({ timeoutMs, loopMark: loopMark(site), onAnswer, now });
      const forge =
        site.kind === "gitlab" ? gitlabForge(site.origin, ask, now) : giteaForge(site.origin, ask);
      return [site, forgeDialect({ forge, ask, now, advertisements: memoryStore(ADVERTISEMENTS) })] as const;
    }),
  );
  return (site) => {
    const dialect = bySite.get(site);
    if (dialect === undefined) throw new TypeError("A site without a dialect");
    return dialect;
  };
}

function weighRefused({ refusal }: { readonly refusal: Refusal }): number {
  return SMALL_RECORD_BYTES + refusal.body.length;
}

function weighGrant(grant: Grant): number {
  return grant.kind === "yes" ? SMALL_RECORD_BYTES : weighRefused(grant);
}

function weighRevision(revision: Revision): number {
  return SMALL_RECORD_BYTES + (revision.kind === "refs" ? revision.refs.length * 160 : 0);
}

function weighEntry({ headers }: Entry): number {
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length, 2 * SMALL_RECORD_BYTES);
}

/** What was sent is held twice: as the asker, and as the key it is found by. */
function weighAsker({ asker, sentLength }: KnownAsker): number {
  return SMALL_RECORD_BYTES + 2 * (sentLength + asker.principal.text.length);
}
