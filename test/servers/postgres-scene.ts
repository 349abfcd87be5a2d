import { afterAll, beforeAll, beforeEach } from "vitest";
import {
  createPostgresPipelines,
  type PostgresPipelines,
} from "../../scripts/demo/pipelines/postgres-source.ts";
import type { Postgres } from "../../scripts/servers/postgres.ts";
import { startPipelinesScene, type PipelinesScene } from "../edge/pipelines-scene.ts";
import type { Answer } from "../edge/scene.ts";
import { DATABASE, READER, startGitlabDatabase } from "./postgres-place.ts";
import { startWay, type Way } from "./postgres-way.ts";

/** The edge before the GitLab-shaped forge, and both read pipelines from the same tables; the edge on a way that can be closed. */
export type DatabaseScene = PipelinesScene & {
  readonly postgres: Postgres;
  readonly way: Way;
  /** How many lists of the isolate without a name came to which end. */
  outcomes(): Promise<Readonly<Record<string, number>>>;
  /** The URLs of the forge's API that the edge asks for from now on, until all is undone again. */
  listen(): readonly string[];
};

/** More than a server says before it is asked anything, and less than a list is long. */
export const GREETING_BYTES = 1500;

/** Header fields of one answer alone. */
const OF_ONE_ANSWER = new Set(["date", "age", "cache-status", "server-timing", "connection", "keep-alive"]);

/** All of an answer that is not of this one time. */
export function told({ status, headers, body }: Answer): object {
  const kept = Object.entries(headers).filter(([name]) => !OF_ONE_ANSWER.has(name));
  return { status, headers: Object.fromEntries(kept), body: body.toString() };
}

/** Starts it once for all tests of a suite; before each of them everything is undone that the one before has changed. */
export function useDatabaseScene(): { readonly scene: DatabaseScene } {
  const started: { scene?: DatabaseScene; source?: PostgresPipelines } = {};
  beforeAll(async () => {
    const postgres = await startGitlabDatabase();
    const way = await startWay(postgres.port);
    const reader = new URL(postgres.url(DATABASE, READER));
    reader.port = String(way.port);
    started.source = createPostgresPipelines(postgres.url(DATABASE));
    started.scene = withDatabase(await startPipelinesScene({ database: reader.href }), postgres, way);
  });
  beforeEach(async () => {
    const { scene, source } = started;
    if (scene === undefined || source === undefined) throw new Error("There is no scene yet");
    await scene.way.set({ kind: "open" });
    await scene.again();
    scene.harness.demo.gitlab.pipelineSource = source;
  });
  afterAll(async () => {
    await started.scene?.harness.close();
    await started.source?.close();
    await started.scene?.way.close();
    await started.scene?.postgres.close();
  });
  return {
    get scene() {
      if (started.scene === undefined) throw new Error("There is no scene yet");
      return started.scene;
    },
  };
}

function withDatabase(scene: PipelinesScene, postgres: Postgres, way: Way): DatabaseScene {
  const { gitlab, controlToken, demo } = scene.harness;
  return {
    ...scene,
    postgres,
    way,
    async outcomes() {
      const headers = { authorization: `Bearer ${controlToken}` };
      const response = await fetch(`${gitlab}/-/forgefront/metrics`, { headers });
      const found = (await response.text()).matchAll(
        /^forgefront_database_lists_total\{outcome="(\w+)"\} (\d+)/gm,
      );
      return Object.fromEntries([...found].map(([, outcome, count]) => [outcome, Number(count)]));
    },
    listen() {
      const urls: string[] = [];
      demo.gitlab.intercept = ({ url = "" }) => {
        urls.push(url);
        return false;
      };
      return urls;
    },
  };
}
