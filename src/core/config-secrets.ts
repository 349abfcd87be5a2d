import { parseJson } from "./config-json.ts";

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
  if (value === undefined) return new Map();
  const keys = typeof value === "string" ? parseJson(value) : value;
  if (typeof keys !== "object" || keys === null || Array.isArray(keys)) {
    faults.push("S3_KEYS must be a JSON object of secrets by access key id");
    return new Map();
  }
  const entries = Object.entries(keys as Record<string, unknown>);
  for (const [index, [id, secret]] of entries.entries()) {
    const where = `S3_KEYS, entry ${index + 1}:`; // not its text: who exchanges the two writes the secret first
    if (!ACCESS_KEY_ID.test(id)) faults.push(`${where} no access key id can be like this`);
    if (typeof secret !== "string" || secret === "") faults.push(`${where} the secret must be a text`);
  }
  return new Map(entries.map(([id, secret]) => [id, String(secret)]));
}
