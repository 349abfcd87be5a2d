import { versionOf } from "../measuring/command.ts";
import type { Lane } from "./figure.ts";
import { measureBlocks } from "./raw-blocks.ts";
import { measureGrants } from "./raw-grants.ts";
import { measureHot } from "./raw-hot.ts";
import { measureBesideNginx } from "./raw-nginx.ts";
import { RAW_BESIDE_PEERS } from "./raw-peers.ts";
import { measureQuestions } from "./raw-questions.ts";

/** Files of repositories, with a GitLab-shaped origin behind the edge. */
export const RAW_LANE: Lane = {
  points: {
    1: { title: "What remembering grants is worth", measure: measureGrants },
    2: { title: "A hot hit beside a bare Worker", measure: measureHot },
    3: {
      title: "The same file through nginx",
      measure: measureBesideNginx,
      besidePeers: RAW_BESIDE_PEERS,
    },
    4: { title: "What the origin is asked", measure: measureQuestions },
    5: { title: "A file of 64 MiB, by size of block", measure: measureBlocks },
  },
  notes: ["That no private byte is sent without a live grant is shown by a test: test/edge/laws.test.ts"],
  async lacks(signal) {
    for (const [tool, flag] of [
      ["wrk", "-v"],
      ["curl", "--version"],
      ["git", "--version"],
    ] as const) {
      if ((await versionOf(tool, flag, signal)) === undefined)
        return `${tool} is missing (Debian: apt-get install ${tool})`;
    }
    return undefined;
  },
};
