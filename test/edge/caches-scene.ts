import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import type { Forge } from "../../scripts/demo/demo.ts";
import {
  countedAt,
  CREDENTIALS,
  getFrom,
  GITEA_API,
  GITEA_WEB,
  GITLAB_API,
  GITLAB_WEB,
  newFileIn,
  type Door,
  type NewFile,
  type Place,
} from "./doors.ts";
import { startScene, type Answer, type Scene } from "./scene.ts";

export const READER = CREDENTIALS.gitlab;
export const COOKIE = { cookie: "_gitlab_session=session-reader" };

export const ALL_DOORS = [GITLAB_WEB, GITLAB_API, GITEA_WEB, GITEA_API];

export const SMALL_BYTES = 3000;
/** A little more than three blocks. */
export const BIG_BYTES = 200_001;

export type Headers = Readonly<Record<string, string>>;

/** What `playCachesScene` has started. */
export let scene: Scene;
export let gitlab: Forge;

/** A scene with small blocks for all tests of a file, each of which finds it fresh. */
export function playCachesScene(): void {
  beforeAll(async () => {
    scene = await startScene({
      bigFileBytes: 1024,
      vars: { BLOCK_BYTES: 64 * 1024, HOT_BODY_BYTES: 32 * 1024 },
    });
    gitlab = scene.forge("gitlab");
  });
  beforeEach(async () => await scene.fresh());
  afterAll(async () => await scene.harness.close());
}

/** Asks for a file as somebody who may read it; headers given take the place of the credentials. */
export async function get(
  door: Door,
  place: Place,
  headers: Headers = CREDENTIALS[door.forge],
): Promise<Answer> {
  return await getFrom(scene, door, place, { headers });
}

export async function newFile(length = SMALL_BYTES): Promise<NewFile> {
  return await newFileIn(scene, length);
}

export function expectBytes({ status, body }: Answer, bytes: Buffer): void {
  expect(status).toBe(200);
  expect(body.equals(bytes)).toBe(true);
}

/** What a forge was asked since the test began. */
export function counted(door: Door): ReturnType<typeof countedAt> {
  return countedAt(scene, door);
}
