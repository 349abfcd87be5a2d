import type { HeaderFields } from "../core/header-fields.ts";
import { Failure } from "../core/problem.ts";
import type { Principal } from "../core/principal.ts";
import { signInPath } from "../core/sign-in.ts";
import type { ArtifactTarget } from "../core/target.ts";
import { artifactUrl, jobOfLocation } from "./artifact-address.ts";
import type { ArtifactParts } from "./artifact-parts.ts";
import { asPrincipal } from "./forge.ts";
import { discard, type AskOrigin } from "./http.ts";
import { isPresigned, storageAddress, type StorageAddress } from "./storage-address.ts";

export type Knocking = {
  readonly target: ArtifactTarget;
  readonly principal: Principal;
  readonly headers: HeaderFields;
};

/** What the forge said to one who wants an artifact; `job` is the number of the job, where that is known. */
export type Knocked =
  /** Its own answer, whatever it is. */
  | { readonly kind: "forge"; readonly job: string | undefined; readonly response: Response }
  /** That the artifact is to be had from its object storage: a yes. */
  | { readonly kind: "storage"; readonly job: string | undefined; readonly address: StorageAddress }
  | { readonly kind: "unclear" };

/** From a latest job to the job itself is one step; whoever sends further is not understood. */
const MOST_STEPS = 2;

/** Asks the forge for an artifact as the asker, and remembers where it sends to. */
export async function knock(
  parts: ArtifactParts,
  { target, principal, headers }: Knocking,
): Promise<Knocked> {
  const { origin, ask, now, addresses } = parts;
  const first = artifactUrl(origin, target);
  let job = target.job.kind === "id" ? target.job.id : undefined;
  let url = first;
  for (let step = 0; step < MOST_STEPS; step++) {
    const response = await ask(
      asPrincipal(principal, url, { headers, deadline: "start", coding: "as stored" }),
    );
    const location = locationOf(response, url);
    if (location === undefined) return { kind: "forge", job, response };
    const isOwn = location.origin === new URL(origin).origin;
    if (isOwn && location.pathname === signInPath("gitlab")) return { kind: "forge", job, response };
    await discard(response);
    if (!isOwn && !isPresigned(location)) return { kind: "unclear" };
    if (!isOwn) {
      const address = storageAddress(location, now());
      addresses.set(first, address);
      return { kind: "storage", job, address };
    }
    job = jobOfLocation(location, origin);
    if (job === undefined) return { kind: "unclear" };
    url = location.href;
  }
  return { kind: "unclear" };
}

function locationOf({ status, headers }: Response, url: string): URL | undefined {
  const location = headers.get("location");
  if (status < 301 || status > 308 || location === null || !URL.canParse(location, url)) return undefined;
  const parsed = new URL(location, url);
  return parsed.protocol === "http:" || parsed.protocol === "https:" ? parsed : undefined;
}

/** Reads from an object storage: with its own signature, and with nothing of the asker's. */
export async function readStorage(
  { ask }: { readonly ask: AskOrigin },
  { url }: StorageAddress,
  headers: HeaderFields,
): Promise<Response> {
  const response = await ask({ method: "GET", url, headers, deadline: "start", coding: "as stored" });
  if (response.status < 500) return response;
  await discard(response);
  throw new Failure("origin_error", `Object storage answered ${response.status}`);
}
