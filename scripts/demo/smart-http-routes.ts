import type { CountKind } from "./counts.ts";
import { GIT_ENDPOINTS } from "./http-backend.ts";
import type { GitEndpoint } from "./http-backend.ts";

/** A smart HTTP request; `suffixed` where the repository was written with `.git`. */
export interface GitRoute {
  readonly kind: "git";
  readonly project: string;
  readonly endpoint: GitEndpoint;
  readonly suffixed: boolean;
}

/** What a smart HTTP request counts as. */
export function gitKind(endpoint: GitEndpoint, command: string | undefined): CountKind {
  if (endpoint === "info/refs") return "git:capabilities";
  if (endpoint === "git-receive-pack") return "git:push";
  return command === "ls-refs" ? "git:ls-refs" : "git:fetch";
}

/** The repository and the endpoint of a smart HTTP path. */
export function routeGit(segments: readonly string[]): GitRoute | undefined {
  const path = segments.join("/");
  const endpoint = GIT_ENDPOINTS.find((candidate) => path.endsWith(`/${candidate}`));
  if (endpoint === undefined) return undefined;
  const repository = path.slice(0, -endpoint.length - 1);
  const project = repository.replace(/\.git$/, "");
  return { kind: "git", project, endpoint, suffixed: project !== repository };
}
