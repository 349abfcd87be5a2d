import { Failure } from "../core/problem.ts";
import type { Entry } from "../core/entry.ts";
import { entryHeaders } from "../core/zip/entry-headers.ts";
import type { Links } from "../core/zip/links.ts";
import type { Run } from "../core/zip/runs.ts";
import { select, type SelectedMembers } from "../core/zip/selection.ts";
import { tarRuns, tarSize } from "../core/zip/tar-runs.ts";
import { zipRuns, zipSize } from "../core/zip/zip-runs.ts";
import type { Archive } from "./archive.ts";
import type { Representation } from "./representation.ts";
import { runsContent } from "./runs-content.ts";
import type { Visit } from "./visit.ts";

type Form = {
  readonly mediaType: string;
  readonly size: (selection: SelectedMembers) => number;
  readonly runs: (selection: SelectedMembers) => Iterable<Run>;
};

const FORMS: Readonly<Record<"tar" | "zip", Form>> = {
  tar: { mediaType: "application/x-tar", size: tarSize, runs: tarRuns },
  zip: { mediaType: "application/zip", size: zipSize, runs: zipRuns },
};

/** A subtree of an archive, or all of it, as another archive that is made while it is sent. */
export function remade(
  visit: Visit,
  { pin, directory, stamp }: Archive,
  { kind, path }: { readonly kind: "tar" | "zip"; readonly path: string },
  links: Links,
): Representation {
  const selection = select(directory, path, links);
  if (selection.positions.length === 0 && selection.omitted === 0 && path !== "")
    throw new Failure("entry_not_found", path);
  const { mediaType, size, runs } = FORMS[kind];
  const name = path === "" ? "artifacts" : (path.split("/").at(-1) ?? path);
  const identity = `${stamp}-${kind}-${encodeURIComponent(path)}`;
  const entry: Entry = {
    at: pin.entry.at,
    identity: `${pin.entry.identity}!${identity}`,
    size: size(selection),
    etag: `"${identity}"`,
    lastModified: pin.entry.lastModified,
    originEtag: undefined,
    headers: [
      ...entryHeaders(`${name}.${kind}`, mediaType, { disposition: "attachment", files: "'none'" }),
      ["forgefront-omitted", String(selection.omitted)],
    ],
  };
  return { entry, content: runsContent(visit, pin, () => runs(selection)) };
}
