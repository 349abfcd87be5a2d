import type { Member } from "./member.ts";

const USUAL = { file: 0o644, directory: 0o755, symlink: 0o777 } as const satisfies Record<
  Member["type"],
  number
>;

/** The permission bits that a copy of a member gets: its own, or the usual ones; a link's are never looked at, so all are set. */
export function permissions({ type, mode }: Member): number {
  return type === "symlink" ? USUAL.symlink : (mode ?? USUAL[type]);
}
