/** Whether what names a project is its number, which GitLab gives to no other one. */
export function isProjectNumber(project: string): boolean {
  return /^\d+$/.test(project);
}
