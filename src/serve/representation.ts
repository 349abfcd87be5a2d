import type { Entry } from "../core/entry.ts";
import type { Content } from "./content.ts";

/** What answers a request: what is known of it, and the means to get at its bytes (RFC 9110 §3.2). */
export type Representation = { readonly entry: Entry; readonly content: Content };
