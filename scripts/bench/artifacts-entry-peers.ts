import { askWell } from "./artifacts-answer.ts";
import {
  addPrivateJob,
  AUTH_MS,
  archiveBesidePeers,
  ofArchive,
  type ArchiveScene,
} from "./artifacts-peers.ts";
import { startSameBytes } from "./bare-workers.ts";
import { CONNECTIONS, loadPrivate } from "./forge-peers.ts";
import { compare, mapPeers, paceOf } from "./peer-rounds.ts";
import type { PeerRow } from "./peers.ts";
import { readText, SECRET } from "./raw-files.ts";

const USUAL = { loadS: 2, rounds: 5 };
/** Of what takes some milliseconds each time. */
const MANY_ROUNDS = 15;

/** One entry of an archive over and over, and entries that nobody has asked for before. */
export const ENTRY_BESIDE_PEERS = archiveBesidePeers(async (scene) => [
  ...(await compareHotEntry(scene)),
  ...(await compareNewEntries(scene)),
]);

async function compareHotEntry(scene: ArchiveScene): Promise<PeerRow[]> {
  const { conditions, urls, archives, origin } = scene;
  const { signal, note } = conditions;
  const { loadS: seconds, ...pace } = paceOf(conditions, USUAL);
  await using scope = new AsyncDisposableStack();
  const { name } = archives.small.known.middle;
  const path = `${addPrivateJob(scene)}/${name}`;
  const { headers } = SECRET;
  const text = await readText(origin.gitlab.url + path, headers, signal);
  const bare = scope.adopt(await startSameBytes(text), (started) => started.close());
  const plan = { path, headers, text, seconds, signal };
  note(
    `artifacts: origin auth ${AUTH_MS} ms; one entry ${pace.rounds} × ${seconds} s with wrk over ${CONNECTIONS} connections, all else one request at a time`,
  );
  const all = { ...urls, bare: bare.url.replace(/\/$/, "") };
  return await compare(conditions, {
    rows: [{ lane: "artifacts", what: `one entry of 100 KiB ${ofArchive(scene)}`, unit: "requests/s" }],
    ways: mapPeers(all, (base, peer) => async () => [await loadPrivate(base, peer, plan)]),
    ...pace,
  });
}

/** The first entry of an archive that nothing is known of, and then another one. */
async function compareNewEntries(scene: ArchiveScene): Promise<PeerRow[]> {
  const { conditions, urls, archives } = scene;
  const { signal, isQuick } = conditions;
  const { middle, other } = archives.small.known;
  const once = async (base: string) => {
    const path = addPrivateJob(scene);
    const times = [];
    for (const { name, bytes } of [middle, other]) {
      const answer = await askWell(`${base}${path}/${name}`, { headers: SECRET.headers, signal });
      if (answer.bytes !== bytes) throw new Error(`${base} gave ${answer.bytes} bytes of ${name}`);
      times.push(answer.ms);
    }
    return times;
  };
  const rows = ["first entry", "another entry"].map((which) => ({
    lane: "artifacts",
    what: `${which} ${ofArchive(scene)}, never asked for before`,
    unit: "ms" as const,
  }));
  const rounds = isQuick ? 1 : MANY_ROUNDS;
  return await compare(conditions, {
    rows,
    ways: mapPeers(urls, (base) => () => once(base)),
    rounds,
    warmsUp: !isQuick,
  });
}
