/** Header fields that describe an object and nobody who asked for it (S3: GetObject, response). All others are dropped. */
const KEPT = new Set([
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-type",
  "expires",
  "vary",
  "x-rgw-object-type",
]);
const KEPT_BEGINNINGS = ["x-amz-", "access-control-"];
/** Of one request, of who made it, told to only some of those who may read, or of the bucket's rules. */
const DROPPED = new Set([
  "x-amz-request-id",
  "x-amz-id-2",
  "x-amz-request-charged",
  "x-amz-bucket-region",
  "x-amz-cf-id",
  "x-amz-tagging-count", // of who may s3:GetObjectTagging
  "x-amz-object-lock-mode", // of who may s3:GetObjectRetention
  "x-amz-object-lock-retain-until-date",
  "x-amz-object-lock-legal-hold", // of who may s3:GetObjectLegalHold
  "x-amz-expiration",
  "x-amz-replication-status",
]);

/** The header fields of an object that are stored with it. */
export function objectHeaders(headers: Iterable<[string, string]>): [string, string][] {
  const kept: [string, string][] = [];
  for (const [sent, value] of headers) {
    const name = sent.toLowerCase();
    const own = name === "content-encoding" ? withoutFraming(value) : value;
    if (isKept(name) && own !== "") kept.push([name, own]);
  }
  return kept;
}

/** Some stores keep the framing of an upload as if it were a coding of the object (Ceph, versitygw). */
function withoutFraming(coding: string): string {
  const codings = coding.split(",").map((each) => each.trim());
  return codings.filter((each) => each !== "aws-chunked").join(", ");
}

function isKept(name: string): boolean {
  if (KEPT.has(name)) return true;
  return KEPT_BEGINNINGS.some((beginning) => name.startsWith(beginning)) && !DROPPED.has(name);
}

const OF_THE_WHOLE = /^(?:x-amz-checksum-|content-md5$|digest$|repr-digest$)/;

/** Whether a header field (by its name in lower case) is a digest of the whole, which is none of a part (RFC 9110 §14.4; S3: checksums). */
export function isOfTheWhole(name: string): boolean {
  return OF_THE_WHOLE.test(name);
}
