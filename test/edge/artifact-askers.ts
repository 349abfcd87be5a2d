import { expect } from "vitest";
import { latestDoors, text, type ArtifactScene, type Built, type NewArchive } from "./artifact-scene.ts";
import { writeZip } from "../zip/write-zip.ts";
import { PRINCIPALS, type Channel, type Principal } from "./principals.ts";
import { ask, type Answer } from "./scene.ts";

/** Stands in what is in an archive, and in its names: a listing tells as much as an entry. */
export const MARKER = "MARKED-AS-PRIVATE";
const DIRECTORY = `of-${MARKER}`;
/** More than is kept in memory, and several blocks, with small ones of these. */
export const ASKERS_VARS = { BLOCK_BYTES: 16 * 1024, HOT_BODY_BYTES: 8 * 1024 };
const LARGE_BYTES = 40_000;

const developer = { reads: [], secret: "glpat-developer" };

/** Who asks for artifacts; what they may see is for the forge to say. */
export const ARTIFACT_ASKERS: readonly Principal[] = [
  ...PRINCIPALS.gitlab,
  { name: "token of a developer", headers: { "PRIVATE-TOKEN": "glpat-developer" }, ...developer },
  { name: "session of a developer", headers: { cookie: "_gitlab_session=session-developer" }, ...developer },
];

export const READER_OF = {
  web: { cookie: "_gitlab_session=session-reader" },
  api: { "PRIVATE-TOKEN": "glpat-reader" },
} as const satisfies Record<Channel, Readonly<Record<string, string>>>;

export const DEVELOPER_OF = {
  web: { cookie: "_gitlab_session=session-developer" },
  api: { "PRIVATE-TOKEN": "glpat-developer" },
} as const satisfies Record<Channel, Readonly<Record<string, string>>>;

const large = Buffer.concat([Buffer.from(MARKER.repeat(20)), text(LARGE_BYTES)]);
const markedArchive = (words: string) =>
  writeZip([
    { name: `${DIRECTORY}/small.txt`, content: `${MARKER} ${words}\n`, method: 8 },
    { name: `${DIRECTORY}/large.bin`, content: large },
    { name: `${DIRECTORY}/large.txt`, content: large, method: 8 },
    { name: `${MARKER}.link`, link: `${DIRECTORY}/small.txt` },
  ]).bytes;
const marked = markedArchive("is in here");

/** An archive that is marked all over; of other bytes where it has other words in it. */
export function buildMarked(scene: ArtifactScene, more: NewArchive, words?: string): Built {
  return scene.build(words === undefined ? marked : markedArchive(words), more);
}

export const SMALL = `${DIRECTORY}/small.txt`;
export const LARGE = `${DIRECTORY}/large.bin`;

/** Everything that can be asked for of an archive through a door, by a name. */
export function formsOf(built: Built, channel: Channel): Readonly<Record<string, string>> {
  const door = built[channel];
  const latest = latestDoors(built.job);
  return {
    archive: door.archive,
    "small entry": door.entry(SMALL),
    "large entry": door.entry(LARGE),
    "unpacked entry": door.entry(`${DIRECTORY}/large.txt`),
    link: door.entry(`${MARKER}.link`),
    listing: door.list(),
    "listing of a directory": door.list(`${DIRECTORY}/`),
    tar: door.made("tar"),
    "zip of a directory": door.made("zip", DIRECTORY),
    "latest archive": latest[channel].archive,
    "latest entry": latest[channel].entry(SMALL),
    "latest tar": latest[channel].made("tar"),
    ...(channel === "web" && { "latest listing": latest.web.list() }),
    ...(channel === "web" && { "entry as a file": door.entry(SMALL).replace("/raw/", "/file/") }),
  };
}

export type Who = Pick<Principal, "headers" | "query">;
export type More = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly direct?: boolean;
};

export async function askAs(scene: ArtifactScene, who: Who, path: string, more: More = {}): Promise<Answer> {
  const joined = who.query === undefined ? path : `${path}${path.includes("?") ? "&" : "?"}${who.query}`;
  return await scene.get(joined, { ...more, headers: { ...who.headers, ...more.headers } });
}

/** Whether the forge itself gives somebody a path. */
export async function isAdmitted(
  scene: ArtifactScene,
  { headers = {}, query }: Who,
  path: string,
): Promise<boolean> {
  const { status, headers: got } = await ask(
    `${scene.gitlab.url}${path}${query === undefined ? "" : `?${query}`}`,
    { headers },
  );
  return status === 200 || (status === 302 && !String(got.location).endsWith("/users/sign_in"));
}

const REFUSALS = [302, 401, 403, 404];
const TELLING = [
  "etag",
  "last-modified",
  "content-range",
  "accept-ranges",
  "age",
  "forgefront-omitted",
  "x-total",
];

/** A refusal that tells nothing of an archive. */
export function expectNothingTold({ status, headers, body }: Answer, allowed = REFUSALS): void {
  expect(allowed).toContain(status);
  if (status === 302) expect(headers.location).toMatch(/\/users\/sign_in$/);
  expect(JSON.stringify(headers) + body.toString("latin1")).not.toContain(MARKER);
  for (const name of TELLING) expect(headers).not.toHaveProperty(name);
}

export function expectServed({ status, headers, body, whole }: Answer): void {
  expect([status, whole]).toEqual([200, true]);
  const shown = headers["content-encoding"] === "gzip" ? MARKER : body.toString("latin1");
  expect(shown).toContain(MARKER);
  expect(headers).not.toHaveProperty("set-cookie");
}

/** The web sends to the job that is the latest one just now, as GitLab does. */
const isMoving = (form: string, channel: Channel) => channel === "web" && form.startsWith("latest ");

async function follow(scene: ArtifactScene, who: Who, moved: Answer, { job }: Built): Promise<Answer> {
  const { status, headers } = moved;
  const isMoved =
    status === 302 && headers.location?.startsWith(`/${job.project}/-/jobs/${job.id}/artifacts/`) === true;
  return isMoved ? await askAs(scene, who, headers.location ?? "") : moved;
}

/** Asks for all forms, and tells each answer that is not what it should be. */
export async function faultsOf(
  scene: ArtifactScene,
  who: Who & { readonly name?: string },
  {
    built,
    channel,
    isServed,
  }: { readonly built: Built; readonly channel: Channel; readonly isServed: boolean },
): Promise<string[]> {
  const faults: string[] = [];
  for (const [form, path] of Object.entries(formsOf(built, channel))) {
    const first = await askAs(scene, who, path);
    const answer = isServed && isMoving(form, channel) ? await follow(scene, who, first, built) : first;
    try {
      if (isServed) expectServed(answer);
      else expectNothingTold(answer);
    } catch (error) {
      const got = `${answer.status} ${answer.caches["grant"]} with ${answer.body.length} bytes`;
      const [line = ""] = String(error).split("\n");
      faults.push(`${who.name}, ${form}: not ${isServed ? "served" : "refused"} but ${got}: ${line}`);
    }
  }
  return faults;
}
