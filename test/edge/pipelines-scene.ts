import { ask, startScene, type Answer, type Ask, type ForgeName, type Scene } from "./scene.ts";
import type { HarnessOptions } from "./harness.ts";

/** The pipelines of a project at the GitLab-shaped forge, by its path and by its number. */
export const API = "/api/v4/projects";
export const HELLO = `${API}/demo%2Fhello/pipelines`;
export const SECRET_LIST = `${API}/demo%2Fnested%2Fsecret/pipelines`;

export const READER = { "PRIVATE-TOKEN": "glpat-reader" };
export const DEVELOPER = { "PRIVATE-TOKEN": "glpat-developer" };
/** The developer again, as another asker. */
export const DEVELOPER_TOO = { cookie: "_gitlab_session=session-developer" };
export const OTHER = { "PRIVATE-TOKEN": "glpat-other" };

export type Headers = Readonly<Record<string, string>>;

/** What is asked of one isolate of the colo; the first is the one without a name. */
export type Where = { readonly isolate?: string; readonly forge?: ForgeName } & Pick<Ask, "method">;

export type PipelinesScene = Scene & {
  /** Asks the edge for a path of a forge. */
  get(path: string, headers?: Headers, where?: Where): Promise<Answer>;
  /** Asks the forge itself. */
  direct(path: string, headers?: Headers, where?: Where): Promise<Answer>;
  /** How many requests the forges got during some work, and after it while they still come. */
  questions(work: () => Promise<unknown>, forge?: ForgeName): Promise<number>;
  /** Changes whom forge and edge know back, and moves on as `fresh()` does. */
  again(): Promise<void>;
};

/** A scene in which everything that tests of pipelines change is undone. */
export async function startPipelinesScene(options: HarnessOptions = {}): Promise<PipelinesScene> {
  const scene = await startScene({ bigFileBytes: 1024, ...options });
  const { gitlab, gitea } = scene.harness.demo;
  const send = async (base: string, path: string, headers: Headers, { isolate, method }: Where) => {
    const named = isolate === undefined ? {} : { "x-test-isolate": isolate };
    return await ask(base + path, { headers: { ...headers, ...named }, ...(method && { method }) });
  };
  return {
    ...scene,
    get: async (path, headers = {}, where = {}) =>
      await send(scene.harness[where.forge ?? "gitlab"], path, headers, where),
    direct: async (path, headers = {}, where = {}) =>
      await send(scene.forge(where.forge ?? "gitlab").url, path, headers, where),
    async questions(work, forge = "gitlab") {
      await scene.settle();
      const before = scene.forge(forge).counts().total;
      await work();
      await scene.settle();
      return scene.forge(forge).counts().total - before;
    },
    async again() {
      gitlab.hooks = [];
      gitea.hooks = [];
      gitlab.externalUrl = gitlab.url;
      gitea.externalUrl = gitea.url;
      gitlab.pipelineSource = gitlab.pipelines;
      for (const project of ["demo/hello", "demo/nested/secret"])
        gitlab.setPipelinesAccess(project, "everyone");
      for (const project of ["demo/hello", "demo/secret"]) gitea.setActionsAccess(project, "everyone");
      for (const forge of ["gitlab", "gitea"] as const)
        scene.forge(forge).setVisibility("demo/hello", "public");
      gitlab.setMember("developer", "demo/nested/secret", true);
      for (const secret of ["glpat-developer", "session-developer"]) gitlab.restoreToken(secret);
      await gitlab.delivered();
      await gitea.delivered();
      await scene.fresh();
    },
  };
}

/** The ids of a list, in its order. */
export function idsOf({ status, body }: Answer): readonly number[] {
  if (status !== 200) throw new Error(`A list is answered ${status}: ${body.toString().slice(0, 200)}`);
  const list = JSON.parse(body.toString()) as readonly { readonly id: number }[];
  return list.map(({ id }) => id);
}
