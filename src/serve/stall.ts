import type { Ports } from "./ports.ts";

/** How long a body may stand still, in milliseconds. */
export function stallMsOf({ config }: Pick<Ports, "config">): number {
  return config.limits.ORIGIN_STALL_S * 1000;
}
