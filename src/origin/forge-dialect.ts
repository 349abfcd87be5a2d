import type { Dialect } from "../core/dialect.ts";
import { askForge } from "./forge-ask.ts";
import { openForge } from "./forge-open.ts";
import type { ForgeAsking, ForgeOpening, ForgeParts } from "./forge.ts";

/** Makes the dialect of a forge. */
export function forgeDialect(parts: ForgeParts): Dialect {
  return {
    ask: (asking: ForgeAsking) => askForge(parts, asking),
    open: (opening: ForgeOpening) => openForge(parts, opening),
  };
}
