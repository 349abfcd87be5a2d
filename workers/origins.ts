import type { Config } from "../src/core/config.ts";
import type { Dialect } from "../src/core/dialect.ts";
import { loopMark } from "../src/core/loop.ts";
import type { Outgoing } from "../src/core/outgoing.ts";
import type { ListDatabase } from "../src/core/pipelines/list-database.ts";
import type { Signer } from "../src/core/signer.ts";
import type { Site } from "../src/core/site.ts";
import type { Target } from "../src/core/target.ts";
import type { LaneName } from "../src/core/telemetry.ts";
import { artifactDialect } from "../src/origin/artifact-dialect.ts";
import { forgeDialect } from "../src/origin/forge-dialect.ts";
import { listDatabase } from "../src/origin/list-database.ts";
import { pipelinesDatabase } from "../src/origin/pipelines-db.ts";
import { postgresRunner } from "../src/origin/postgres.ts";
import { pipelinesDialect } from "../src/origin/pipelines-dialect.ts";
import { giteaForge } from "../src/origin/gitea.ts";
import { gitlabForge } from "../src/origin/gitlab.ts";
import { originClient, type Answered } from "../src/origin/http.ts";
import type { StorageAddress } from "../src/origin/storage-address.ts";
import { storeDialect } from "../src/origin/store-dialect.ts";
import { storeOutgoing } from "../src/origin/store-outgoing.ts";
import { splitUrl } from "../src/serve/arrival.ts";
import type { Passing, Ports } from "../src/serve/ports.ts";
import { bytesStore } from "./bytes-store.ts";
import { codec } from "./codec.ts";

/** The memory an isolate may spend on the git capabilities of repositories, some 200 bytes each. */
const ADVERTISEMENTS_BYTES = 1024 * 1024;

/** The same for the places of artifacts in object storage, at up to some KiB each. */
const ADDRESSES_BYTES = 2 * 1024 * 1024;

type Signing = { readonly signer: Signer; readonly now: () => number };

type DialectParts = Signing & { readonly telemetry: Ports["telemetry"] };

/** Each site's way of answering who, which and what. */
export function dialects(
  { sites, limits, storeKeys }: Config,
  { now, signer, telemetry: port }: DialectParts,
): (site: Site) => Dialect {
  const timeoutMs = limits.ORIGIN_TIMEOUT_S * 1000;
  const bySite = new Map<Site, Dialect>();
  for (const site of sites) {
    const asking = (lane: LaneName) => {
      const onAnswer = (answer: Answered) => port.origin({ ...answer, host: site.host, lane });
      return originClient({ timeoutMs, loopMark: loopMark(site), onAnswer, now });
    };
    const ask = asking(site.kind === "s3" ? "object" : "raw");
    if (site.kind === "s3") {
      const caching = { blockBytes: limits.BLOCK_BYTES, objectBytes: limits.OBJECT_BYTES };
      bySite.set(site, storeDialect({ site, signer, keys: storeKeys, now, ask, limits: caching }));
    } else {
      const forge =
        site.kind === "gitlab" ? gitlabForge(site.origin, ask, now) : giteaForge(site.origin, ask);
      const files = forgeDialect({
        forge,
        ask,
        now,
        advertisements: bytesStore(ADVERTISEMENTS_BYTES, (bytes) => bytes.byteLength),
      });
      const addresses = bytesStore<StorageAddress>(ADDRESSES_BYTES, ({ url }) => url.length);
      const artifacts = artifactDialect({ origin: site.origin, ask: asking("artifact"), now, addresses });
      const pipelines = pipelinesDialect({ site, ask: asking("pipelines"), now, codec });
      bySite.set(site, byLane({ files, artifacts, pipelines }));
    }
  }
  return (site) => {
    const dialect = bySite.get(site);
    if (dialect === undefined) throw new TypeError("A site without a dialect");
    return dialect;
  };
}

type Lanes = { readonly files: Dialect; readonly artifacts: Dialect; readonly pipelines: Dialect };

/** For how long a database is left alone after it failed. */
const DATABASE_REST_MS = 10_000;

type DatabaseTold = {
  readonly now: () => number;
  readonly onAnswer: (outcome: string, failure: unknown) => void;
};

/** The database of the one site that it is of. */
export function listDatabases(
  { databaseSite, limits }: Config,
  binding: Hyperdrive | undefined,
  { now, onAnswer }: DatabaseTold,
): (site: Site) => ListDatabase | undefined {
  if (databaseSite === undefined || binding === undefined) return () => undefined;
  const run = postgresRunner(() => binding, limits.PIPELINES_DB_S * 1000);
  const database = pipelinesDatabase({ run, restMs: DATABASE_REST_MS, now });
  const lists = listDatabase({
    database,
    site: databaseSite,
    now,
    restMs: DATABASE_REST_MS,
    onAnswer,
  });
  return (site) => (site === databaseSite ? lists : undefined);
}

/** A forge has files and pipelines, and GitLab artifacts of its jobs. */
function byLane({ files, artifacts, pipelines }: Lanes): Dialect {
  const of = ({ lane }: Target) =>
    lane === "pipelines" ? pipelines : lane === "artifact" ? artifacts : files;
  return {
    ask: (asking) => of(asking.target).ask(asking),
    open: (opening) => of(opening.target).open(opening),
  };
}

type PassingKeys = Signing & { readonly keys: ReadonlyMap<string, string> };

/** How a request that is passed through reaches its origin. */
export function addressOf(
  passing: Passing,
  { signer, keys, now }: PassingKeys,
): (headers: Headers) => Outgoing {
  const { site, request, bucket, signedBy } = passing;
  const { method, url, body } = request;
  const { host, path, search } = splitUrl(url);
  return (headers) => {
    if (site.kind !== "s3") return { url: site.origin + path + search, headers };
    const passed = { method, host, path, search, bucket, headers, body, signedBy };
    return storeOutgoing({ site, signer, keys, now }, passed);
  };
}
