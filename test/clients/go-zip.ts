import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ZipMaker } from "./archive-programs.ts";

const SOURCE = join(import.meta.dirname, "go-zip");

/** Go's own zip, and fastzip, which is what GitLab Runner packs artifacts with: by what they are told. */
export const GO_FORMS = {
  "Go's archive/zip": "archive",
  "GitLab Runner's fastzip": "fast",
  "GitLab Runner's fastzip, zstd": "fast-zstd",
  "GitLab Runner's fastzip, stored": "fast-store",
} as const;

/** Compiles the program that makes them, and gives back how to run it. */
export async function buildGoZip(
  directory: string,
): Promise<(form: (typeof GO_FORMS)[keyof typeof GO_FORMS]) => ZipMaker> {
  const program = join(directory, "go-zip");
  await promisify(execFile)("go", ["build", "-buildvcs=false", "-o", program, "."], { cwd: SOURCE });
  return (form) => async (archive, root) => await promisify(execFile)(program, [form, archive, root]);
}
