import { readKey } from "../core/key.ts";
import type { Site } from "../core/site.ts";

/*
 * Reads the keys of `keys.ts` again, for people. Nothing that is served depends on it.
 */

/** What a key is about, as far as it can be purged. */
export type HeldKey = {
  readonly place: HeldPlace;
  readonly what:
    | { readonly kind: "grant"; readonly isOfName: boolean }
    /** What is known of files; that something is missing is what one asker was told. */
    | { readonly kind: "entry" }
    /** `name` is what was asked for: a ref, what refs begin like, or a name as it was asked. */
    | { readonly kind: "revision"; readonly name: string | undefined; readonly by: RevisionBy }
    | { readonly kind: "list"; readonly of: ListOf; readonly id: string | undefined }
    | { readonly kind: "number" };
  /** For people, without what stands for an asker. */
  readonly name: string;
};

export type HeldPlace =
  | { readonly lane: "raw" | "pipelines"; readonly project: string }
  | { readonly lane: "artifact"; readonly project: string; readonly isLatest: boolean }
  | { readonly lane: "object"; readonly bucket: string; readonly key: string };

export type RevisionBy = "ref" | "refs" | "as asked" | "other";

/** The lists that are one pipeline's, and all others. */
export type ListOf = "pipeline" | "jobs" | "others";

/** A scope taken off the parts of a key, the host not among them. */
type Scoped = { readonly place: HeldPlace; readonly title: string; readonly rest: readonly string[] };

/** What a key of a site is about; `undefined` where it is not of the site, or of nothing that can be purged by itself. */
export function readHeldKey({ host }: Site, key: string): HeldKey | undefined {
  const read = readKey(key);
  if (read === undefined || read.parts[0] !== host) return undefined;
  const parts = read.parts.slice(1);
  if (read.kind === "list" && parts[0] === "number") return numberOf(parts);
  const scoped = readScope(parts);
  if (scoped === undefined) return undefined;
  const { place, rest } = scoped;
  switch (read.kind) {
    case "grant": {
      const isHold = rest.length === 0; // what the origin asked for itself
      return isHold ? undefined : held(scoped, { kind: "grant", isOfName: rest.length > 1 }, ofAsker(rest));
    }
    case "revision": {
      const { by, name } = place.lane === "raw" ? readRevision(rest) : OTHER;
      return held(scoped, { kind: "revision", by, name }, rest);
    }
    case "entry":
      return held(scoped, { kind: "entry" }, ofAsker(rest));
    case "list":
      return readList(scoped);
    case "latest":
    case "body":
    case "change":
    case "look":
      return undefined;
  }
}

function numberOf([, project]: readonly string[]): HeldKey | undefined {
  if (project === undefined) return undefined;
  const place = { lane: "pipelines", project } as const;
  return { place, what: { kind: "number" }, name: `${project} (pipelines): number` };
}

const OTHER = { by: "other", name: undefined } as const;

function readRevision([by, name]: readonly string[]): {
  readonly by: RevisionBy;
  readonly name: string | undefined;
} {
  if (by === "ref" || by === "refs") return { by, name };
  return by === "as asked" ? { by, name: undefined } : OTHER;
}

/** A rendering of a list. What points at one goes with it, and is not told apart. */
function readList(scoped: Scoped): HeldKey | undefined {
  const [, resource, ...rest] = scoped.rest; // the scheme comes first
  if (resource === undefined || rest.at(-2) !== "rendering") return undefined;
  const of = resource === "pipeline" || resource === "jobs" ? resource : "others";
  const id = of === "others" ? undefined : rest[0];
  return held(scoped, { kind: "list", of, id }, [resource, ...rest.slice(0, -2)]);
}

function held({ place, title }: Scoped, what: HeldKey["what"], words: readonly string[]): HeldKey {
  const shown = words.filter((word) => word !== "");
  return { place, what, name: shown.length === 0 ? title : `${title}: ${shown.join(" ")}` };
}

function readScope([first, ...rest]: readonly string[]): Scoped | undefined {
  if (first === "web" || first === "api") return ofProject("raw", first, rest[0], rest.slice(1));
  if (first === "pipelines") return ofProject(first, first, rest[0], rest.slice(2));
  if (first === "job") return ofJob(rest);
  const [bucket, key, version, ...more] = rest;
  if (first !== "object" || bucket === undefined || key === undefined) return undefined;
  const title = `${bucket}/${key}${version === undefined || version === "" ? "" : ` (version ${version})`}`;
  return { place: { lane: "object", bucket, key }, title, rest: more };
}

function ofProject(
  lane: "raw" | "pipelines",
  door: string,
  project: string | undefined,
  rest: readonly string[],
): Scoped | undefined {
  return project === undefined
    ? undefined
    : { place: { lane, project }, title: `${project} (${door})`, rest };
}

function ofJob([channel, project, kind, ...rest]: readonly string[]): Scoped | undefined {
  if (project === undefined) return undefined;
  const isLatest = kind === "latest";
  const name = rest.slice(0, isLatest ? 2 : 1);
  const fileType = rest[name.length] ?? "";
  const shown = [isLatest ? "latest job" : "job", ...name, fileType].filter((word) => word !== "");
  return {
    place: { lane: "artifact", project, isLatest },
    title: `${project} (${channel}) ${shown.join(" ")}`,
    rest: rest.slice(name.length + 1),
  };
}

/** The first of the parts may be the hash that stands for an asker. */
function ofAsker([asker = "", ...rest]: readonly string[]): readonly string[] {
  return [/^[0-9a-f]{64}$/.test(asker) ? "an asker" : asker, ...rest];
}
