import { lookup } from "mrmime";
import { createApp, type Defer } from "../src/app.ts";
import { readConfig } from "../src/core/config.ts";
import { merged, mergedGroups, type Changes, type GroupChanges } from "../src/core/events/changes.ts";
import { mergedWritten, type Written } from "../src/core/events/written.ts";
import type { ColoLook } from "../src/core/look/colo-look.ts";
import type { Entry } from "../src/core/entry.ts";
import type { Grant } from "../src/core/grant.ts";
import type { Rendering, Standing } from "../src/core/pipelines/rendering.ts";
import type { Revision } from "../src/core/revision.ts";
import type { Log, MemoryStore, Records, Stamped } from "../src/core/store.ts";
import type { Links } from "../src/core/zip/links.ts";
import { sigv4 } from "../src/origin/sigv4.ts";
import type { KnownDirectory } from "../src/serve/known-directory.ts";
import { lookout } from "../src/serve/lookout.ts";
import { newFills } from "../src/serve/fills.ts";
import { flights } from "../src/serve/flights.ts";
import { hookReading } from "../src/serve/hook-bodies.ts";
import { passThrough } from "../src/serve/pass-through.ts";
import type { Missing, Ports } from "../src/serve/ports.ts";
import { spareMemory } from "../src/serve/spare-memory.ts";
import { newTurns } from "../src/serve/turns.ts";
import { allowance } from "../src/store/allowance.ts";
import { coloBlocks, coloRecords, type OpenCache } from "../src/store/colo.ts";
import { kvKeys } from "../src/store/kv-keys.ts";
import { kvRecords } from "../src/store/kv.ts";
import { mergedLog } from "../src/store/log.ts";
import { tieredRecords } from "../src/store/tiered.ts";
import { bytesStore } from "./bytes-store.ts";
import { codec } from "./codec.ts";
import { hookProof } from "./hook-proof.ts";
import { addressOf, dialects, listDatabases } from "./origins.ts";
import { secretHash } from "./secret-hash.ts";
import { telemetry } from "./telemetry.ts";
import {
  weighAccount,
  weighAsked,
  weighAsker,
  weighDirectory,
  weighEntry,
  weighGrant,
  weighLinks,
  weighRefused,
  weighRevision,
} from "./weights.ts";

/** What of the platform the Worker uses; a test may put its own clock and faults in their place. */
export type Platform = {
  readonly now: () => number;
  readonly random: () => number;
  readonly wait: (ms: number) => Promise<void>;
  readonly openCache: OpenCache;
  readonly kv: KVNamespace | undefined;
  readonly analytics: AnalyticsEngineDataset | undefined;
  readonly database: Hyperdrive | undefined;
  readonly vars: Readonly<Record<string, unknown>>;
};

/** The memory an isolate may spend on records of each kind, by a rough weight in bytes. */
const RECORDS_BYTES = 4 * 1024 * 1024;
/** The same for what URLs ask for. */
const URLS_BYTES = 8 * 1024 * 1024;
/** How many keys, each about as long as its URL and with room for what is escaped in it, are remembered with what it asks for. */
const KEYS_OF_A_URL = 10;
/** How many blocks' memory is kept to be used again. */
const SPARE_BLOCKS = 12;
/** The memory an isolate may spend on small notes of each kind: what was looked at, found right, or read up to where. */
const NOTES_BYTES = 2 * 1024 * 1024;

/** How many grants and revisions an isolate writes to KV: whoever finds a way to cause more does not run up the bill with it. */
const KV_WRITES_PER_S = 20;
const KV_WRITES_SAVED_S = 30;

const A_DAY_S = 86_400;
/** For how long a write is remembered past the life of what it ends: answers under way may come that late. */
const WRITTEN_MARGIN_S = 60;

/** The memory an isolate may spend on counting which files of projects are asked for. */
const ASKED_BYTES = 8 * 1024 * 1024;

type LogOf<T> = {
  readonly merge: (one: T, other: T) => T;
  readonly weigh?: (account: T) => number;
  readonly keptS: number;
  readonly far: "colo" | "kv";
  readonly stamp?: (account: T) => T;
};

