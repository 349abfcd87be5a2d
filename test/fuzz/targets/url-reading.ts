import type { ForgeKind } from "../../../src/core/site.ts";
import type { Target } from "../../../src/core/target.ts";
import { percentDecoded } from "./percent-decoded.ts";

/** What a URL says, segment by segment and parameter by parameter; or why readers do not agree on that. */
export type UrlReading =
  | { readonly kind: "read"; readonly path: readonly string[]; readonly query: readonly string[] }
  | { readonly kind: "odd"; readonly why: string };

export function sameRead(one: UrlReading, other: UrlReading): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

type ForgeTarget = Exclude<Target, { lane: "object" }>;

/**
 * Reads a URL that is said to ask for such a target once more, byte by byte, without a look at what the target holds: the
 * kind of it says but which parameters mean something, and whether a segment may hold an escaped slash.
 */
export function readAgain(kind: ForgeKind, target: ForgeTarget, path: string, search: string): UrlReading {
  const read = readPath(path, kind === "gitlab" && path.startsWith("/api/"));
  if (read.kind === "odd") return read;
  const query = readQuery(kind, search, meaningOf(kind, target));
  return query.kind === "odd" ? query : { ...read, path: inOneForm(read.path, target), query: query.query };
}

function odd(why: string): UrlReading & { readonly kind: "odd" } {
  return { kind: "odd", why };
}

function readPath(path: string, mayHoldSlashes: boolean): UrlReading {
  const segments = path.split("/").slice(1);
  const parsed = new URL(`http://h${path}`).pathname.split("/").slice(1);
  if (parsed.length !== segments.length) return odd("segments that a URL parser takes away or makes");
  const decoded: string[] = [];
  for (const [index, segment] of segments.entries()) {
    const text = percentDecoded(segment);
    if (text === undefined) return odd("bytes in its path that are no UTF-8, or a stray percent sign");
    if (text !== percentDecoded(parsed[index] ?? ""))
      return odd("segments that a URL parser reads otherwise");
    // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
    if (/[\u0000-\u001f\u007f\\]/.test(text)) return odd("control characters or backslashes");
    if (text.includes("/") && !mayHoldSlashes) return odd("escaped slashes");
    if (text.split("/").some((part) => part === "." || part === "..")) return odd("dot segments");
    if (text === "" && index < segments.length - 1) return odd("empty segments");
    decoded.push(text);
  }
  return { kind: "read", path: decoded, query: [] };
}

/** What a parameter says; the same text for all that say the same, `undefined` where it says nothing. */
type Meaning = (value: string) => string | undefined;
type Meanings = Readonly<Record<string, Meaning>>;

const same: Meaning = (value) => value;
const isTrue: Meaning = (value) => (/^(?:1|t|true|y|yes|on)$/i.test(value) ? "true" : undefined);
const unless =
  (plain: string): Meaning =>
  (value) =>
    value === plain ? undefined : value;
const count =
  (plain: number, most: number): Meaning =>
  (value) => {
    const number = value === "" ? plain : Math.min(Math.max(Number(value), 1), most);
    return number === plain ? undefined : String(number);
  };
const bare: Meaning = (value) => value.replace(/^\/$/, "").replace(/\/$/, "") || undefined;
const isFalse: Meaning = (value) => (value === "false" ? "false" : undefined);

const INSIDE: Meanings = {
  path: bare,
  recursive: isTrue,
  page: count(1, 1_000_000),
  per_page: count(20, 100),
};

function meaningOf(kind: ForgeKind, target: ForgeTarget): Meanings | "list" {
  if (target.lane === "pipelines") return "list";
  if (target.lane === "raw") {
    if (target.channel === "web")
      return kind === "gitea"
        ? {}
        : { inline: isFalse, ref_type: (value) => /^(?:heads|tags)$/i.exec(value)?.[0].toLowerCase() };
    if (target.name.kind === "blob") return {};
    return kind === "gitea" ? { ref: unless("") } : { ref: unless("HEAD"), lfs: isTrue };
  }
  const { inside, job } = target;
  const latest: Meanings = job.kind === "latest" ? { job: same } : {};
  if (target.fileType !== undefined) return { ...latest, file_type: same };
  if (inside === undefined)
    return { ...latest, format: same, ...(target.channel === "web" && { file_type: unless("archive") }) };
  if (inside.kind === "tar" || inside.kind === "zip") return { ...latest, format: same, path: bare };
  if (inside.kind === "tree") return INSIDE;
  if (inside.kind === "browse") return { ...latest, page: INSIDE["page"]! };
  return { ...latest, ...(target.channel === "web" && { inline: isFalse }) };
}

