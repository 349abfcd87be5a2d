import type { Access, Claim } from "./access.ts";
import type { Repository } from "./repositories.ts";

/** A repository under the name that a forge knows it by. */
export interface Project {
  readonly id: number;
  readonly name: string;
  readonly repository: Repository;
}

/** What a forge found out about an asker and a project before it reads anything; each forge words its refusals itself. */
export type Admission =
  | {
      readonly kind: "admitted";
      readonly project: Project;
      readonly isPublic: boolean;
      readonly isMember: boolean;
      readonly isDeveloper: boolean;
      /** Who asked; undefined for nobody in particular. */
      readonly user: string | undefined;
    }
  /** A credential that the forge does not accept, whatever it was sent for. */
  | { readonly kind: "rejected"; readonly reason: "unknown" | "expired" }
  /** Nobody in particular asked for a project that not everybody may read, or that is missing. */
  | { readonly kind: "anonymous" }
  /** Somebody known asked for a project that is hidden from them, or missing. */
  | { readonly kind: "hidden" };

export type Admitted = Extract<Admission, { readonly kind: "admitted" }>;

export type Refusal = Exclude<Admission, Admitted>;

export type ProjectKey = { readonly name: string } | { readonly id: number };

/** Decides who may read a project, after the pause that such a decision takes. */
export type Gate = (claims: readonly Claim[], key: ProjectKey) => Promise<Admission>;

export function createGate(projects: readonly Project[], access: Access, pause: () => Promise<void>): Gate {
  return async (claims, key) => {
    await pause();
    const project = projects.find((candidate) =>
      "id" in key ? candidate.id === key.id : candidate.name === key.name,
    );
    const identity = access.identify(claims);
    if (identity.kind === "rejected") return identity;
    const isPublic = project !== undefined && access.isPublic(project.name);
    const isMember = project !== undefined && access.isMember(identity, project.name);
    if (project !== undefined && (isPublic || isMember)) {
      const isDeveloper = access.isDeveloper(identity, project.name);
      const user = identity.kind === "user" ? identity.name : undefined;
      return { kind: "admitted", project, isPublic, isMember, isDeveloper, user };
    }
    return identity.kind === "anonymous" ? { kind: "anonymous" } : { kind: "hidden" };
  };
}
