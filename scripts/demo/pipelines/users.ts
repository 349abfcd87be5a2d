/** A user of the GitLab-shaped forge, as far as pipelines show one. */
export interface ForgeUser {
  readonly id: number;
  readonly username: string;
  readonly name: string;
}

/** Who starts pipelines; the first does where nobody else is named. */
export const FORGE_USERS = [
  { id: 1, username: "developer", name: "Dana Developer" },
  { id: 2, username: "reader", name: "Robin Reader" },
  { id: 3, username: "other", name: "Olive Other" },
] as const satisfies readonly ForgeUser[];

/** The user of that name. */
export function forgeUser(username: string): ForgeUser {
  const user = FORGE_USERS.find((candidate) => candidate.username === username);
  if (user === undefined) throw new Error(`Cannot find the user ${username}`);
  return user;
}
