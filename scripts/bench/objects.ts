import { programsLack } from "../servers/programs.ts";
import { cephRgwLacks } from "../servers/ceph-rgw.ts";
import type { Lane } from "./figure.ts";
import { measureLarge } from "./objects-large.ts";
import { OBJECTS_BESIDE_PEERS } from "./objects-peers.ts";
import { measureObjectQuestions } from "./objects-questions.ts";
import { measureRanges } from "./objects-ranges.ts";
import { measureRows } from "./objects-rows.ts";
import { measureSignatures } from "./objects-signatures.ts";

/** Objects of a store, with a Ceph RGW behind the edge. */
export const OBJECTS_LANE: Lane = {
  points: {
    1: {
      title: "Objects of four sizes beside RGW and nginx",
      measure: measureRows,
      besidePeers: OBJECTS_BESIDE_PEERS,
    },
    2: { title: "What RGW is asked during hits", measure: measureObjectQuestions },
    3: { title: "Small ranges of a large object", measure: measureRanges },
    4: { title: "What a signature costs to verify", measure: measureSignatures },
    5: { title: "An object of 4 GiB", measure: measureLarge },
  },
  notes: [],
  async lacks() {
    return (await programsLack(["wrk", "nginx", "curl"])) ?? (await cephRgwLacks());
  },
};
