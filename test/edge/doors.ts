import { randomBytes } from "node:crypto";
import type { CountKind } from "../../scripts/demo/counts.ts";
import type { Channel } from "./principals.ts";
import { ask, SECRET, type Answer, type Ask, type ForgeName, type Scene } from "./scene.ts";

/** Where a file of the private project is. */
export type Place = { readonly ref: string; readonly name: string };

/** A way to ask one of the forges for a raw file. */
export type Door = {
  readonly name: string;
  readonly forge: ForgeName;
  readonly path: (place: Place) => string;
  /** What the one question about who and which counts as. */
  readonly probe: CountKind;
};

export const GITLAB_WEB: Door = {
  name: "gitlab web",
  forge: "gitlab",
  path: ({ ref, name }) => `/demo/nested/secret/-/raw/${ref}/${name}`,
  probe: "git:ls-refs",
};

export const GITLAB_API: Door = {
  name: "gitlab api",
  forge: "gitlab",
  path: ({ ref, name }) => `/api/v4/projects/2/repository/files/${name}/raw?ref=${ref}`,
  probe: "api:head-file",
};

export const GITEA_WEB: Door = {
  name: "gitea web",
  forge: "gitea",
  path: ({ ref, name }) => `/demo/secret/raw/branch/${ref}/${name}`,
  probe: "git:ls-refs",
};

export const GITEA_API: Door = {
  name: "gitea api",
  forge: "gitea",
  path: ({ ref, name }) => `/api/v1/repos/demo/secret/raw/${name}?ref=${ref}`,
  probe: "git:ls-refs",
};

/** What somebody who may read the private project sends. */
export const CREDENTIALS: Readonly<Record<ForgeName, Readonly<Record<string, string>>>> = {
  gitlab: { "PRIVATE-TOKEN": "glpat-reader" },
  gitea: { authorization: "token gitea-reader" },
};

/** Asks the edge for a file as somebody who may read it; headers given take the place of the credentials. */
export async function getFrom(scene: Scene, door: Door, place: Place, more: Ask = {}): Promise<Answer> {
  const { forge, path } = door;
  return await ask(scene.harness[forge] + path(place), { headers: CREDENTIALS[forge], ...more });
}

export type NewFile = Place & { readonly bytes: Buffer };

/** A new file of the private project on a new branch; both forges stand before the same repository. */
export async function newFileIn(scene: Scene, length: number): Promise<NewFile> {
  const name = `${scene.name("file")}.bin`;
  const ref = scene.name("branch");
  const bytes = randomBytes(length);
  await scene.forge("gitlab").commit(SECRET.gitlab, ref, { [name]: bytes });
  return { ref, name, bytes };
}

/** What a forge was asked since the test began: questions about who and which, bytes of files, and requests in all. */
export function countedAt(
  scene: Scene,
  door: Door,
): { readonly probes: number; readonly bytes: number; readonly total: number } {
  const counts = scene.forge(door.forge).counts();
  return { probes: counts[door.probe], bytes: counts.bytes, total: counts.total };
}

type ProjectPlace = { readonly project: string; readonly ref: string; readonly name: string };

/** Where a door has a file of a project at a branch. */
export function privatePath(
  forge: ForgeName,
  channel: Channel,
  { project, ref, name }: ProjectPlace,
): string {
  const encoded = encodeURIComponent(name);
  if (forge === "gitea") {
    if (channel === "web") return `/${project}/raw/branch/${ref}/${name}`;
    return `/api/v1/repos/${project}/raw/${encoded}?ref=${ref}`;
  }
  if (channel === "web") return `/${project}/-/raw/${ref}/${name}`;
  return `/api/v4/projects/${encodeURIComponent(project)}/repository/files/${encoded}/raw?ref=${ref}`;
}
