import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle, type Bundle } from "../../scripts/bundle.ts";
import { ask } from "../../scripts/chaos/ask.ts";
import { startOrigins, type Origins } from "../../scripts/chaos/origins.ts";
import { requestFor } from "../../scripts/chaos/reads.ts";
import { formatReport, type Outcome } from "../../scripts/chaos/report.ts";
import { runScenario, type Run } from "../../scripts/chaos/scenario.ts";
import type { Scene } from "../../scripts/chaos/scene.ts";
import { readTargets } from "../../scripts/chaos/targets.ts";

const RUN_MS = 60_000;
const LARGE_BYTES = 4 * 1024 * 1024;
/** One of each site that not all may read. */
const NAMES = new Set(["private file", "Gitea's private file", "private object"]);

const scope = new AsyncDisposableStack();
let run: Run;

beforeAll(async () => {
  const { script } = scope.adopt(await bundle("scripts/chaos/worker.ts"), (made: Bundle) => made.remove());
  const origins = scope.adopt(await startOrigins(LARGE_BYTES), (started: Origins) => started.close());
  const targets = (await readTargets(origins)).filter(({ name }) => NAMES.has(name));
  run = { origins, targets, script, seed: 1, signal: AbortSignal.timeout(RUN_MS), isShort: true };
}, RUN_MS);
afterAll(() => scope.disposeAsync());

/** Runs a scenario that does no more than this, and gives what it happened in. */
async function acting(act: (scene: Scene) => Promise<void>): Promise<{ outcome: Outcome; scene: Scene }> {
  let scene: Scene | undefined;
  const title = "A scenario of the tests";
  const outcome = await runScenario({ name: "test", title, act: (met) => act((scene = met)) }, run);
  if (scene === undefined) throw new Error(`It never began: ${outcome.tally.complaints.join()}`);
  return { outcome, scene };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const isOpen = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}

describe("runScenario()", () => {
  it(
    "makes of a scenario that throws a failed one, and leaves nothing of it behind",
    async () => {
      const { outcome, scene } = await acting(async ({ origins, edge, revoke, forward }) => {
        expect(await isListening(edge.port())).toBe(true);
        await origins.kill();
        origins.setFault(({ response }) => void response.destroy());
        revoke();
        await forward(3_600_000);
        throw new Error("thrown on purpose");
      });
      expect(outcome.isOk).toBe(false);
      expect(outcome.tally.complaints).toEqual([expect.stringContaining("thrown on purpose")]);
      expect(formatReport([outcome])).toMatch(/^test .* FAILED$/m);
      expect(await isListening(scene.edge.port())).toBe(false);
      // Through the proxies all is as it was, also for who was revoked.
      const { origins, targets } = run;
      expect(origins.store.clockSkewMs).toBe(0);
      for (const target of targets) {
        const { path, headers } = requestFor({ target, asker: "revoked" }, Date.now());
        const { port } = new URL(origins[target.site].url);
        const whole = target.bytes;
        const answer = await ask({ port: Number(port), path, headers, whole, deadlineMs: RUN_MS });
        expect(answer).toMatchObject({ status: 200, end: "whole", wrongAt: undefined, bytes: whole.length });
      }
    },
    RUN_MS,
  );

  it(
    "takes for its own what is thrown where nobody awaits it",
    async () => {
      const others = process.listeners("uncaughtException"); // those of the tests would take it for theirs
      process.removeAllListeners("uncaughtException");
      try {
        const { outcome } = await acting(async ({ origins, stretch }) => {
          origins.setFault(() => {
            throw new Error("thrown by a fault");
          });
          await origins.kill(); // whoever waits for an answer gets none
          await origins.revive();
          await stretch(60);
        });
        expect(outcome.isOk).toBe(false);
        expect(outcome.tally.complaints).toEqual([expect.stringContaining("thrown by a fault")]);
      } finally {
        for (const listener of others) process.on("uncaughtException", listener);
      }
    },
    RUN_MS,
  );
});
