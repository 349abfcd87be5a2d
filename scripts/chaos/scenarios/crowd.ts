import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { residentBytes } from "../../measuring/memory.ts";
import type { CrowdPlan } from "../crowd-client.ts";
import { addColdTarget } from "../cold-target.ts";
import { DEADLINE_MS } from "../crew.ts";
import { requestFor, type Target } from "../reads.ts";
import type { Scenario } from "../scenario.ts";
import type { Scene } from "../scene.ts";
import { mostSockets } from "../sockets.ts";
import { addTo, complain, type Tally } from "../tally.ts";

const CLIENTS = 10_000;
const FILE_BYTES = 16 * 1024;
/** What one cold file may cost: its bytes once, and once more for a race that was lost in each isolate. */
const MOST_BODIES = 2;
/** By the second crowd the process has what a crowd takes at most; a third finds what those have left. */
const MOST_MORE_BYTES = 192 * 1024 * 1024;

export const CROWD: Scenario = {
  name: "crowd",
  title: "10,000 clients ask for one cold file at once",
  // Thousands of connections keep a machine busy for longer than the origin's silence may last
  limits: { ORIGIN_TIMEOUT_S: 45, ORIGIN_STALL_S: 45 },
  isInvisible: true,
  // A connection takes some 90 KiB of the process, which its allocator does not give back, but uses again
  mostGrowthBytes: CLIENTS * 128 * 1024,
  async act(scene) {
    const { edge, tally, isShort, note } = scene;
    const mostAtOnce = await mostSockets();
    if (mostAtOnce < CLIENTS)
      note(
        `${mostAtOnce} at once, and the others when these are answered: no more files may be open (ulimit -n)`,
      );
    await rush(scene, "gitlab", mostAtOnce);
    if (isShort) return;
    await rush(scene, "gitea", mostAtOnce);
    const afterTwo = await residentBytes(edge.pid());
    await rush(scene, "gitlab", mostAtOnce);
    const afterThree = await residentBytes(edge.pid());
    if (afterThree > afterTwo + MOST_MORE_BYTES)
      complain(tally, `memory: ${afterTwo} bytes after two crowds, ${afterThree} after three`);
  },
};

async function rush(scene: Scene, site: "gitlab" | "gitea", mostAtOnce: number): Promise<void> {
  const { origins, tally, note } = scene;
  const target = await addColdTarget(scene, site, FILE_BYTES);
  let bodies = 0;
  origins[site].fault = ({ request, forward }) => {
    if (request.url?.includes(target.name) === true) bodies += 1;
    forward();
  };
  const before = origins.requests();
  const crowd = await gather(scene, target, mostAtOnce);
  const asked = origins.requests() - before;
  origins[site].fault = undefined;
  addTo(tally, crowd);
  const seconds = (crowd.slowestMs / 1000).toFixed(1);
  note(
    `${site}: ${crowd.right} of ${CLIENTS} clients were answered rightly within ${seconds} s (${crowd.anew} by a second connection, as the first had stood idle); the origin was asked ${asked} times by all readers, ${bodies} times for the cold file`,
  );
  if (bodies < 1 || bodies > MOST_BODIES)
    complain(tally, `the cold file was asked for ${bodies} times, and not once or ${MOST_BODIES} times`);
}

/** Sends them from a thread of their own, and returns what they counted. */
async function gather({ edge, clocks, signal }: Scene, target: Target, mostAtOnce: number): Promise<Tally> {
  const { path, headers } = requestFor({ target, asker: "reader" }, clocks.at(""));
  const plan: CrowdPlan = {
    port: edge.port(),
    path,
    headers,
    whole: target.bytes,
    clients: CLIENTS,
    mostAtOnce,
    deadlineMs: DEADLINE_MS,
  };
  const thread = new Worker(join(import.meta.dirname, "../crowd-client.ts"), { workerData: plan });
  try {
    const [tally] = (await once(thread, "message", { signal })) as [Tally];
    return tally;
  } finally {
    await thread.terminate();
  }
}
