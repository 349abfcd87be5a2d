import { afterAll, beforeAll, beforeEach } from "vitest";
import { startDemo } from "../../scripts/demo/demo.ts";
import type { Demo } from "../../scripts/demo/demo.ts";

/** Small, but more than one chunk of a pipe. */
export const BIG_FILE_BYTES = 3 * 1024 * 1024 + 7;

/** A demo for the tests of one file, with fresh counts for each. */
export function useDemo(): { readonly demo: Demo } {
  const running: { demo?: Demo } = {};
  beforeAll(async () => {
    running.demo = await startDemo({ bigFileBytes: BIG_FILE_BYTES });
  });
  beforeEach(() => {
    running.demo?.gitlab.resetCounts();
    running.demo?.gitea.resetCounts();
  });
  afterAll(() => running.demo?.close());
  return {
    get demo() {
      if (running.demo === undefined) throw new Error("The demo has not started");
      return running.demo;
    },
  };
}

export function basic(user: string, password: string): { readonly Authorization: string } {
  return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
}
