import { parseHttpDate } from "./http-date.ts";

/** What an object's own header lets a shared cache do with it (RFC 9111 §5). */
export type ObjectCaching =
  | { readonly kind: "never" }
  /** `freshS` is for how many seconds it may be believed unchanged; `undefined` where it does not say. */
  | { readonly kind: "cacheable"; readonly freshS: number | undefined };

/** The header fields that say it, null for each that is absent. */
export type CachingFields = {
  readonly cacheControl: string | null;
  readonly expires: string | null;
  readonly date: string | null;
  readonly age: string | null;
};

/**
 * Reads `Cache-Control`: `no-store` and `private` (with or without field names) forbid to store, `no-cache` to answer without
 * asking; `s-maxage` counts before `max-age`, and that before `Expires`. A lifetime that is no number, or stands twice, is 0
 * (RFC 9111 §4.2.1); of whichever it is, `Age` has passed already (§4.2.3).
 */
export function objectCaching({ cacheControl, expires, date, age }: CachingFields): ObjectCaching {
  const directives = (cacheControl ?? "").split(",").map((text) => text.trim().toLowerCase());
  const has = (name: string) => directives.some((text) => text === name || text.startsWith(`${name}=`));
  if (has("no-store") || has("private")) return { kind: "never" };
  if (has("no-cache")) return { kind: "cacheable", freshS: 0 };
  const lifetimeS =
    lifetime(directives, "s-maxage") ?? lifetime(directives, "max-age") ?? expiresAfter(expires, date);
  const freshS = lifetimeS === undefined ? undefined : Math.max(0, lifetimeS - ageOf(age));
  return { kind: "cacheable", freshS };
}

function lifetime(directives: readonly string[], name: string): number | undefined {
  const [value, ...more] = directives.filter((text) => text.startsWith(`${name}=`));
  if (value === undefined) return undefined;
  const digits = /^"?(\d{1,10})"?$/.exec(value.slice(name.length + 1))?.[1];
  return digits === undefined || more.length > 0 ? 0 : Number(digits);
}

/** Seconds from `Date` to `Expires`; 0 where either is no date, as `Expires: 0` often is (RFC 9111 §5.3). */
function expiresAfter(expires: string | null, date: string | null): number | undefined {
  if (expires === null) return undefined;
  const end = parseHttpDate(expires);
  const sent = date === null ? undefined : parseHttpDate(date);
  return end === undefined || sent === undefined ? 0 : Math.max(0, (end - sent) / 1000);
}

/** The seconds of the first member; what is no number is as if it were not there (RFC 9111 §5.1). */
function ageOf(age: string | null): number {
  const digits = /^\s*(\d+)\s*(?:,|$)/.exec(age ?? "")?.[1];
  return digits === undefined ? 0 : Number(digits);
}
