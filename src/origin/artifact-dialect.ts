import type { Dialect } from "../core/dialect.ts";
import { askArtifact } from "./artifact-ask.ts";
import { openArtifact } from "./artifact-open.ts";
import type { ArtifactAsking, ArtifactOpening, ArtifactParts } from "./artifact-parts.ts";

/** Artifacts of GitLab's jobs, wherever they are kept: by the forge itself, or in an object storage it sends to. */
export function artifactDialect(parts: ArtifactParts): Dialect {
  return {
    ask: (asking: ArtifactAsking) => askArtifact(parts, asking),
    open: (opening: ArtifactOpening) => openArtifact(parts, opening),
  };
}
