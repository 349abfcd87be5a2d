import { countDenial, sendHtml, sendText } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { Gate } from "./gate.ts";
import { giteaClaims } from "./gitea-claims.ts";
import { sendGiteaFile } from "./gitea-files.ts";
import type { GiteaRefKind, GiteaRoute } from "./gitea-routes.ts";
import { refPathCuts, splitFirstRef } from "./ref-path.ts";
import type { RefPath } from "./ref-path.ts";
import type { Repository } from "./repositories.ts";
import { commitOf, isFullCommitId } from "./revisions.ts";

type RawRoute = Extract<GiteaRoute, { kind: "raw" }>;

const COMMIT_ID = /^[0-9a-f]{7,40}$/;
const REF_PREFIX = { branch: "refs/heads/", tag: "refs/tags/" } as const;

/** A raw file on the web. Whether a project is private or missing is not said. */
export async function serveGiteaRaw(exchange: Exchange, route: RawRoute, gate: Gate): Promise<void> {
  const { request, address } = exchange;
  const admission = await gate(giteaClaims(request, address.query), { name: route.project });
  if (admission.kind === "rejected")
    return sendText(countDenial(exchange), 401, "Failed to authenticate user\n");
  if (admission.kind !== "admitted") return sendHtml(countDenial(exchange), 404, "Not found");
  const { repository } = admission.project;
  const { refKind, refAndPath } = route;
  if (refKind === undefined) return redirectGuess(exchange, route, repository);
  const cut = await splitRefPath(repository, refKind, refAndPath);
  const commit =
    cut && (await commitOf(repository, refKind === "commit" ? cut.ref : REF_PREFIX[refKind] + cut.ref));
  const sent =
    cut &&
    commit &&
    (await sendGiteaFile(exchange, {
      repository,
      commit,
      path: cut.path,
      isPublic: admission.isPublic,
    }));
  if (!sent) sendHtml(exchange, 404, "Not found");
}

async function splitRefPath(
  repository: Repository,
  kind: GiteaRefKind,
  refAndPath: string,
): Promise<RefPath | undefined> {
  const [first] = refPathCuts(refAndPath);
  if (kind === "commit") return first !== undefined && COMMIT_ID.test(first.ref) ? first : undefined;
  const cut = await splitFirstRef(repository, refAndPath, REF_PREFIX[kind]);
  if (cut !== undefined || kind === "tag" || first?.ref !== "HEAD") return cut;
  return { ref: repository.defaultBranch, path: first.path };
}

/** The old URLs name no kind of ref: Gitea guesses a branch, a tag, a commit, at last a path of the default branch, and redirects. */
async function redirectGuess(exchange: Exchange, route: RawRoute, repository: Repository): Promise<void> {
  const place = await guessRef(repository, route.refAndPath);
  const path = `/${route.project}/${route.form}/${place}`.split("/").map(encodeURIComponent).join("/");
  const query = /\?.*$/s.exec(exchange.request.url ?? "")?.[0] ?? "";
  sendText(exchange, 303, "See other\n", { Location: path + query });
}

async function guessRef(repository: Repository, refAndPath: string): Promise<string> {
  const [first] = refPathCuts(refAndPath);
  if ((await splitRefPath(repository, "branch", refAndPath)) !== undefined) return `branch/${refAndPath}`;
  if ((await splitRefPath(repository, "tag", refAndPath)) !== undefined) return `tag/${refAndPath}`;
  if (first !== undefined && isFullCommitId(first.ref)) return `commit/${refAndPath}`;
  return `branch/${repository.defaultBranch}/${refAndPath}`;
}
