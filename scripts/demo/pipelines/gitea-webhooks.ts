import { createHmac, randomUUID } from "node:crypto";
import type { Project } from "../gate.ts";
import type { ActionRun } from "./actions.ts";
import { giteaRepository, giteaUser, publicStatus, runInList } from "./gitea-entities.ts";
import type { Delivery, HookSender, PushedRef } from "./webhooks.ts";

/** Of which project a delivery of Gitea's is, and who did what it tells. */
export interface GiteaHookContext {
  readonly project: Project;
  readonly isPublic: boolean;
  readonly username?: string;
}

/** A branch or tag was moved, made or deleted (`push`). */
export function giteaPush(sender: HookSender, context: GiteaHookContext, pushed: PushedRef): Delivery {
  const { repository, user } = parties(sender, context);
  return giteaDelivery(sender, "push", {
    ref: pushed.ref,
    before: pushed.before,
    after: pushed.after,
    compare_url: `${repository.html_url}/compare/${pushed.before}...${pushed.after}`,
    commits: [],
    total_commits: 0,
    head_commit: null,
    repository,
    pusher: user,
    sender: user,
  });
}

/** A branch or tag was made (`create`); beside the `push` that tells it too. */
export function giteaCreate(sender: HookSender, context: GiteaHookContext, pushed: PushedRef): Delivery {
  const { repository, user } = parties(sender, context);
  const { ref, type } = shortRef(pushed.ref);
  return giteaDelivery(sender, "create", {
    sha: pushed.after,
    ref,
    ref_type: type,
    repository,
    sender: user,
  });
}

/** A branch or tag was deleted (`delete`). */
export function giteaDelete(sender: HookSender, context: GiteaHookContext, pushed: PushedRef): Delivery {
  const { repository, user } = parties(sender, context);
  const { ref, type } = shortRef(pushed.ref);
  return giteaDelivery(sender, "delete", {
    ref,
    ref_type: type,
    pusher_type: "user",
    repository,
    sender: user,
  });
}

/** A run has another status (`workflow_run`). */
export function giteaWorkflowRun(sender: HookSender, context: GiteaHookContext, run: ActionRun): Delivery {
  const { repository, user } = parties(sender, { username: run.username, ...context });
  const { externalUrl } = sender;
  const { project, isPublic } = context;
  const status = publicStatus(run.status);
  const url = `${externalUrl}/api/v1/repos/${project.name}/actions/workflows/${run.workflowId}`;
  return giteaDelivery(sender, "workflow_run", {
    action: status === "queued" || status === "waiting" ? "requested" : status,
    workflow: {
      id: run.workflowId,
      name: run.workflowId,
      path: `.gitea/workflows/${run.workflowId}`,
      state: "active",
      url,
      html_url: `${repository.html_url}/src/branch/main/.gitea/workflows/${run.workflowId}`,
    },
    workflow_run: runInList(run, { externalUrl, project, isPublic }),
    repository,
    sender: user,
  });
}

function parties({ externalUrl }: HookSender, { project, isPublic, username = "reader" }: GiteaHookContext) {
  return {
    repository: giteaRepository({ externalUrl, project, isPublic }),
    user: giteaUser(username, externalUrl),
  };
}

function shortRef(full: string): { readonly ref: string; readonly type: "branch" | "tag" } {
  const type = full.startsWith("refs/tags/") ? "tag" : "branch";
  return { ref: full.replace(/^refs\/(heads|tags)\//, ""), type };
}

/** With a signature of the body under every name that Gitea's forebears gave it; an empty one without a secret. */
function giteaDelivery({ secret = "" }: HookSender, event: string, payload: object): Delivery {
  const body = JSON.stringify(payload, undefined, 2);
  const sign = (hash: string) => (secret === "" ? "" : createHmac(hash, secret).update(body).digest("hex"));
  const delivery = randomUUID();
  const named = ["Gitea", "Gogs", "GitHub"].flatMap((forge) => [
    [`X-${forge}-Delivery`, delivery],
    [`X-${forge}-Event`, event],
    [`X-${forge}-Event-Type`, event],
  ]);
  return {
    headers: {
      "Content-Type": "application/json",
      ...(Object.fromEntries(named) as Record<string, string>),
      "X-Gitea-Signature": sign("sha256"),
      "X-Gogs-Signature": sign("sha256"),
      "X-Hub-Signature": `sha1=${sign("sha1")}`,
      "X-Hub-Signature-256": `sha256=${sign("sha256")}`,
    },
    body,
  };
}
