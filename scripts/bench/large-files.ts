import { randomFillSync } from "node:crypto";
import type { Forge } from "../demo/demo.ts";

const PROJECT = "demo/hello";
const BRANCH = "main";

type Plan = { readonly count: number; readonly bytes: number; readonly signal: AbortSignal };

/** Commits files that differ throughout and do not shrink, one at a time; returns their paths on the forge. */
export async function addLargeFiles(forge: Forge, { count, bytes, signal }: Plan): Promise<string[]> {
  const content = new Uint8Array(bytes);
  const names = Array.from({ length: count }, (_, index) => `large/${index}.bin`);
  for (const name of names) {
    signal.throwIfAborted();
    randomFillSync(content);
    await forge.commit(PROJECT, BRANCH, { [name]: content });
  }
  return names.map((name) => `/${PROJECT}/-/raw/${BRANCH}/${name}`);
}
