import type { Project } from "../gate.ts";

/** The project of that path, which has to be there. */
export function projectNamed(projects: readonly Project[], name: string): Project {
  const project = projects.find((candidate) => candidate.name === name);
  if (project === undefined) throw new Error(`Cannot find the project ${name}`);
  return project;
}
