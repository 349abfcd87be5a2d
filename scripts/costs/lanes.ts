import { smallArchive } from "../demo/sample-archive.ts";
import { BUCKET, type CostsScene, type Played } from "./scene.ts";

export const LANES = ["raw", "object", "artifact", "pipelines"] as const;
export type Lane = (typeof LANES)[number];

/** Requests of one lane, for things that were put there for them. */
export type LaneTraffic = {
  /** A read by one of the askers, of one of the scopes that grants are for. */
  read(asker: number, scope: number): Played;
  /** The first read of something, by an asker who has read others before; each number is another one. */
  first(number: number): Played;
  /** A read by somebody whom nobody knows; each number is another one. */
  denied(number: number): Played;
};

/** How many askers and scopes there are. */
export const ASKERS = 10;
export const SCOPES = 100;
/** How many first reads there are to be had. */
export const FIRSTS = 400;

const FILE_BYTES = 4 * 1024;
const FIRST_JOB = 5000;
/** Ids of jobs from here on are those of first reads. */
const FIRST_UNREAD_JOB = 6000;
const PROJECT = "bench/project-1";

/** Puts there what the lanes read. */
export async function addThings({ forge: { forge }, store }: CostsScene): Promise<void> {
  const text = (name: string) => `${name}\n`.padEnd(FILE_BYTES, ".\n");
  const numbers = Array.from({ length: FIRSTS }, (_, number) => number);
  const files = numbers.map((number) => [`files/${number}.txt`, text(`File ${number}`)] as const);
  await forge.commit(PROJECT, "main", Object.fromEntries(files));
  for (const number of numbers) store.put(BUCKET, `unread/${number}`, text(`Object ${number}`));
  for (let scope = 0; scope < SCOPES; scope++) store.put(BUCKET, `read/${scope}`, text(`Object ${scope}`));
  const archive = smallArchive(Object.fromEntries(files.slice(0, 40)));
  const addJob = (id: number) =>
    forge.jobs.addJob({ project: PROJECT, id, name: `job-${id}`, ref: "main", archive, storage: "local" });
  for (let scope = 0; scope < SCOPES; scope++) addJob(FIRST_JOB + scope);
  for (const number of numbers) addJob(FIRST_UNREAD_JOB + number);
}

/** The requests of each lane. */
export function laneTraffic(scene: CostsScene): Readonly<Record<Lane, LaneTraffic>> {
  const { gitlab, s3, forge } = scene;
  const as = (asker: number) => ({ "PRIVATE-TOKEN": forge.tokens[asker] ?? "" });
  const stranger = (number: number) => ({ "PRIVATE-TOKEN": `glpat-nobody-${number}-${scene.nowMs}` });
  const file = (scope: number, number: number) =>
    `${gitlab}/bench/project-${scope + 1}/-/raw/main/files/${number}.txt`;
  const entry = (job: number) => `${gitlab}/api/v4/projects/1/jobs/${job}/artifacts/files/1.txt`;
  const list = (scope: number, query: string) => `${gitlab}/api/v4/projects/${scope + 1}/pipelines?${query}`;
  const host = new URL(s3).host;
  const object = (key: string): Played => {
    const path = `/${BUCKET}/${key}`;
    return { url: s3 + path, headers: scene.sign()({ method: "GET", host, path }) };
  };
  return {
    raw: {
      read: (asker, scope) => ({ url: file(scope, 1), headers: as(asker) }),
      first: (number) => ({ url: file(0, number), headers: as(0) }),
      denied: (number) => ({ url: file(0, 1), headers: stranger(number), status: 401 }),
    },
    object: {
      read: (_, scope) => object(`read/${scope}`),
      first: (number) => object(`unread/${number}`),
      denied: (number) => ({ url: `${s3}/${BUCKET}/read/${number % SCOPES}`, status: 403 }),
    },
    artifact: {
      read: (asker, scope) => ({ url: entry(FIRST_JOB + scope), headers: as(asker) }),
      first: (number) => ({ url: entry(FIRST_UNREAD_JOB + number), headers: as(0) }),
      denied: (number) => ({ url: entry(FIRST_JOB), headers: stranger(number), status: 401 }),
    },
    pipelines: {
      read: (asker, scope) => ({ url: list(scope, "per_page=20"), headers: as(asker) }),
      first: (number) => ({ url: list(0, `username=person-${number}`), headers: as(0) }),
      denied: (number) => ({ url: list(0, "per_page=20"), headers: stranger(number), status: 401 }),
    },
  };
}
