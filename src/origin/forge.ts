import type { Answer, Asking, Opening } from "../core/dialect.ts";
import type { ReadHeader } from "../core/header-fields.ts";
import type { Pin } from "../core/pin.ts";
import type { Principal } from "../core/principal.ts";
import type { MemoryStore } from "../core/store.ts";
import type { RawTarget } from "../core/target.ts";
import type { AskOrigin, OriginRequest } from "./http.ts";

export type ForgeAsking = Asking<RawTarget, Principal>;
export type ForgeOpening = Opening<RawTarget, Principal>;

/** What a forge knows of a file beside its bytes. */
export type Told = { readonly blob: string | undefined; readonly size: number | undefined };

/** What is one forge's own; the rest of its dialect is common to all. */
export type Forge = {
  /** The repository for smart HTTP. */
  gitUrl(target: RawTarget): string;
  /** Where the origin serves the file: pinned, or by the name as it was asked. */
  rawUrl(target: RawTarget, pin: Pin | undefined): string;
  /** Where it sends those it wants to sign in. */
  readonly signInPath: string;
  /** How a request is repeated to learn whether it would be answered, without its body where that can be had. */
  readonly replay: "conditional GET" | "HEAD";
  /** Whether single byte ranges are served. */
  readonly ranges: boolean;
  /** The blob and size, where the headers of a raw answer tell them. */
  told(header: ReadHeader): Told;
  /** Where the door that was knocked at says "no" in its own words, for what smart HTTP refused. */
  refusalUrl?(target: RawTarget): string | undefined;
  /** Asks for what is known of a file beside its bytes, for what a raw answer does not tell. */
  askFile?(target: RawTarget, pin: Pin, principal: Principal): Promise<Headers | undefined>;
  /** What is answered to those who may read the code as a whole, and to nobody else. */
  codeUrl?(target: RawTarget): string;
  /** Answers questions put `via: "api"`. */
  askApi?(asking: ForgeAsking): Promise<Answer>;
};

export type ForgeParts = {
  readonly forge: Forge;
  readonly ask: AskOrigin;
  readonly now: () => number;
  readonly advertisements: MemoryStore<Uint8Array>;
};

/** A request that carries the principal and nothing else of the asker. */
export function asPrincipal(
  principal: Principal,
  url: string,
  request: Partial<OriginRequest> & { readonly deadline: OriginRequest["deadline"] },
): OriginRequest {
  const credentials = principal.query.map((pair) => pair.map(encodeURIComponent).join("="));
  const query = credentials.length === 0 ? "" : (url.includes("?") ? "&" : "?") + credentials.join("&");
  const headers = [...principal.headers, ...(request.headers ?? [])];
  return { method: "GET", ...request, url: url + query, headers };
}
