import type { Asking, Opening } from "../core/dialect.ts";
import type { ObjectTarget } from "../core/target.ts";
import type { AskOrigin } from "./http.ts";
import type { StoreAddress } from "./store-request.ts";
import type { CachingLimits } from "./stored-object.ts";

/** What a store is asked with. */
export type StoreParts = StoreAddress & { readonly ask: AskOrigin; readonly limits: CachingLimits };

export type ObjectAsking = Asking<ObjectTarget>;
export type ObjectOpening = Opening<ObjectTarget>;
