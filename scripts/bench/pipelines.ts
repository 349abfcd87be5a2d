import { programsLack } from "../servers/programs.ts";
import type { Lane } from "./figure.ts";
import { measureLists } from "./pipelines-lists.ts";
import { LISTS_BESIDE_PEERS } from "./pipelines-peers.ts";
import { measurePolling } from "./pipelines-polling.ts";
import { measureRefs } from "./pipelines-refs.ts";
import { REFS_BESIDE_PEERS } from "./pipelines-refs-peers.ts";

/** Lists of pipelines, and what a branch stands for, with a GitLab-shaped origin behind the edge. */
export const PIPELINES_LANE: Lane = {
  points: {
    1: {
      title: "A page of pipelines: row by row, in SQL, cached",
      measure: measureLists,
      besidePeers: LISTS_BESIDE_PEERS,
    },
    2: { title: "Many pollers of lists that change", measure: measurePolling },
    3: {
      title: "Files of branches at steady rates",
      measure: measureRefs,
      besidePeers: REFS_BESIDE_PEERS,
    },
  },
  notes: [
    "What Miniflare stores for the edge is in memory (/dev/shm, where there is one): on a disk it waits for each write",
  ],
  hasQuick: true,
  async lacks() {
    return await programsLack(["git"]);
  },
};
