import { pseudoRandomBytes } from "../demo/pseudo-random.ts";
import type { Origins } from "./origins.ts";
import type { Target } from "./reads.ts";

const PROJECT = "demo/hello";
const BRANCH = "cold";

/** Files that no edge has seen, one at a time, on a branch of their own. */
export async function addColdFiles(
  { demo }: Origins,
  { seed, count, bytes }: { readonly seed: number; readonly count: number; readonly bytes: number },
): Promise<Target[]> {
  const targets: Target[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = `cold-${seed}-${index}.bin`;
    const content = Buffer.concat([...pseudoRandomBytes(`${seed} ${index}`.padEnd(16).slice(0, 16), bytes)]);
    await demo.gitlab.commit(PROJECT, BRANCH, { [name]: content });
    const path = `/${PROJECT}/-/raw/${BRANCH}/${name}`;
    targets.push({ name, site: "gitlab", path, bytes: content, isPublic: true, parts: bytes });
  }
  return targets;
}

/** An object that no edge has seen. */
export function addColdObject({ store }: Origins, seed: number, bytes: number): Target {
  const key = `cold-${seed}.bin`;
  const word = `object ${seed}`.padEnd(16).slice(0, 16);
  store.putGenerated("demo", key, bytes, word);
  const content = Buffer.concat([...pseudoRandomBytes(word, bytes)]);
  return { name: key, site: "s3", path: `/demo/${key}`, bytes: content, isPublic: false, parts: bytes };
}
