import type { ArtifactDelivery } from "../../scripts/demo/jobs.ts";
import { ask, type Answer, type Ask } from "../edge/scene.ts";
import { startHarness, type Harness } from "../edge/harness.ts";

/**
 * Where archives are put, to be read through the edge: at a forge that delivers them in one of its ways, or in a store. What
 * comes without a length is not cached, and so not looked into.
 */
export type Shelf = Exclude<ArtifactDelivery, "chunked"> | "store";

export const SHELVES: readonly Shelf[] = ["local", "object", "rangeless", "store"];

export type ListedItem = {
  readonly path: string;
  readonly type: "file" | "directory";
  readonly size?: number;
  readonly mode: string | null;
};

/** The URLs of an archive that anybody may read. */
export type ShelvedArchive = {
  readonly whole: string;
  readonly entry: (path: string) => string;
  /** What is below a directory, made into another archive. */
  readonly remade: (format: "tar" | "zip", path?: string) => string;
  readonly list: () => Promise<readonly ListedItem[]>;
};

export type ArchivePlace = {
  readonly harness: Harness;
  shelve(archive: Uint8Array, shelf: Shelf): ShelvedArchive;
  ask(url: string, asking?: Ask): Promise<Answer>;
  close(): Promise<void>;
};

export async function startArchivePlace(): Promise<ArchivePlace> {
  const harness = await startHarness({ bigFileBytes: 1000 });
  let objects = 0;

  const inStore = (archive: Uint8Array): ShelvedArchive => {
    const key = `made/${(objects += 1)}.zip`;
    harness.store.put("public", key, archive, { "Content-Type": "application/zip" });
    const whole = `${harness.s3}/public/${key}`;
    return {
      whole,
      entry: (path) => `${whole}!/${encodePath(path)}`,
      remade: (format, path = "") => `${whole}?zip=${format}&path=${encodeURIComponent(path)}`,
      list: () => listAll(`${whole}?zip=list`),
    };
  };
  const ofJob = (archive: Uint8Array, storage: ArtifactDelivery): ShelvedArchive => {
    const job = { project: "demo/hello", name: "pack", ref: "main", archive, storage };
    const { id } = harness.demo.gitlab.jobs.addJob(job);
    const whole = `${harness.gitlab}/api/v4/projects/1/jobs/${id}/artifacts`;
    return {
      whole,
      entry: (path) => `${whole}/${encodePath(path)}`,
      remade: (format, path = "") => `${whole}?format=${format}&path=${encodeURIComponent(path)}`,
      list: () => listAll(`${whole}/tree?`),
    };
  };

  return {
    harness,
    shelve: (archive, shelf) => (shelf === "store" ? inStore(archive) : ofJob(archive, shelf)),
    ask,
    close: () => harness.close(),
  };
}

async function listAll(url: string): Promise<readonly ListedItem[]> {
  const answer = await ask(`${url}&recursive=true&per_page=100`);
  if (answer.status !== 200) throw new Error(`No listing: ${answer.status} ${answer.body.toString()}`);
  return JSON.parse(answer.body.toString()) as ListedItem[];
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
