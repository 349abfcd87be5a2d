import type { Opened } from "../core/dialect.ts";
import type { Entry } from "../core/entry.ts";
import { Failure } from "../core/problem.ts";
import { signInPath } from "../core/sign-in.ts";
import { artifactUrl } from "./artifact-address.ts";
import type { ArtifactOpening, ArtifactParts } from "./artifact-parts.ts";
import { artifactName, readArtifact } from "./artifact-entry.ts";
import { knock, readStorage } from "./artifact-knock.ts";
import { discard } from "./http.ts";
import { partExtent } from "./part-extent.ts";
import { readVerdict } from "./verdict.ts";

/** Reads a range of an artifact that is known: of that very one, or not at all. */
export async function openArtifact(parts: ArtifactParts, opening: ArtifactOpening): Promise<Opened> {
  const { target, principal, pin, from, until } = opening;
  if (pin.kind !== "object" || until === undefined)
    throw new TypeError("Only what is known of an artifact can be opened");
  const { entry } = pin;
  const range: [string, string][] =
    entry.isRangeless === true ? [] : [["Range", `bytes=${from}-${until - 1}`]];
  const remembered = await openRemembered(parts, opening, range);
  if (remembered !== undefined) return await readBody(remembered, { entry, from, until });
  const knocked = await knock(parts, { target, principal, headers: range });
  if (knocked.kind === "unclear") return knocked;
  const isStored = knocked.kind === "storage";
  const response = isStored ? await readStorage(parts, knocked.address, range) : knocked.response;
  if (!isStored && response.status !== 416) {
    const refused = await readVerdict(response, signInPath("gitlab"), parts.now(), "scope");
    if (refused?.kind === "refused") return { kind: "refused", refusal: refused.refusal };
    if (refused !== undefined) return refused;
  }
  const read = readArtifact(response, { at: entry.at, name: artifactName(target, knocked), place: knocked });
  return await readBody({ response, read }, { entry, from, until });
}

type Read = { readonly response: Response; readonly read: Entry | undefined };

/** From where the object storage was last known to have it; `undefined` where that is not known any more. */
async function openRemembered(
  parts: ArtifactParts,
  { target, pin }: ArtifactOpening,
  range: [string, string][],
): Promise<Read | undefined> {
  const key = artifactUrl(parts.origin, target);
  const address = parts.addresses.get(key);
  if (address === undefined || parts.now() >= address.until || pin.kind !== "object") return undefined;
  const { entry } = pin;
  const place = { job: entry.job, address };
  const name = artifactName(target, place);
  if (!entry.identity.startsWith(`${name}:`)) return undefined; // the latest job is another one by now
  const response = await readStorage(parts, address, range);
  if (response.status === 200 || response.status === 206)
    return { response, read: readArtifact(response, { at: entry.at, name, place }) };
  await discard(response); // its signature may have ended all the same
  parts.addresses.delete(key);
  return undefined;
}

type Wanted = { readonly entry: Entry; readonly from: number; readonly until: number };

async function readBody({ response, read }: Read, { entry, from, until }: Wanted): Promise<Opened> {
  const part = partExtent((name) => response.headers.get(name))?.part ?? { start: 0, end: entry.size };
  const isWanted =
    response.status === 200 || (part.start === from && part.end === Math.min(until, entry.size));
  if (read?.identity !== entry.identity || !isWanted || response.body === null) {
    await discard(response);
    throw new Failure("origin_changed");
  }
  return { kind: "entry", entry, body: response.body, offset: part.start, until: part.end };
}
