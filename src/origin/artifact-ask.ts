import type { Answer } from "../core/dialect.ts";
import type { Entry } from "../core/entry.ts";
import { Failure } from "../core/problem.ts";
import { signInPath } from "../core/sign-in.ts";
import type { ArtifactAsking, ArtifactParts } from "./artifact-parts.ts";
import { artifactName, readArtifact } from "./artifact-entry.ts";
import { knock, readStorage, type Knocking } from "./artifact-knock.ts";
import { discard } from "./http.ts";
import { readVerdict } from "./verdict.ts";

/** One byte tells who may read, and how long the artifact is. */
const ONE_BYTE: readonly [string, string] = ["Range", "bytes=0-0"];

/**
 * Asks for one byte as the asker. Where the forge sends to its object storage that is a yes, and the byte is asked for there
 * without any credential; what is known already of an artifact at that very place need not be asked again.
 */
export async function askArtifact(
  parts: ArtifactParts,
  { target, principal, known }: ArtifactAsking,
): Promise<Answer> {
  const at = parts.now();
  const knocking: Knocking = { target, principal, headers: [ONE_BYTE] };
  const knocked = await knock(parts, knocking);
  if (knocked.kind === "unclear") return knocked;
  if (knocked.kind === "storage") {
    const name = artifactName(target, knocked);
    if (known?.identity.startsWith(`${name}:`) === true) return admitted(known, at);
    const response = await readStorage(parts, knocked.address, [ONE_BYTE]);
    return await conclude(readArtifact(response, { at, name, place: knocked }), response);
  }
  const { response } = knocked;
  const refused = await readVerdict(response, signInPath("gitlab"), parts.now(), "scope");
  if (refused !== undefined) return refused;
  const name = artifactName(target, knocked);
  return await conclude(readArtifact(response, { at, name, place: knocked }), response);
}

async function conclude(entry: Entry | undefined, response: Response): Promise<Answer> {
  await discard(response);
  if (response.status >= 300 && response.status !== 416)
    throw new Failure("origin_error", `Object storage answered ${response.status}`);
  return entry === undefined ? { kind: "unclear" } : admitted(entry, entry.at);
}

function admitted(entry: Entry, at: number): Answer {
  return { kind: "admitted", revision: { at, kind: "object", entry, freshS: undefined } };
}
