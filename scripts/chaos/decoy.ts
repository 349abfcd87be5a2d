/** What a faulty origin says in the place of content, with a good status: nobody can tell it from a page the origin means. */
export const DECOY_PAGE = "<!doctype html>\n<title>Welcome</title>\n<p>chaos-decoy: not what was asked for\n";

/** By how much a faulty origin says that the whole of a part is longer: with nothing but the part nobody can tell. */
export const LONGER_BYTES = 1;

const MARK = "chaos-decoy";

/** Whether a body is such a page. */
export function isDecoy(body: Uint8Array): boolean {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(MARK);
}