type QueryReading =
  | { readonly kind: "read"; readonly query: readonly string[] }
  | (UrlReading & { readonly kind: "odd" });

/** Names with brackets are lists or tables of the plain name to some readers (Rack: "nested queries"). */
function readQuery(kind: ForgeKind, search: string, meanings: Meanings | "list"): QueryReading {
  const found = new Map<string, string[]>();
  for (const piece of search.slice(1).split("&")) {
    if (piece === "") continue;
    const [rawName = "", ...rawValue] = piece.replaceAll("+", " ").split("=");
    const name = percentDecoded(rawName);
    const value = percentDecoded(rawValue.join("="));
    const plain = kind === "gitlab" ? (name ?? "").replace(/\[.*$/s, "") : (name ?? "");
    const isKnown = meanings === "list" ? !SECRETS.has(name ?? "") : Object.hasOwn(meanings, plain);
    if (!isKnown) continue;
    if (name === undefined || value === undefined)
      return odd("bytes in its query that are no UTF-8, or a stray percent sign");
    if (meanings !== "list" && name !== plain) return odd("parameters that some take for lists or tables");
    found.set(name, [...(found.get(name) ?? []), value]);
  }
  if (meanings === "list") return { kind: "read", query: readList(found) };
  const query: string[] = [];
  for (const [name, values] of found) {
    if (values.length > 1) return odd("a parameter that stands there twice");
    const said = meanings[name]?.(values[0] ?? "");
    if (said !== undefined) query.push(`${name}=${said}`);
  }
  return { kind: "read", query: query.toSorted() };
}

const SECRETS: ReadonlySet<string> = new Set(["private_token", "access_token", "job_token", "token", "sudo"]);

/** What says no more than nothing would. */
const DEFAULTS: ReadonlySet<string> = new Set([
  "page=1",
  "per_page=20",
  "order_by=id",
  "sort=desc",
  "include_retried=false",
  "exclude_pull_requests=false",
]);

function readList(found: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const said = [...found].flatMap(([name, values]) =>
    values.map((value) => {
      const truth = /^(?:1|t|true|y|yes|on)$/i.test(value)
        ? "true"
        : /^(?:0|f|false|n|no|off)$/i.test(value)
          ? "false"
          : value;
      if (name === "yaml_errors" || name === "include_retried") return `${name}=${truth}`;
      if (name === "per_page" && Number(value) > 100) return "per_page=100";
      return `${name === "scope[]" ? "scope" : name}=${value}`;
    }),
  );
  return [...new Set(said)].filter((each) => !DEFAULTS.has(each)).toSorted();
}

/** GitLab's older form of raw URLs is without `/-/`; `file` and `raw` of an artifact are one thing; a directory may end with a slash. */
function inOneForm(path: readonly string[], target: ForgeTarget): readonly string[] {
  if (target.lane === "artifact") return inOneArtifactForm(path, target.channel);
  const dash = path.indexOf("-");
  return target.lane === "raw" && target.channel === "web" && dash !== -1 && path[dash + 1] === "raw"
    ? path.toSpliced(dash, 1)
    : path;
}

/** What comes after the job is a path, however its slashes are written. */
function inOneArtifactForm(path: readonly string[], channel: "web" | "api"): readonly string[] {
  const start = path.indexOf("artifacts", channel === "api" ? 4 : path.indexOf("-"));
  const isLatest = path[start - 1] === "jobs";
  const head = isLatest && channel === "api" ? start + 2 : start + 1;
  const rest = path.slice(head).join("/").replace(/\/$/, "").split("/");
  const action =
    channel === "web" ? rest.findIndex((each, index) => each === "file" && (!isLatest || index > 0)) : -1;
  const firstAction = rest.findIndex(
    (each, index) => /^(?:download|browse|file|raw)$/.test(each) && (!isLatest || index > 0),
  );
  return [
    ...path.slice(0, head),
    ...(action !== -1 && action === firstAction ? rest.with(action, "raw") : rest),
  ];
}
