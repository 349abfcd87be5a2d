import { gitLabPush } from "../demo/pipelines/gitlab-webhooks.ts";
import { deliver } from "../demo/pipelines/webhooks.ts";
import {
  fileAt,
  fileContent,
  isOpenProject,
  projectId,
  projectName,
  PROJECTS,
  projectUnit,
} from "./catalogue.ts";
import { contentOf } from "./content.ts";
import type { Origins } from "./origins.ts";
import type { Change } from "./truth.ts";

/** Where webhooks are delivered, and what proves them. */
export type Hooked = { readonly url: string; readonly secret: string };

/** Changes files, one after the other in each project, and writes down when. */
export type Pushes = {
  /** Commits a file's next revision to its branch, and tells the edge of it or not. */
  push(file: number, isTold: boolean): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  readonly forge: Origins["forge"];
  readonly hooked: Hooked;
  readonly write: (change: Change) => void;
};

const BRANCH = "main";

export async function createPushes({ forge, hooked, write }: Options): Promise<Pushes> {
  const heads: string[] = [];
  for (let project = 0; project < PROJECTS; project++)
    heads.push((await forge.objectId(projectName(project), BRANCH)) ?? "");
  const counts = heads.map(() => 0);
  const revisions = new Map<number, number>();
  const turns: Promise<void>[] = heads.map(async () => {});

  async function pushNow(index: number, isTold: boolean): Promise<void> {
    const file = fileAt(index);
    const { project, path } = file;
    const unit = projectUnit(project);
    const revision = (revisions.get(index) ?? 0) + 1;
    revisions.set(index, revision);
    const commit = (counts[project] = (counts[project] ?? 0) + 1);
    const before = heads[project] ?? "";
    write({ kind: "push-began", unit, commit, path, revision, atMs: Date.now() });
    const content = contentOf(fileContent(file, revision));
    const after = await forge.commit(projectName(project), BRANCH, { [path]: content });
    write({ kind: "push-ended", unit, commit, atMs: Date.now() });
    heads[project] = after;
    if (!isTold) return;
    await tell(project, before, after);
    write({ kind: "push-told", unit, commit, atMs: Date.now() });
  }

  async function tell(project: number, before: string, after: string): Promise<void> {
    const named = {
      id: projectId(project),
      path: projectName(project),
      isPublic: isOpenProject(project),
      defaultBranch: BRANCH,
    };
    const sender = { externalUrl: forge.url, secret: hooked.secret };
    const told = gitLabPush(sender, named, { ref: `refs/heads/${BRANCH}`, before, after });
    const status = await deliver(hooked.url, told);
    if (status !== 200) throw new Error(`A push was told, and answered with ${status}`);
  }

  return {
    push(file, isTold) {
      const { project } = fileAt(file);
      const mine = (turns[project] ?? Promise.resolve()).then(async () => await pushNow(file, isTold));
      turns[project] = mine.catch(() => {}); // whoever asked for the push hears of it
      return mine;
    },
    async close() {
      await Promise.all(turns);
    },
  };
}
