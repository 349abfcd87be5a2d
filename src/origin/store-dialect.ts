import type { Dialect } from "../core/dialect.ts";
import { askStore } from "./store-ask.ts";
import { openStore } from "./store-open.ts";
import type { ObjectAsking, ObjectOpening, StoreParts } from "./store-parts.ts";

/** S3, as Ceph, MinIO and AWS speak it. */
export function storeDialect(parts: StoreParts): Dialect {
  return {
    ask: (asking: ObjectAsking) => askStore(parts, asking),
    open: (opening: ObjectOpening) => openStore(parts, opening),
  };
}
