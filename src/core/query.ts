import { formDecode } from "./form-decode.ts";

/**
 * The parameters a dialect knows, by name; `undefined` where two readers may not read one of them alike: it stands twice, is
 * written as a list (Rack: `name[]`), cannot be decoded, or holds what parted parameters once (`;`, HTML 4.01 §B.2.2).
 */
export function readQuery<Name extends string>(
  search: string,
  names: readonly Name[],
): Partial<Record<Name, string>> | undefined {
  const found: Partial<Record<Name, string>> = {};
  for (const piece of search.replace(/^\?/, "").split("&")) {
    const [written = "", ...rest] = piece.split("=");
    const name = formDecode(written);
    if (name === undefined) return undefined;
    const known = names.find((each) => name === each || name.startsWith(`${each}[`));
    if (known === undefined) continue;
    const text = rest.join("=");
    const value = text.includes(";") ? undefined : formDecode(text);
    if (name !== known || value === undefined || found[known] !== undefined) return undefined;
    found[known] = value;
  }
  return found;
}
