/**
 * The parameters a dialect knows, by name; `undefined` where one of them stands twice,
 * since two readers may not choose the same one.
 */
export function readQuery<Name extends string>(
  search: string,
  names: readonly Name[],
): Partial<Record<Name, string>> | undefined {
  const found: Partial<Record<Name, string>> = {};
  if (search === "") return found;
  const parameters = new URLSearchParams(search);
  for (const name of names) {
    const [value, ...more] = parameters.getAll(name);
    if (more.length > 0) return undefined;
    if (value !== undefined) found[name] = value;
  }
  return found;
}
