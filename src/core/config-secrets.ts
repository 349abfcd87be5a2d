import { parseJson } from "./parse-json.ts";
import type { Site } from "./site.ts";

const SECRET_MIN_LENGTH = 16;

/** A secret text, where it is set. */
export function readSecret(
  vars: Readonly<Record<string, unknown>>,
  name: string,
  faults: string[],
): string | undefined {
  const value = vars[name];
  if (value === undefined) return undefined;
  if (typeof value === "string" && value.length >= SECRET_MIN_LENGTH) return value;
  faults.push(`${name} must be a text of at least ${SECRET_MIN_LENGTH} characters`);
  return undefined;
}

const ACCESS_KEY_ID = /^[\x21-\x2b\x2d\x2e\x30-\x7e]{1,128}$/; // neither a slash nor a comma: both end it in a signature

/** `S3_KEYS`: an object, or its JSON, of secrets by access key id. Faults name no secret. */
export function readStoreKeys(value: unknown, faults: string[]): ReadonlyMap<string, string> {
  const entries = readEntries(value, "S3_KEYS must be a JSON object of secrets by access key id", faults);
  for (const [index, [id, secret]] of entries.entries()) {
    const where = `S3_KEYS, entry ${index + 1}:`; // not its text: who exchanges the two writes the secret first
    if (!ACCESS_KEY_ID.test(id)) faults.push(`${where} no access key id can be like this`);
    if (typeof secret !== "string" || secret === "") faults.push(`${where} the secret must be a text`);
  }
  return new Map(entries.map(([id, secret]) => [id, String(secret)]));
}

const TOKEN = /^[\x21-\x7e]{1,1024}$/;

/** `PRELOAD_TOKENS`: an object, or its JSON, of access tokens by the host of a forge. Faults name no token. */
export function readPreloadTokens(
  value: unknown,
  sites: readonly Site[],
  faults: string[],
): ReadonlyMap<string, string> {
  const entries = readEntries(
    value,
    "PRELOAD_TOKENS must be a JSON object of tokens by the host of a site",
    faults,
  );
  for (const [index, [host, token]] of entries.entries()) {
    const where = `PRELOAD_TOKENS, entry ${index + 1}:`;
    if (!sites.some((site) => site.kind !== "s3" && site.host === host))
      faults.push(`${where} no forge among SITES has this host`);
    if (typeof token !== "string" || !TOKEN.test(token)) faults.push(`${where} the token must be a text`);
  }
  return new Map(entries.map(([host, token]) => [host, String(token)]));
}

function readEntries(value: unknown, fault: string, faults: string[]): readonly [string, unknown][] {
  if (value === undefined) return [];
  const found = typeof value === "string" ? parseJson(value) : value;
  if (typeof found === "object" && found !== null && !Array.isArray(found)) return Object.entries(found);
  faults.push(fault);
  return [];
}
