import type { Asking, Opening } from "../core/dialect.ts";
import type { Principal } from "../core/principal.ts";
import type { MemoryStore } from "../core/store.ts";
import type { ArtifactTarget } from "../core/target.ts";
import type { AskOrigin } from "./http.ts";
import type { StorageAddress } from "./storage-address.ts";

export type ArtifactAsking = Asking<ArtifactTarget, Principal>;
export type ArtifactOpening = Opening<ArtifactTarget, Principal>;

/** What GitLab is asked for artifacts with. */
export type ArtifactParts = {
  readonly origin: string;
  readonly ask: AskOrigin;
  readonly now: () => number;
  /** Where artifacts are in object storage, by their address at the forge. Only ever used for an asker with a live grant. */
  readonly addresses: MemoryStore<StorageAddress>;
};
