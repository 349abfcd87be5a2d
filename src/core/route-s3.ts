import { readObjectPath } from "./object-path.ts";
import { PASS, type Route } from "./target.ts";
import { uriDecode, uriEncode } from "./uri-encode.ts";

/** Names as S3, Ceph and MinIO have them, old ones with capitals and underscores included. */
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** The parameters that say who asks, or nothing: no answer depends on them otherwise. */
const SILENT =
  /^(?:x-id|X-Amz-(?:Algorithm|Credential|Date|Expires|SignedHeaders|Signature|Security-Token|Content-Sha256)|x-amz-(?:checksum-mode|content-sha256|user-agent))$/;
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
  if (name === undefined || name.key === "" || !BUCKET.test(name.bucket) || CONTROL.test(name.key))
    return PASS;
  const query = readParameters(search);
  if (query === undefined) return PASS;
  return { kind: "target", target: { lane: "object", ...name, ...query, corsOrigin } };
}

/** Whether a query would change header fields of the answer, which only a signed request may (S3: GetObject). */
export function hasOverrides(search: string): boolean {
  const parameters = search.slice(1).split("&");
  return parameters.some((parameter) => (uriDecode(parameter) ?? parameter).startsWith("response-"));
}

type Parameters = { readonly versionId: string | undefined; readonly overrides: string };

function readParameters(search: string): Parameters | undefined {
  let versionId: string | undefined;
  const overrides = new Map<string, string>();
  for (const parameter of search === "" ? [] : search.slice(1).split("&")) {
    const equals = parameter.indexOf("=");
    const name = equals === -1 ? parameter : parameter.slice(0, equals);
    const value = equals === -1 ? "" : uriDecode(parameter.slice(equals + 1).replaceAll("+", " "));
    if (SILENT.test(name)) continue;
    if (name === "versionId" && value !== undefined && value !== "" && versionId === undefined)
      versionId = value;
    else if (OVERRIDE.test(name) && value !== undefined && !overrides.has(name)) overrides.set(name, value);
    else return undefined;
  }
  return { versionId, overrides: [...overrides].map(spell).toSorted().join("&") };
}

function spell([name, value]: [string, string]): string {
  return `${name}=${uriEncode(value)}`;
}
