import type { ProjectKey } from "./gate.ts";

/** What the API takes for `:id`: a project's number, or its path. */
export function projectKey(id: string): ProjectKey {
  return /^\d+$/.test(id) ? { id: Number(id) } : { name: id };
}
