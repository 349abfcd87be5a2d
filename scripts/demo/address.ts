/** A request target, decoded once and segment by segment, so that `%2F` stays inside its segment. */
export interface Address {
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** Reads a request target; undefined for dot segments, NUL, escapes that are not UTF-8, and anything but an absolute path. */
export function parseAddress(target: string): Address | undefined {
  const [, path, query] = /^\/([^?]*)(?:\?(.*))?$/s.exec(target) ?? [];
  if (path === undefined) return undefined;
  const segments = path.split("/").map(decodeSegment);
  if (!segments.every((segment) => segment !== undefined)) return undefined;
  return { segments, query: new URLSearchParams(query) };
}

function decodeSegment(segment: string): string | undefined {
  try {
    const decoded = decodeURIComponent(segment);
    const safe = !decoded.includes("\0") && decoded.split("/").every((part) => part !== "." && part !== "..");
    return safe ? decoded : undefined;
  } catch {
    return undefined;
  }
}
