import { commitCommand, resetCommand, tagCommand } from "./fast-import.ts";
import type { Content, FileChange } from "./fast-import.ts";
import { pseudoRandomBytes } from "./pseudo-random.ts";

/** The repositories the demo starts with, each a stream for git-fast-import(1). */
export type SampleName = "hello" | "secret" | "other";

/** When the first commit was made, in seconds since 1970: fixed, so that every start gives the same object ids. */
export const FIRST_COMMIT_SECONDS = 1_767_603_600;

/** What a private file says, so that a test can prove that nobody else ever saw it. */
export const PRIVATE_MARKER = "TOP-SECRET";

const KIB = 1024;
const MIB = 1024 * KIB;
const SECRET_BIG_FILE_BYTES = 8 * MIB;
const SUBMODULE_COMMIT = "1234567890abcdef1234567890abcdef12345678";

export function sampleContent(name: SampleName, bigFileBytes: number): Iterable<string | Uint8Array> {
  if (name === "hello") return hello(bigFileBytes);
  return privateContent(name);
}

function* hello(bigFileBytes: number) {
  const at = (step: number) => FIRST_COMMIT_SECONDS + 60 * step;
  const main = "refs/heads/main";
  yield* commitCommand({
    ref: main,
    mark: 1,
    message: "Say hello",
    seconds: at(0),
    changes: firstFiles(),
  });
  yield* commitCommand({
    ref: main,
    mark: 2,
    from: ":1",
    message: "Add a large file",
    seconds: at(1),
    changes: laterFiles(bigFileBytes),
  });
  const branch = (ref: string, mark: number, from: string, changes: FileChange[]) =>
    commitCommand({ ref, mark, from, message: `Work on ${ref}`, seconds: at(mark), changes });
  yield* branch("refs/heads/feature/login", 3, ":2", [
    file("README.md", "# Hello, login\n"),
    file("x.txt", "x on feature/login\n"),
  ]);
  yield* branch("refs/heads/feature/login-page", 4, ":2", [file("README.md", "# Hello, login page\n")]);
  yield* branch("refs/heads/release/1.x/hotfix", 5, ":1", [file("README.md", "# Hello, hotfix\n")]);
  yield* branch("refs/heads/both", 6, ":1", [file("both.txt", "both as a branch\n")]);
  // The commit of the tag `both` is on no branch.
  yield* branch("refs/tags/both", 7, ":1", [file("both.txt", "both as a tag\n")]);
  yield* branch("refs/tags/feature", 8, ":1", [
    file("README.md", "# Hello, tag feature\n"),
    file("login/x.txt", "login/x on feature\n"),
  ]);
  yield* resetCommand("refs/tags/v1.0", ":1");
  yield* tagCommand("v2.0", ":2", at(9));
}

function firstFiles(): FileChange[] {
  return [
    file("README.md", "# Hello\n\nA small repository to try a cache on.\n"),
    file("docs/small.txt", textOf("A line of the small file", 4 * KIB)),
    file(
      "docs/guide.html",
      "<!doctype html>\n<title>Guide</title>\n<p>A page that must not run as one: <script>alert(1)</script>\n",
    ),
    file("docs/grüße/naïve file.txt", "Grüße\n"),
    file("docs/a+b & c#d%.txt", "Every special character has its place\n"),
    file("docs/empty.txt", ""),
    file(
      "images/logo.svg",
      '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><path d="M0 0h8v8H0z"/></svg>\n',
    ),
    file("feature/login/x.txt", "feature/login/x on main\n"),
    { path: "link-to-readme", mode: "120000", content: "README.md" },
    { path: "bin/hello", mode: "100755", content: "#!/bin/sh\necho hello\n" },
    file(
      ".gitmodules",
      '[submodule "vendor/library"]\n\tpath = vendor/library\n\turl = https://example.com/library.git\n',
    ),
    { path: "vendor/library", mode: "160000", commit: SUBMODULE_COMMIT },
  ];
}

function laterFiles(bigFileBytes: number): FileChange[] {
  return [
    file("big/blob.bin", { size: bigFileBytes, chunks: pseudoRandomBytes("hello", bigFileBytes) }),
    file("docs/changes.txt", "A large file came\n"),
  ];
}

function* privateContent(name: "secret" | "other") {
  const ref = "refs/heads/main";
  const changes = [
    file("README.md", `# ${name}\n`),
    file("config/private.txt", textOf(`${PRIVATE_MARKER} of ${name}`, 4 * KIB)),
    file("data/records.txt", textOf(`${PRIVATE_MARKER} record of ${name}`, 64 * KIB)),
  ];
  yield* commitCommand({
    ref,
    mark: 1,
    message: "Keep a secret",
    seconds: FIRST_COMMIT_SECONDS,
    changes,
  });
  if (name === "secret") {
    const big = {
      size: SECRET_BIG_FILE_BYTES,
      chunks: pseudoRandomBytes("secret", SECRET_BIG_FILE_BYTES),
    };
    const seconds = FIRST_COMMIT_SECONDS + 60;
    yield* commitCommand({
      ref,
      mark: 2,
      from: ":1",
      message: "Keep a large secret",
      seconds,
      changes: [file("big/blob.bin", big)],
    });
  }
  yield* commitCommand({
    ref: "refs/heads/feature/plan",
    mark: 3,
    from: ":1",
    message: "Plan",
    seconds: FIRST_COMMIT_SECONDS + 120,
    changes: [file("README.md", `# Plan of ${name}\n`)],
  });
  yield* resetCommand("refs/tags/v1.0", ":1");
}

function file(path: string, content: Content): FileChange {
  return { path, mode: "100644", content };
}

function textOf(line: string, bytes: number): string {
  let text = "";
  for (let number = 1; text.length < bytes; number++) text += `${line}, number ${number}\n`;
  return `${text.slice(0, bytes - 1)}\n`;
}
