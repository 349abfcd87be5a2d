import { uriDecode, uriEncodePath } from "./uri-encode.ts";

/** A bucket and the key of an object in it; an empty key is the bucket itself, an empty bucket the store. */
export type ObjectName = { readonly bucket: string; readonly key: string };

/**
 * What a path names in an object store, path-style or behind a host name's bucket (S3: "Methods for accessing a bucket");
 * `undefined` where it is not UTF-8. Nothing is normalised: a key may hold any segments.
 */
export function readObjectPath(path: string, hostBucket: string | undefined): ObjectName | undefined {
  const decoded = uriDecode(path.slice(1));
  if (decoded === undefined) return undefined;
  if (hostBucket !== undefined) return { bucket: hostBucket, key: decoded };
  const slash = decoded.indexOf("/");
  return slash === -1
    ? { bucket: decoded, key: "" }
    : { bucket: decoded.slice(0, slash), key: decoded.slice(slash + 1) };
}

/** The path a signature is made over: decoded once and encoded in the one way (SigV4: "CanonicalURI", as S3 has it). */
export function canonicalPath(path: string): string {
  const decoded = uriDecode(path);
  return decoded === undefined ? path : uriEncodePath(decoded);
}

/**
 * The same path as it can be sent: a URL parser would take dot segments away, so the slashes around them are encoded.
 * Stores decode a path before they read it, and so see the same.
 */
export function sendablePath(path: string): string {
  const canonical = canonicalPath(path);
  if (!canonical.includes("/.")) return canonical.replaceAll("\\", "%5C");
  const segments = canonical.split("/");
  return segments.reduce((sent, segment, index) => {
    const before = segments[index - 1] ?? "";
    return `${sent}${(isDots(segment) && index > 1) || (isDots(before) && index > 1) ? "%2F" : "/"}${segment}`;
  });
}

function isDots(segment: string): boolean {
  return segment === "." || segment === "..";
}
