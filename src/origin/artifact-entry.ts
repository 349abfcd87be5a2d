import { contentHeaders, strongEtag, type Entry } from "../core/entry.ts";
import type { ArtifactTarget } from "../core/target.ts";
import { wholeNumber } from "../core/whole-number.ts";
import { partExtent } from "./part-extent.ts";
import { isCoded, isPage } from "./verdict.ts";

type Place = {
  readonly job: string | undefined;
  readonly address?: { readonly url: string };
};

/**
 * What an artifact is called whose bytes cannot change: its job, and its place in object storage, where it has one. The latest
 * job of a name is no such thing unless the place tells it.
 */
export function artifactName({ job: asked, fileType = "" }: ArtifactTarget, { job, address }: Place): string {
  const known = job ?? (asked.kind === "latest" ? `latest ${asked.ref} ${asked.job}` : "");
  const path = address === undefined ? "" : new URL(address.url).pathname;
  return [known, fileType, path].map(encodeURIComponent).join(":");
}

type Reading = { readonly at: number; readonly name: string; readonly place: Place };

/**
 * What a 206 or 200 says of an artifact. GitLab has sent one entity tag for different artifacts, so only an object storage's
 * counts; without one, the size and date tell a job's archive from another (it is uploaded once). The latest job's that has
 * neither a date nor a place is not told from the next one's, and so not cached. An origin that ignored the range is known to have none.
 */
export function readArtifact(response: Response, { at, name, place }: Reading): Entry | undefined {
  const header = (field: string) => response.headers.get(field);
  const isPart = response.status === 206;
  const size = isPart ? partExtent(header)?.size : wholeNumber(header("content-length"));
  if (size === undefined || isCoded(response) || isPage(response) || (!isPart && response.status !== 200))
    return undefined;
  const isStored = place.address !== undefined;
  const etag = isStored ? strongEtag(header("etag")) : undefined;
  const lastModified = header("last-modified") ?? undefined;
  const isTellable = etag !== undefined || lastModified !== undefined || place.job !== undefined;
  const told = [String(size), etag ?? "", lastModified ?? ""];
  if (!isTellable) return undefined;
  const identity = [name, ...told.map(encodeURIComponent)].join(":");
  const shown = [place.job ?? "latest", ...told].filter((part) => part !== "").map(encodeURIComponent);
  return {
    at,
    identity,
    size,
    etag: etag ?? `"${shown.join("-")}"`,
    lastModified,
    originEtag: etag,
    headers: contentHeaders(header),
    ...(!isPart && { isRangeless: true }),
    ...(place.job !== undefined && { job: place.job }),
  };
}
