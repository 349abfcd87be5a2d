import type { Project } from "../gate.ts";

/** A commit as git has it; dates are ISO 8601 with the zone of whoever made it. */
export interface CommitFacts {
  readonly id: string;
  readonly parents: readonly string[];
  readonly title: string;
  readonly message: string;
  readonly author: CommitPerson;
  readonly committer: CommitPerson;
}

interface CommitPerson {
  readonly name: string;
  readonly email: string;
  readonly date: string;
}

export type ReadCommit = (project: Project, sha: string) => Promise<CommitFacts | undefined>;

const FORMAT = ["%H", "%P", "%s", "%an", "%ae", "%aI", "%cn", "%ce", "%cI", "%B"].join("%x00");

/** Reads commits, each of them once: what an id stands for never changes. */
export function createCommitReader(): ReadCommit {
  const known = new Map<string, Promise<CommitFacts | undefined>>();
  return (project, sha) => {
    const key = `${project.id}:${sha}`;
    const found = known.get(key) ?? read(project, sha);
    known.set(key, found);
    return found;
  };
}

async function read({ repository }: Project, sha: string): Promise<CommitFacts | undefined> {
  if ((await repository.describe(sha))?.type !== "commit") return undefined;
  const output = await repository.git.run([
    "-C",
    repository.directory,
    "log",
    "-1",
    `--format=${FORMAT}`,
    sha,
  ]);
  const [
    id = sha,
    parents = "",
    title = "",
    an = "",
    ae = "",
    ad = "",
    cn = "",
    ce = "",
    cd = "",
    message = "",
  ] = output.split("\0");
  return {
    id,
    parents: parents.split(" ").filter((parent) => parent !== ""),
    title,
    message: message.replace(/\n$/, ""),
    author: { name: an, email: ae, date: ad },
    committer: { name: cn, email: ce, date: cd },
  };
}
