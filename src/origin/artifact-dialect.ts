import type { Asking, Dialect, Opening } from "../core/dialect.ts";
import type { Principal } from "../core/principal.ts";
import type { MemoryStore } from "../core/store.ts";
import type { ArtifactTarget } from "../core/target.ts";
import { askArtifact } from "./artifact-ask.ts";
import { openArtifact } from "./artifact-open.ts";
import type { AskOrigin } from "./http.ts";
import type { StorageAddress } from "./storage-address.ts";

export type ArtifactAsking = Asking<ArtifactTarget, Principal>;
export type ArtifactOpening = Opening<ArtifactTarget, Principal>;

export type ArtifactParts = {
  readonly origin: string;
  readonly ask: AskOrigin;
  readonly now: () => number;
  /** Where artifacts are in object storage, by their address at the forge. Only ever used for an asker with a live grant. */
  readonly addresses: MemoryStore<StorageAddress>;
};

/** Artifacts of GitLab's jobs, wherever they are kept: by the forge itself, or in an object storage it sends to. */
export function artifactDialect(parts: ArtifactParts): Dialect {
  return {
    ask: (asking: ArtifactAsking) => askArtifact(parts, asking),
    open: (opening: ArtifactOpening) => openArtifact(parts, opening),
  };
}
