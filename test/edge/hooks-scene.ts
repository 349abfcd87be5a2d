import { expect } from "vitest";
import { gitLabPush } from "../../scripts/demo/pipelines/gitlab-webhooks.ts";
import { deliver, NO_OBJECT, type Delivery } from "../../scripts/demo/pipelines/webhooks.ts";
import { READER, startPipelinesScene, type Headers, type PipelinesScene } from "./pipelines-scene.ts";
import { SECRET, type ForgeName } from "./scene.ts";

/** Who may read the private project. */
export const WHO: Readonly<Record<ForgeName, Headers>> = {
  gitlab: READER,
  gitea: { authorization: "token gitea-reader" },
};

/** The private project as deliveries speak of it. */
export const SECRET_PROJECT = { id: 2, path: SECRET.gitlab, isPublic: false, defaultBranch: "main" };

export type HooksScene = PipelinesScene & {
  /** What the GitLab-shaped forge says of itself in a delivery. */
  sender(): { readonly externalUrl: string; readonly secret: string };
  /** Waits until a forge has told what happened, and all of it was taken. */
  told(forge?: ForgeName): Promise<void>;
  /** Makes a delivery by hand. */
  post(delivery: Delivery): Promise<void>;
  /** Makes a change of a ref that nobody tells, and gives the delivery that would. */
  untold(ref: string, change: () => Promise<unknown>): Promise<Delivery>;
};

/** A scene in which the forges tell the edge what happens. */
export async function startHooksScene(): Promise<HooksScene> {
  const scene = await startPipelinesScene();
  const { demo, webhookSecret: secret } = scene.harness;
  const hooksOf = (forge: ForgeName) => `${scene.harness[forge]}/-/forgefront/hooks`;
  const sender = () => ({ externalUrl: demo.gitlab.url, secret });
  const commitOf = async (ref: string) => (await demo.gitlab.objectId(SECRET.gitlab, ref)) ?? NO_OBJECT;
  return {
    ...scene,
    sender,
    async again() {
      await scene.again();
      for (const forge of ["gitlab", "gitea"] as const) demo[forge].hooks = [{ url: hooksOf(forge), secret }];
    },
    async told(forge = "gitlab") {
      for (const each of await demo[forge].delivered())
        expect(each).toMatchObject({ kind: "answered", status: 200 });
    },
    async post(delivery) {
      expect(await deliver(hooksOf("gitlab"), delivery)).toBe(200);
    },
    async untold(ref, change) {
      const { hooks } = demo.gitlab;
      demo.gitlab.hooks = [];
      const before = await commitOf(ref);
      await change();
      const after = await commitOf(ref);
      demo.gitlab.hooks = hooks;
      return gitLabPush(sender(), SECRET_PROJECT, { ref, before, after });
    },
  };
}
