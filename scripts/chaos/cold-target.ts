import { pseudoRandomBytes } from "../demo/pseudo-random.ts";
import type { Site } from "./sites.ts";
import type { Target } from "./reads.ts";
import type { Scene } from "./scene.ts";

const PROJECT = "demo/hello";
const BUCKET = "demo";

type Place = Pick<Scene, "origins" | "random">;

/** Random bytes that no edge has seen: an object, or a file on a branch of its own, as a branch that is known is believed to stand still. */
export async function addColdTarget({ origins, random }: Place, site: Site, size: number): Promise<Target> {
  const name = `cold-${random.below(2 ** 31)}`;
  const bytes = Buffer.concat([...pseudoRandomBytes(name, size)]);
  if (site === "s3") {
    origins.store.put(BUCKET, name, bytes);
    return { name, site, path: `/${BUCKET}/${name}`, bytes, isPublic: false };
  }
  await origins.demo[site].commit(PROJECT, name, { [name]: bytes });
  const form = site === "gitlab" ? "-/raw" : "raw/branch";
  return { name, site, path: `/${PROJECT}/${form}/${name}/${name}`, bytes, isPublic: true };
}
