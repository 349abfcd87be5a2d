import { startWholeFromCache, type BareWorker } from "./bare-workers.ts";
import { expectPrivate, putObjects, READER, signedDigest } from "./objects-origin.ts";
import { writeRequests } from "./objects-requests.ts";
import { requestSigner } from "./objects-signing.ts";

type Signed = {
  /** Where the requests are written. */
  readonly file: string;
  /** The server they are for. */
  readonly url: string;
  /** Read in turn. */
  readonly paths: readonly string[];
  readonly count: number;
};

/** Writes requests for a server, each with a signature of its own. */
export async function writeSigned({ file, url, paths, count }: Signed): Promise<void> {
  const sign = requestSigner(READER, Date.now());
  await writeRequests(file, { sign, host: new URL(url).host, paths, count });
}

/** The same, after making sure that the server gives the first object rightly, and not to everybody. */
export async function prepareServer({
  digest,
  signal,
  ...signed
}: Signed & { readonly digest: string; readonly signal: AbortSignal }): Promise<void> {
  const { url, paths } = signed;
  const [path = ""] = paths;
  if ((await signedDigest(url, path, signal)) !== digest) throw new Error(`${url} has other bytes`);
  await expectPrivate(url, path, signal);
  await writeSigned(signed);
}

/** A Worker that fills itself from a store as nobody in particular would: with an object of so many bytes that is everybody's. */
export async function startBareWith(store: string, bytes: number, signal: AbortSignal): Promise<BareWorker> {
  const plan = { url: store, prefix: `open/${bytes}`, count: 1, bytes, isPublic: true, signal };
  const { paths } = await putObjects(plan);
  return await startWholeFromCache(store + (paths[0] ?? ""));
}
