import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { downloadAndList, downloadAndUnpack, unpackTar } from "./artifacts-download.ts";
import { addPrivateJob, archiveBesidePeers, ofArchive, type ArchiveScene } from "./artifacts-peers.ts";
import { compare, mapPeers } from "./peer-rounds.ts";
import type { Peer, PeerRow } from "./peers.ts";
import { expectRefusal, readText, SECRET } from "./raw-files.ts";

const ROUNDS = 5;
const PER_PAGE = 100;

/** What is in an archive that is known. */
export const LISTING_BESIDE_PEERS = archiveBesidePeers(compareListing);

/** All of an archive that is known, as files in a directory. */
export const UNPACKING_BESIDE_PEERS = archiveBesidePeers(compareUnpacking);

/** All names in an archive that is known: by pages of the edge's own listing; by downloading it, where there is none. */
async function compareListing(scene: ArchiveScene): Promise<PeerRow[]> {
  const { conditions, urls, archives } = scene;
  const { signal, isQuick } = conditions;
  const { headers } = SECRET;
  const path = addPrivateJob(scene);
  const list = async (base: string, peer: Peer) => {
    await expectRefusal(base + path, signal);
    const { directory } = archives;
    if (peer !== "edge") return [await downloadAndList({ url: base + path, directory, headers, signal })];
    const began = performance.now();
    await readTree(base + path, scene);
    return [performance.now() - began];
  };
  return await compare(conditions, {
    rows: [
      { lane: "artifacts", what: `all names ${ofArchive(scene)} (edge: tree; else unzip -Z1)`, unit: "ms" },
    ],
    ways: mapPeers(urls, (base, peer) => () => list(base, peer)),
    rounds: isQuick ? 1 : ROUNDS,
    warmsUp: !isQuick,
  });
}

/** Reads all pages, one after the other. */
async function readTree(url: string, { conditions: { signal }, archives }: ArchiveScene): Promise<void> {
  let files = 0;
  for (let page = 1, count = PER_PAGE; count === PER_PAGE; page++) {
    const text = await readText(
      `${url}/tree?recursive=true&per_page=${PER_PAGE}&page=${page}`,
      SECRET.headers,
      signal,
    );
    const items = JSON.parse(text) as readonly { readonly type: string }[];
    files += items.filter(({ type }) => type === "file").length;
    count = items.length;
  }
  if (files !== archives.small.entries)
    throw new Error(`${url} lists ${files} files of ${archives.small.entries}`);
}

async function compareUnpacking(scene: ArchiveScene): Promise<PeerRow[]> {
  const { conditions, urls, archives } = scene;
  const { signal, isQuick } = conditions;
  const { directory, small } = archives;
  const { headers } = SECRET;
  const path = addPrivateJob(scene);
  const unpack = async (base: string, peer: Peer) => {
    const into = join(directory, "unpacked");
    await mkdir(into);
    try {
      const url = base + path;
      await expectRefusal(url, signal);
      const ms =
        peer === "edge"
          ? await unpackTar({ url: `${url}?format=tar`, headers, signal }, into)
          : await downloadAndUnpack({ url, directory, headers, signal }, into);
      const entries = await readdir(into, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => !entry.isDirectory()).length;
      if (files !== small.entries) throw new Error(`${url} gave ${files} files of ${small.entries}`);
      return [ms];
    } finally {
      await rm(into, { recursive: true, force: true, maxRetries: 3 });
    }
  };
  return await compare(conditions, {
    rows: [
      { lane: "artifacts", what: `all ${ofArchive(scene)}, unpacked (edge: tar; else unzip)`, unit: "ms" },
    ],
    ways: mapPeers(urls, (base, peer) => () => unpack(base, peer)),
    rounds: isQuick ? 1 : ROUNDS,
    warmsUp: !isQuick,
  });
}
