import type { Defer } from "../defer.ts";
import type { ToldList } from "../dialect.ts";
import type { PipelinesTarget } from "../target.ts";

/** A forge's own database, in which lists of pipelines are made without the forge. It says nothing about who may read them. */
export interface ListDatabase {
  /** Whether it is worth asking for a list: not for a while after it failed, or could not make that one. */
  isAvailable(target: PipelinesTarget): boolean;
  /** A list as the forge would render it; `undefined` where it could not be made, so that the forge is to be asked. */
  make(target: PipelinesTarget, defer: Defer): Promise<ToldList | undefined>;
}
