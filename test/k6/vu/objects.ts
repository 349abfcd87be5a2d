import { BUCKETS, bucketUnit, objectContent, objectKey } from "../../../scripts/load/catalogue.ts";
import type { StoreAsker } from "../../../scripts/load/plan.ts";
import { askContent } from "./content-question.ts";
import { oneOf } from "./dice.ts";
import { PLAN } from "./plan.ts";
import { signatureHeaders } from "./sigv4.ts";

/** Asks for an object, signed just now. */
export function askObject(
  index: number,
  asker: StoreAsker = oneOf(PLAN.storeAskers),
  bucket: string = oneOf(BUCKETS),
): void {
  const content = objectContent(bucket, index);
  const url = `${PLAN.store}/${bucket}/${objectKey(index)}`;
  askContent({
    who: asker.who,
    unit: bucketUnit(bucket),
    url,
    headersFor: (method) => (asker.key === undefined ? {} : signatureHeaders(asker.key, method, url)),
    leastBytes: content.bytes,
    contents: () => [content],
  });
}
