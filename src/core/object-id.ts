const FULL_OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Whether a text is a whole SHA-1 or SHA-256 object id in git's own spelling (gitglossary: object name). */
export function isObjectId(text: string): boolean {
  return FULL_OID.test(text);
}
