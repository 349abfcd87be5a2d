import { startForgeNginx, type ForgeCacheOptions } from "./forge-nginx.ts";
import type { PeerConditions } from "./figure.ts";
import type { Peer } from "./peers.ts";
import { expectRefusal, readText } from "./raw-files.ts";
import { askHead, startVarnish } from "./varnish.ts";
import { load } from "./wrk.ts";

/** Over how many connections each server is loaded. */
export const CONNECTIONS = 32;

/** Where each peer that is here is to be asked; without a slash at the end. */
export type PeerUrls = Readonly<Partial<Record<Peer, string>>>;

/** A forge itself and each cache of this machine before it. */
export async function startForgePeers(
  scope: AsyncDisposableStack,
  { caches }: PeerConditions,
  { url, ...options }: Omit<ForgeCacheOptions, "origin"> & { readonly url: string },
): Promise<PeerUrls> {
  const cache = { ...options, origin: new URL(url).host };
  const nginx = caches.has("nginx")
    ? scope.adopt(await startForgeNginx(cache), (started) => started.close())
    : undefined;
  const question = askHead(options.authPath);
  const varnish = caches.has("varnish")
    ? scope.adopt(await startVarnish({ ...cache, question }), (started) => started.close())
    : undefined;
  return { origin: url, ...(nginx && { nginx: nginx.url }), ...(varnish && { varnish: varnish.url }) };
}

type PrivateLoad = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the origin gives, byte for byte. */
  readonly text: string;
  readonly seconds: number;
  readonly signal: AbortSignal;
};

/** Requests a second for one private text, which has to be the origin's, and kept from strangers by all but a bare Worker. */
export async function loadPrivate(
  base: string,
  peer: Peer,
  { path, headers, text, seconds, signal }: PrivateLoad,
): Promise<number> {
  const url = base + path;
  if ((await readText(url, headers, signal)) !== text)
    throw new Error(`${url} has other bytes than the origin`);
  if (peer !== "bare") await expectRefusal(url, signal);
  const bodyBytes = Buffer.byteLength(text);
  const plan = { url, headers, connections: CONNECTIONS, seconds, bodyBytes, signal };
  return (await load(plan)).requestsPerS;
}
