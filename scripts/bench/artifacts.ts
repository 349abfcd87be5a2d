import { programsLack } from "../servers/programs.ts";
import { ENTRY_BESIDE_PEERS } from "./artifacts-entry-peers.ts";
import { measureEntry } from "./artifacts-entry.ts";
import { measureHostile } from "./artifacts-hostile.ts";
import { measureListing } from "./artifacts-listing.ts";
import { measureTar } from "./artifacts-tar.ts";
import { measureThroughput } from "./artifacts-throughput.ts";
import { LISTING_BESIDE_PEERS, UNPACKING_BESIDE_PEERS } from "./artifacts-whole-peers.ts";
import type { Lane } from "./figure.ts";

/** What is inside of jobs' archives, with a GitLab-shaped origin behind the edge that has ranges. */
export const ARTIFACTS_LANE: Lane = {
  points: {
    1: {
      title: "One entry of an archive that nothing is known of",
      measure: measureEntry,
      besidePeers: ENTRY_BESIDE_PEERS,
    },
    2: { title: "A long deflated entry, sent in several ways", measure: measureThroughput },
    3: {
      title: "All entries as a tar",
      measure: measureTar,
      besidePeers: UNPACKING_BESIDE_PEERS,
    },
    4: {
      title: "Listing a directory of many entries",
      measure: measureListing,
      besidePeers: LISTING_BESIDE_PEERS,
    },
    5: { title: "Hostile archives", measure: measureHostile },
  },
  notes: [],
  hasQuick: true,
  async lacks() {
    return await programsLack(["bash", "curl", "diff", "python3", "tar", "unzip"]);
  },
};
