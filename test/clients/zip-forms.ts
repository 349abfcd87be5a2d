import { join } from "node:path";
import { runProgram, type ZipMaker } from "./archive-programs.ts";

const ZIP_FORMS_PY = join(import.meta.dirname, "zip_forms.py");

const zip = (...options: readonly string[]): ZipMaker => {
  return (archive, root) => runProgram("zip", ["-q", "-r", "-y", ...options, archive, "."], root);
};
const sevenZip = (...options: readonly string[]): ZipMaker => {
  return (archive, root) => runProgram("7z", ["a", "-tzip", "-snl", "-bd", ...options, archive, "."], root);
};
const python = (form: string): ZipMaker => {
  return (archive, root) => runProgram("python3", ["-W", "error", ZIP_FORMS_PY, form, archive, root]);
};
/** Into a pipe nobody can go back in, so that sizes follow the data. */
const piped = (command: string): ZipMaker => {
  return (archive, root) => runProgram("sh", ["-c", `${command} | cat >"$0"`, archive], root);
};

/** Zip archives in the forms that programs write them in. */
export const ZIP_FORMS: Readonly<Record<string, ZipMaker>> = {
  "zip -0": zip("-0"),
  "zip -9": zip("-9"),
  "zip -fd": zip("-fd"),
  "zip -fz": zip("-fz"),
  "zip into a pipe": piped("zip -q -r -y - ."),
  "7z, deflated": sevenZip("-mm=Deflate"),
  "7z, copied": sevenZip("-mm=Copy"),
  "bsdtar -a": (archive, root) => runProgram("bsdtar", ["-a", "-c", "-f", archive, "."], root),
  "bsdtar into a pipe": piped("bsdtar -c --format zip -f - ."),
  "bsdtar, stored": (archive, root) => {
    const store = ["--format", "zip", "--options", "zip:compression=store"];
    return runProgram("bsdtar", ["-c", ...store, "-f", archive, "."], root);
  },
  "Python's zipfile, stored": python("stored"),
  "Python's zipfile, deflated": python("deflated"),
  "Python's zipfile, zip64": python("zip64"),
  "Python's zipfile into what cannot be sought": python("unseekable"),
};
