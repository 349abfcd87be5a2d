import type { CacheName } from "../src/core/telemetry.ts";

/** Things that are counted where they stand, when somebody looks. */
export type Sizes = () => readonly {
  readonly cache: CacheName;
  readonly entries: number;
  readonly bytes?: number;
}[];
