import type { Codec } from "../core/codec.ts";
import type { Config } from "../core/config.ts";
import type { Dialect } from "../core/dialect.ts";
import type { Entry } from "../core/entry.ts";
import type { ReadHeader } from "../core/header-fields.ts";
import type { Changes, GroupChanges } from "../core/events/changes.ts";
import type { HookProof } from "../core/events/hook-proof.ts";
import type { Written } from "../core/events/written.ts";
import type { Grant } from "../core/grant.ts";
import type { ListDatabase } from "../core/pipelines/list-database.ts";
import type { Rendering, Standing } from "../core/pipelines/rendering.ts";
import type { Refusal } from "../core/refusal.ts";
import type { Revision } from "../core/revision.ts";
import type { SignedBy } from "../core/signature.ts";
import type { Signer } from "../core/signer.ts";
import type { Site, SiteKind } from "../core/site.ts";
import type { BlockStore, Log, MemoryStore, Records } from "../core/store.ts";
import type { Telemetry } from "../core/telemetry.ts";
import type { Links } from "../core/zip/links.ts";
import type { KnownDirectory } from "./known-directory.ts";

/** All of the world that the journey touches. */
export type Ports = {
  readonly config: Config;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A number from 0 to 1. */
  readonly random: () => number;
  /** Keyed hash of a credential, in hex. */
  readonly digest: (text: string) => Promise<string>;
  readonly signer: Signer;
  readonly codec: Codec;
  /** The media type that a file name's extension stands for. */
  readonly mediaType: (path: string) => string | undefined;
  readonly dialect: (site: Site) => Dialect;
  readonly grants: Records<Grant>;
  /** Denials of one name, and scopes to be left alone: never in KV. */
  readonly denials: Records<Grant>;
  readonly revisions: Records<Revision>;
  /** What objects were; in memory and the colo alone. */
  readonly objects: Records<Revision>;
  /** What was told of projects. */
  readonly changes: Log<Changes>;
  /** What was told of groups of projects. */
  readonly groups: Log<GroupChanges>;
  /** Whether a delivery comes from who knows the secret; nobody does where there is none. */
  readonly proveHook: (kind: SiteKind, header: ReadHeader) => HookProof;
  /** What was told of writes to objects, in the colo alone. */
  readonly writes: Log<Written>;
  /** What askers were told of lists, and which renderings are the newest. */
  readonly standings: Records<Standing>;
  readonly renderings: Records<Rendering>;
  /** The database that lists of a site's pipelines are made of, where there is one. */
  readonly listDatabase: (site: Site) => ListDatabase | undefined;
  readonly entries: Records<Entry>;
  readonly blocks: BlockStore;
  /** Directories of archives. */
  readonly directories: MemoryStore<KnownDirectory>;
  /** Texts of archives' symbolic links. */
  readonly links: MemoryStore<Links>;
  /** Whole small bodies. */
  readonly hot: MemoryStore<Uint8Array>;
  /** What an asker was told is missing. */
  readonly missing: MemoryStore<Missing>;
  readonly telemetry: Telemetry;
  /** Sends a request on: as it is, or signed anew for the holder of a key. */
  readonly passThrough: (passing: Passing) => Promise<Response>;
};

export type Passing = {
  readonly site: Site;
  readonly request: Request;
  /** The bucket that stands in the host name. */
  readonly bucket: string | undefined;
  readonly signedBy: SignedBy | undefined;
};

export type Missing = { readonly at: number; readonly refusal: Refusal };
