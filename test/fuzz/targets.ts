import type { FuzzTarget } from "../../scripts/fuzz/target.ts";
import { chunksTarget } from "./targets/chunks.ts";
import { conditionalTarget } from "./targets/conditional.ts";
import { eventsTarget } from "./targets/events.ts";
import { forgeUrlTarget } from "./targets/forge-url.ts";
import { rangeTarget } from "./targets/range.ts";
import { refPathTarget } from "./targets/ref-path.ts";
import { s3UrlTarget } from "./targets/s3-url.ts";
import { signatureTarget } from "./targets/signature.ts";
import { zipTarget } from "./targets/zip.ts";

/** All that is fuzzed. */
export const TARGETS: readonly FuzzTarget[] = [
  forgeUrlTarget("gitlab"),
  forgeUrlTarget("gitea"),
  s3UrlTarget(),
  refPathTarget(),
  rangeTarget(),
  conditionalTarget(),
  signatureTarget(),
  chunksTarget(),
  zipTarget(),
  eventsTarget(),
];
