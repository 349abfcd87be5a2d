import { afterAll, beforeAll, expect, it } from "vitest";
import { findK6 } from "../../scripts/bench/k6.ts";
import { FULL } from "../../scripts/load/lengths.ts";
import { startPlace, startStage, type Stage } from "../../scripts/load/place.ts";
import { runOnPreview } from "../../scripts/load/run-on-preview.ts";
import { readRequest } from "../../scripts/load/request.ts";
import { describeWith } from "../servers/presence.ts";

const RUN_MS = 60_000;
const MEMBER = "load-secret-1";
const OTHER_MEMBER = "load-secret-6";
const STRANGER = "load-secret-13";

const k6 = await findK6(AbortSignal.timeout(RUN_MS));
const scope = new AsyncDisposableStack();
let stage: Stage;

/** Puts the load on the local edge as if it ran elsewhere, and gives the thresholds that do not hold. */
async function missed(environment: Readonly<Record<string, string>>): Promise<string[]> {
  const outcomes = await runOnPreview({
    k6: k6 ?? "",
    request: readRequest(["mixed", "--seconds", "2"]),
    say: () => {},
    signal: AbortSignal.timeout(RUN_MS),
    environment: { BASE_URL: stage.forge, TOKEN: MEMBER, DENIED_TOKEN: STRANGER, ...environment },
  });
  const thresholds = outcomes.flatMap((outcome) => outcome.thresholds);
  expect(thresholds.length).toBeGreaterThan(0);
  return thresholds.filter(({ isOk }) => !isOk).map(({ metric }) => metric);
}

function targets(sha256?: string): string {
  return JSON.stringify([
    { lane: "raw", url: "/load/open-0/-/raw/main/d0/f0.txt", ...(sha256 !== undefined && { sha256 }) },
    { lane: "raw", url: "/load/closed/project-1/-/raw/main/d0/f0.txt", private: true },
    { lane: "pipelines", url: "/api/v4/projects/2/pipelines", private: true },
    { lane: "objects", url: `${stage.store}/closed/k1/o1.txt`, private: true },
  ]);
}

const KEYS = { S3_KEY: "LOADFIRST:load-first-secret", DENIED_S3_KEY: "LOADSTRANGER:load-stranger-secret" };
const lack = k6 === undefined ? "k6 is not installed" : undefined;

describeWith("k6", lack)("runOnPreview()", () => {
  beforeAll(async () => {
    stage = await startStage(scope, await startPlace(scope), FULL);
  }, RUN_MS);
  afterAll(async () => await scope.disposeAsync());

  it(
    "finds nothing where all are answered as they should be",
    async () => {
      expect(await missed({ ...KEYS, LOAD_TARGETS: targets() })).toEqual([]);
    },
    RUN_MS,
  );

  it(
    "misses a threshold where somebody reads who may not",
    async () => {
      expect(await missed({ ...KEYS, LOAD_TARGETS: targets(), DENIED_TOKEN: OTHER_MEMBER })).toEqual([
        "leaks",
      ]);
      const denied = "LOADSECOND:load-second-secret";
      expect(await missed({ ...KEYS, LOAD_TARGETS: targets(), DENIED_S3_KEY: denied })).toEqual(["leaks"]);
    },
    RUN_MS,
  );

  it(
    "misses a threshold where the bytes are others",
    async () => {
      expect(await missed({ ...KEYS, LOAD_TARGETS: targets("0".repeat(64)) })).toEqual(["wrong_bytes"]);
    },
    RUN_MS,
  );
});
