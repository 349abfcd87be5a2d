/** What a file holds: text, bytes, or bytes that are made while they are written. */
export type Content = string | Uint8Array | { readonly size: number; readonly chunks: Iterable<Uint8Array> };

export type FileChange =
  | {
      readonly path: string;
      readonly mode: "100644" | "100755" | "120000";
      readonly content: Content;
    }
  | { readonly path: string; readonly mode: "160000"; readonly commit: string }
  | { readonly path: string; readonly mode: "deleted" };

export interface NewCommit {
  readonly ref: string;
  /** The number by which later commands name this commit, as `:mark`. */
  readonly mark: number;
  /** A parent: `:mark` or a full ref; absent for a first commit. */
  readonly from?: string | undefined;
  readonly message: string;
  readonly seconds: number;
  readonly changes: readonly FileChange[];
}

type Stream = Generator<string | Uint8Array, void>;

const COMMITTER = "Demo <demo@example.com>";

/** A `commit` command of git-fast-import(1). */
export function* commitCommand(commit: NewCommit): Stream {
  yield `commit ${commit.ref}\nmark :${commit.mark}\ncommitter ${COMMITTER} ${commit.seconds} +0000\n`;
  yield* dataCommand(`${commit.message}\n`);
  if (commit.from !== undefined) yield `from ${commit.from}\n`;
  for (const change of commit.changes) yield* changeCommand(change);
  yield "\n";
}

/** Points a ref, such as a lightweight tag or a second branch, at a commit. */
export function* resetCommand(ref: string, from: string): Stream {
  yield `reset ${ref}\nfrom ${from}\n\n`;
}

/** An annotated tag. */
export function* tagCommand(name: string, from: string, seconds: number): Stream {
  yield `tag ${name}\nfrom ${from}\ntagger ${COMMITTER} ${seconds} +0000\n`;
  yield* dataCommand(`${name}\n`);
}

function* changeCommand(change: FileChange): Stream {
  const path = `"${change.path.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
  if (change.mode === "deleted") {
    yield `D ${path}\n`;
    return;
  }
  if (change.mode === "160000") {
    yield `M 160000 ${change.commit} ${path}\n`;
    return;
  }
  yield `M ${change.mode} inline ${path}\n`;
  yield* dataCommand(change.content);
}

function* dataCommand(content: Content): Stream {
  if (typeof content === "object" && "chunks" in content) {
    yield `data ${content.size}\n`;
    yield* content.chunks;
  } else {
    yield `data ${Buffer.byteLength(content)}\n`;
    yield content;
  }
  yield "\n";
}