/** Puts the Worker together; throws with every fault of the configuration, so that a faulty one does not start. */
export function createEdge(
  platform: Platform,
): (request: Request, defer: Defer) => Response | Promise<Response> {
  const { now, random, openCache, kv, vars, wait } = platform;
  const answer = readConfig(vars);
  if (answer.kind === "faults") throw new Error(`Configuration has faults\n- ${answer.faults.join("\n- ")}`);
  const { config } = answer;
  const { limits } = config;
  const hash = secretHash(config.keySecret);
  const signer = sigv4();
  const isolate = () => Math.floor(random() * 2 ** 40).toString(36);
  const { port, scrape, look } = telemetry({ sizes, dataset: platform.analytics, isolate });
  const onDatabase = (outcome: string, failure: unknown): void => {
    port.database(outcome);
    if (failure instanceof Error) console.error(failure.message, failure.cause);
  };
  const onStoreError = (tier: "colo" | "kv") => {
    port.storeError(tier);
    port.trouble({ problem: `${tier} failed`, at: now() });
  };

  const mayWriteKv = allowance(KV_WRITES_PER_S, KV_WRITES_SAVED_S, now);
  const records = <T extends Stamped>(far: "colo" | "kv", memory: MemoryStore<T>): Records<T> =>
    tieredRecords({
      memory,
      colo: coloRecords<T>(openCache, onStoreError),
      kv: far === "kv" && kv !== undefined ? kvRecords<T>(kv, onStoreError, mayWriteKv) : undefined,
      now,
    });
  const memories = {
    grants: bytesStore<Grant>(RECORDS_BYTES, weighGrant),
    revisions: bytesStore<Revision>(RECORDS_BYTES, weighRevision),
    objects: bytesStore<Revision>(RECORDS_BYTES, weighRevision),
  };

  const log = <T>({ merge, weigh, keptS, far, stamp }: LogOf<T>): Log<T> =>
    mergedLog<T>({
      memory: bytesStore<T>(RECORDS_BYTES, weigh),
      colo: coloRecords<T>(openCache, onStoreError),
      kv: far === "kv" && kv !== undefined ? kvRecords<T>(kv, onStoreError) : undefined,
      merge,
      wait,
      keptS,
      ...(stamp !== undefined && { stamp }),
    });
  const hot = bytesStore<Uint8Array>(limits.HOT_BYTES, (bytes) => bytes.byteLength);
  const ports: Ports = {
    config,
    now,
    random,
    digest: (text) => hash.digest(text),
    signer,
    codec,
    mediaType: (path) => lookup(path),
    dialect: dialects(config, { now, signer, telemetry: port }),
    changes: log<Changes>({ merge: merged, weigh: weighAccount, keptS: A_DAY_S, far: "kv" }),
    groups: log<GroupChanges>({ merge: mergedGroups, weigh: weighAccount, keptS: A_DAY_S, far: "kv" }),
    proveHook: hookProof(config.webhookSecret ?? "", now),
    writes: log<Written>({
      merge: mergedWritten,
      weigh: weighAccount,
      keptS: limits.OBJECT_FRESH_S + limits.STALE_IF_ERROR_S + WRITTEN_MARGIN_S,
      far: "colo",
    }),
    listDatabase: listDatabases(config, platform.database, { now, onAnswer: onDatabase }),
    grants: records("kv", memories.grants),
    revisions: records("kv", memories.revisions),
    objects: records("colo", memories.objects),
    standings: records("colo", bytesStore<Standing>(RECORDS_BYTES)),
    renderings: records("colo", bytesStore<Rendering>(RECORDS_BYTES, weighEntry)),
    denials: records("colo", bytesStore<Grant>(RECORDS_BYTES, weighGrant)),
    entries: records("colo", bytesStore<Entry>(RECORDS_BYTES, weighEntry)),
    blocks: coloBlocks(openCache, onStoreError),
    directories: bytesStore<KnownDirectory>(limits.DIRECTORIES_BYTES, weighDirectory),
    links: bytesStore<Links>(RECORDS_BYTES, weighLinks),
    hot,
    missing: bytesStore<Missing>(RECORDS_BYTES, weighRefused),
    telemetry: port,
    async passThrough(passing) {
      const sent = now();
      const { site, request } = passing;
      const onAnswer = (status: number | undefined) => {
        const at = now();
        const went = { status: status ?? ("unreachable" as const), ms: at - sent, at };
        port.origin({ host: site.host, lane: "pass", method: request.method, ...went });
      };
      const address = addressOf(passing, { signer, keys: config.storeKeys, now });
      return await passThrough({ ...passing, address, onAnswer });
    },
  };

  function sizes() {
    const { grants, revisions, objects } = memories;
    return [
      { cache: "grant", entries: grants.count },
      { cache: "revision", entries: revisions.count + objects.count },
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
        fills: newFills(),
        spare: spareMemory(limits.BLOCK_BYTES, SPARE_BLOCKS),
        checked: bytesStore(NOTES_BYTES),
        directories: flights(patienceMs),
        hookBodies: hookReading(limits.HOOK_BYTES, now),
        turns: newTurns(limits.ZIP_DIRECTORY_BYTES, now, wait),
        links: flights(patienceMs),
        readUpTo: bytesStore(NOTES_BYTES),
        askedFiles: bytesStore(ASKED_BYTES, weighAsked),
        watch: {
          pulses: log<Stamped>({
            merge: (one, other) => (other.at > one.at ? other : one),
            stamp: ({ at }) => ({ at: Math.max(now(), at + 1) }),
            keptS: A_DAY_S,
            far: "colo",
          }),
          felt: new Map(),
          seen: bytesStore(NOTES_BYTES),
        },
        jitterMs: Math.floor(random() * 5000),
      },
      askers: { digest: ports.digest, known: bytesStore(RECORDS_BYTES, weighAsker) },
      targets: bytesStore(URLS_BYTES, (_known, url) => KEYS_OF_A_URL * url.length),
    },
    scrape: () => scrape(now()),
    lookout:
      config.controlToken === undefined
        ? undefined
        : lookout({ looks: coloRecords<ColoLook>(openCache, onStoreError), see: look, now }),
    bound: {
      kv: kv !== undefined,
      analytics: platform.analytics !== undefined,
      database: platform.database !== undefined,
    },
    listKv: kv && kvKeys(kv, onStoreError),
    isControlToken: (token) => hash.equal(token, config.controlToken ?? ""),
    onFault(error) {
      port.trouble({ problem: "internal", at: now() });
      console.error("Unexpected failure", error instanceof Error ? error.stack : String(error));
    },
  });
}
