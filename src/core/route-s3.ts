import { CONTROL_CHARACTER } from "./control-characters.ts";
import { formDecode } from "./form-decode.ts";
import { INNER_MARK, innerPath } from "./inner-path.ts";
import { readInside, type InsideQuery } from "./inside-query.ts";
import { readObjectPath } from "./object-path.ts";
import { SIGNATURE_PARAMETERS } from "./signature.ts";
import { PASS, type Inside, type ObjectTarget, type Route } from "./target.ts";
import { uriEncode } from "./uri-encode.ts";

/** Names as S3, Ceph and MinIO have them, old ones with capitals and underscores included. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/;

/** The parameters that say who asks, or nothing: no answer depends on them otherwise. */
const SILENT: ReadonlySet<string> = new Set([
  "x-id",
  ...SIGNATURE_PARAMETERS,
  "x-amz-checksum-mode",
  "x-amz-content-sha256",
  "x-amz-user-agent",
]);
const OVERRIDE = /^response-(?:cache-control|content-(?:disposition|encoding|language|type)|expires)$/;

/**
 * Reads a URL as that of an object (S3: GetObject, HeadObject). Any other parameter makes it a question for the origin:
 * sub-resources (`acl`, `tagging`, `uploads`), `partNumber`, older signatures.
 */
export function routeS3(
  path: string,
  search: string,
  hostBucket: string | undefined,
  corsOrigin: string | undefined,
): Route {
  const name = readObjectPath(path, hostBucket);
  if (name === undefined || name.key === "" || !BUCKET.test(name.bucket) || CONTROL_CHARACTER.test(name.key))
    return PASS;
  const query = readParameters(search);
  if (query === undefined) return PASS;
  const { versionId, overrides, zip } = query;
  const object = {
    lane: "object",
    versionId,
    overrides,
    corsOrigin,
    inside: undefined,
    literal: undefined,
  } as const;
  const plain: ObjectTarget = { ...object, ...name };
  if (zip === undefined) {
    const inner = readInner(name.key);
    return routed(inner === undefined ? plain : { ...plain, ...inner, literal: plain });
  }
  const inside = readZip(zip);
  return inside === undefined ? MALFORMED : routed({ ...plain, inside });
}

const MALFORMED: Route = { kind: "refused", problem: "parameter_malformed" };

function routed(target: ObjectTarget): Route {
  return { kind: "target", target };
}

/** Splits `builds/site.zip!/css/a.css`; a path that ends with a slash is that of a directory. */
function readInner(text: string): Pick<ObjectTarget, "key" | "inside"> | undefined {
  const mark = text.search(INNER_MARK);
  const path = mark === -1 ? undefined : innerPath(text.slice(mark + 2));
  if (path === undefined) return undefined;
  const isDirectory = path === "" || text.endsWith("/");
  const inside: Inside = isDirectory
    ? { kind: "browse", path, page: 1 }
    : { kind: "entry", path, disposition: "inline", gzip: false };
  return { key: text.slice(0, mark), inside };
}

/** `?zip=` says what is wanted of the archive, with the parameters of GitLab's listing. */
function readZip({ zip, ...query }: ZipQuery): Inside | undefined {
  if (zip === "list") return readInside("tree", query);
  if (zip === "browse" || zip === "tar" || zip === "zip") return readInside(zip, query);
  const path = zip === "entry" ? innerPath(query.path ?? "") : undefined;
  if (path === undefined || path === "" || path !== query.path) return undefined;
  return { kind: "entry", path, disposition: "inline", gzip: false };
}

const ZIP_PARAMETERS = ["zip", "path", "recursive", "page", "per_page"] as const;
type ZipQuery = InsideQuery & { readonly zip: string };

type Parameters = {
  readonly versionId: string | undefined;
  readonly overrides: string;
  readonly zip: ZipQuery | undefined;
};

function readParameters(search: string): Parameters | undefined {
  let versionId: string | undefined;
  const overrides = new Map<string, string>();
  const zip = new Map<string, string>();
  const isZip = /[?&]zip=/.test(search);
  for (const parameter of search === "" ? [] : search.slice(1).split("&")) {
    const equals = parameter.indexOf("=");
    const name = equals === -1 ? parameter : parameter.slice(0, equals);
    const value = equals === -1 ? "" : formDecode(parameter.slice(equals + 1));
    if (SILENT.has(name)) continue;
    if (name === "versionId" && value !== undefined && value !== "" && versionId === undefined)
      versionId = value;
    else if (OVERRIDE.test(name) && value !== undefined && !overrides.has(name)) overrides.set(name, value);
    else if (isZip && isZipParameter(name) && value !== undefined && !zip.has(name)) zip.set(name, value);
    else return undefined;
  }
  return {
    versionId,
    overrides: [...overrides].map(spell).toSorted().join("&"),
    zip: isZip ? (Object.fromEntries(zip) as ZipQuery) : undefined,
  };
}

function isZipParameter(name: string): boolean {
  return ZIP_PARAMETERS.some((each) => each === name);
}

function spell([name, value]: [string, string]): string {
  return `${name}=${uriEncode(value)}`;
}
