import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { TOOL_ENVIRONMENT } from "../measuring/command.ts";

/** Where a program is found on the search path, with those directories where only the administrator looks. */
export async function findProgram(name: string): Promise<string | undefined> {
  for (const directory of TOOL_ENVIRONMENT.PATH.split(delimiter)) {
    const path = join(directory, name);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

/** A sentence that names the programs that are not installed; `undefined` where there are all of them. */
export async function programsLack(names: readonly string[]): Promise<string | undefined> {
  const found = await Promise.all(names.map(findProgram));
  const missing = names.filter((_, index) => found[index] === undefined);
  return missing.length === 0 ? undefined : `Not installed: ${missing.join(", ")}`;
}

/** Whether there is a file that may be run. */
export async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
