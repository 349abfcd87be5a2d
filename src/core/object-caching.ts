/** What an object's own `Cache-Control` lets a shared cache do with it (RFC 9111 §5.2.2). */
export type ObjectCaching =
  | { readonly kind: "never" }
  /** `freshS` is for how many seconds it may be believed unchanged; `undefined` where it does not say. */
  | { readonly kind: "cacheable"; readonly freshS: number | undefined };

/**
 * Reads `Cache-Control`: `no-store` and `private` (with or without field names) forbid to store, `no-cache` to answer without
 * asking; `s-maxage` counts before `max-age`. A lifetime that is no number, or stands twice, is none (RFC 9111 §4.2.1).
 */
export function objectCaching(cacheControl: string | null): ObjectCaching {
  if (cacheControl === null) return { kind: "cacheable", freshS: undefined };
  const directives = cacheControl.split(",").map((text) => text.trim().toLowerCase());
  const has = (name: string) => directives.some((text) => text === name || text.startsWith(`${name}=`));
  if (has("no-store") || has("private")) return { kind: "never" };
  if (has("no-cache")) return { kind: "cacheable", freshS: 0 };
  return { kind: "cacheable", freshS: lifetime(directives, "s-maxage") ?? lifetime(directives, "max-age") };
}

function lifetime(directives: readonly string[], name: string): number | undefined {
  const [value, ...more] = directives.filter((text) => text.startsWith(`${name}=`));
  if (value === undefined) return undefined;
  const digits = /^"?(\d{1,10})"?$/.exec(value.slice(name.length + 1))?.[1];
  return digits === undefined || more.length > 0 ? 0 : Number(digits);
}
