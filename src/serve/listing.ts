import { Failure } from "../core/problem.ts";
import type { Entry } from "../core/entry.ts";
import { artifactUrls, objectUrls } from "../core/inside-urls.ts";
import { browsePage } from "../core/zip/browse-page.ts";
import { BROWSE_CSP } from "../core/zip/browse-style.ts";
import type { Directory } from "../core/zip/member.ts";
import { treeJson } from "../core/zip/tree-json.ts";
import { listTree, type TreeListing } from "../core/zip/tree.ts";
import type { Archive } from "./archive.ts";
import type { Arrival } from "./arrival.ts";
import type { InsideTarget } from "./inside-target.ts";
import type { Representation } from "./representation.ts";
import type { Visit } from "./visit.ts";

/** What a directory of an archive has in it: as JSON for programs, or as a page for people. */
export async function listing(
  visit: Visit,
  arrival: Arrival,
  archive: Archive,
  target: InsideTarget,
): Promise<Representation> {
  const known = made.get(target);
  if (known?.directory === archive.directory) return known.representation;
  const representation = await makeListing(visit, arrival, archive, target);
  made.set(target, { directory: archive.directory, representation });
  return representation;
}

/** Listings are remembered with what they were asked for by; nothing of them belongs to one request. */
const made = new WeakMap<
  InsideTarget,
  { readonly directory: Directory; readonly representation: Representation }
>();

async function makeListing(
  visit: Visit,
  arrival: Arrival,
  archive: Archive,
  target: InsideTarget,
): Promise<Representation> {
  const { inside } = target;
  const isPage = inside.kind === "browse";
  const tree = listTree(archive.directory, inside.path, inside.kind === "tree" && inside.isRecursive);
  if (tree.kind !== "items") throw new Failure("entry_not_found", inside.path);
  const { body, headers } = isPage ? page(arrival, target, tree, inside.page) : json(arrival, target, tree);
  const bytes = new TextEncoder().encode(body);
  const digest = await visit.isolate.ports.codec.sha256(bytes);
  const entry: Entry = {
    at: archive.pin.entry.at,
    identity: `${archive.pin.entry.identity}!${archive.stamp}:${digest}`,
    size: bytes.byteLength,
    etag: `"${digest.slice(0, 32)}"`,
    lastModified: undefined, // the page may change with the Worker
    originEtag: undefined,
    headers,
  };
  const all = () => Promise.resolve(bytes);
  return { entry, content: { all, gather: () => Promise.reject(new TypeError("A listing is in memory")) } };
}

type Listed = { readonly body: string; readonly headers: Entry["headers"] };

function page({ bucket }: Arrival, target: InsideTarget, tree: TreeListing, number: number): Listed {
  const { title, urls } = target.lane === "artifact" ? artifactUrls(target) : objectUrls(target, bucket);
  return {
    body: browsePage({ title, listing: tree, page: number, urls }),
    headers: [
      ["content-type", "text/html; charset=utf-8"],
      ["content-security-policy", BROWSE_CSP],
      ["x-content-type-options", "nosniff"],
      ["referrer-policy", "no-referrer"],
    ],
  };
}

function json({ url }: Arrival, { inside }: InsideTarget, tree: TreeListing): Listed {
  if (inside.kind !== "tree") throw new TypeError("Only a tree is listed as JSON");
  const { page: number, perPage } = inside;
  return treeJson(tree, { page: number, perPage }, new URL(url));
}
