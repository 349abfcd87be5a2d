import type { Links } from "../../src/core/zip/links.ts";
import type { Directory } from "../../src/core/zip/member.ts";
import { directoryIn } from "./read-zip.ts";
import { runBytes } from "./run-bytes.ts";

export type OpenedArchive = {
  readonly bytes: Uint8Array;
  readonly directory: Directory;
  /** Of all links without a problem. */
  readonly links: Links;
};

/** An archive in memory, and what its links say. */
export function openArchive(bytes: Uint8Array): OpenedArchive {
  const directory = directoryIn(bytes);
  const links = new Map<string, string>();
  for (let position = 0; position < directory.count; position += 1) {
    const member = directory.at(position);
    if (member.type !== "symlink" || member.problem !== undefined) continue;
    const content = runBytes(bytes, [{ kind: "content", member, from: 0, until: member.size }]);
    links.set(member.path, content.toString());
  }
  return { bytes, directory, links };
}
