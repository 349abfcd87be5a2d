/** Whether `If-None-Match` names an entity tag, by weak comparison or as `*` (RFC 9110 §13.1.2). */
export function matchesWeakly(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return (
    ifNoneMatch.trim() === "*" ||
    listedTags(ifNoneMatch).some((candidate) => opaque(candidate) === opaque(tag))
  );
}

/** Whether an item of `If-None-Match` is the very same text; `*` and weak tags mean nothing. */
export function matchesExactly(ifNoneMatch: string | undefined, tag: string): boolean {
  return ifNoneMatch !== undefined && listedTags(ifNoneMatch).includes(tag);
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, "");
}

function listedTags(list: string): string[] {
  return list.split(",").map((item) => item.trim());
}
