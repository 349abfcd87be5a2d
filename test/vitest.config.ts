import { defineConfig } from "vitest/config";

/** Suites of functions and of the demo servers, whose files know nothing of one another: they share a process, which saves its start for each. */
const FUNCTIONS = [
  "test/{bench,core,demo,measuring,origin,serve,store,workers,zip}/**/*.test.ts",
  "test/fuzz/replay.test.ts",
  "test/scripts/{chaos,costs,load,load-content,load-preview,load-truth}.test.ts",
];
/** Suites with real clients and servers, and those that try faults and our own tools at length: they have a command of their own. */
const CLIENTS = [
  "test/{clients,servers}/**/*.test.ts",
  "test/edge/{faults,s3-faults,artifacts-faults,pipelines-faults}.test.ts",
  "test/fuzz/{planted,watched}.test.ts",
  "test/scripts/{chaos-run,costs-model,load-run,operating,operating-ceph,start}.test.ts",
];

const globalSetup = ["test/worker/bundled.ts", "test/edge/kept-edges.ts"];

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Two cores, and most suites wait most of the time: for clocks, for other processes.
    maxWorkers: 3,
    projects: [
      { extends: true, test: { name: "functions", include: FUNCTIONS, isolate: false } },
      {
        extends: true,
        test: {
          name: "edge",
          include: ["test/**/*.test.ts"],
          exclude: [...FUNCTIONS, ...CLIENTS],
          globalSetup,
        },
      },
      { extends: true, test: { name: "clients", include: CLIENTS, globalSetup } },
    ],
  },
});
