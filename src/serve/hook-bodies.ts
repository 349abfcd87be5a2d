import { concatenate } from "../core/concatenate.ts";
import { letGo } from "../core/let-go.ts";
import { withPatience } from "./flights.ts";

/** A body of a delivery, or why there is none. */
export type HookBody =
  | { readonly kind: "body"; readonly bytes: Uint8Array }
  | { readonly kind: "too_large" }
  /** Too much is being read just now. */
  | { readonly kind: "busy" }
  | { readonly kind: "malformed"; readonly detail: string };

/** Reads bodies of deliveries that were sent by whoever likes to: of all that are under way only so many bytes are held. */
export type HookBodies = {
  read(body: ReadableStream<Uint8Array>, limit: number): Promise<HookBody>;
};

/** A stranger, of whom only the body tells that it is one, takes no room from who is none. */
export type HookReading = { readonly proven: HookBodies; readonly "needs body": HookBodies };

/** What bodies may take of an isolate's memory at once, and once more those of deliveries that have proven themselves before. */
const BODIES_BYTES = 8 * 1024 * 1024;

/** How long a body may take to come; forges give up after 10 s themselves. */
const BODY_MS = 10_000;

/** How an isolate reads bodies of up to `longest` bytes each. */
export function hookReading(longest: number, now: () => number): HookReading {
  const bounds = { mostBytes: Math.max(BODIES_BYTES, longest), mostMs: BODY_MS, now };
  return { proven: hookBodies(bounds), "needs body": hookBodies(bounds) };
}

export type HookBounds = {
  /** How many bytes are held in all. */
  readonly mostBytes: number;
  /** How long one body may take to come. */
  readonly mostMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

type Held = { bytes: number; readonly until: number };

const LATE: HookBody = { kind: "malformed", detail: "The body did not come in time" };
const BROKEN_OFF: HookBody = { kind: "malformed", detail: "The body broke off" };

export function hookBodies({ mostBytes, mostMs, now }: HookBounds): HookBodies {
  const under = new Set<Held>();

  const isRoom = (): boolean => {
    let sum = 0;
    for (const held of under) {
      if (now() > held.until) under.delete(held); // a request that the platform has ended leaves its own behind
      else sum += held.bytes;
    }
    return sum <= mostBytes;
  };

  const readAll = async (reader: Reader, limit: number, held: Held): Promise<HookBody> => {
    const pieces: Uint8Array[] = [];
    for (;;) {
      const next = await withPatience(readNext(reader), held.until - now());
      if (next.kind === "overdue") return LATE;
      if (next.value === undefined) return BROKEN_OFF;
      const { value: piece, done } = next.value;
      if (done) return { kind: "body", bytes: concatenate(pieces) };
      held.bytes += piece.byteLength;
      if (held.bytes > limit) return { kind: "too_large" };
      if (!isRoom()) return { kind: "busy" };
      pieces.push(piece);
    }
  };

  return {
    async read(body, limit) {
      const held: Held = { bytes: 0, until: now() + mostMs };
      const reader = body.getReader();
      under.add(held);
      try {
        return await readAll(reader, limit, held);
      } finally {
        under.delete(held);
        await letGo(reader);
      }
    },
  };
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** `undefined` where the body broke off: whoever sent it went away. */
async function readNext(reader: Reader): Promise<ReadableStreamReadResult<Uint8Array> | undefined> {
  try {
    return await reader.read();
  } catch {
    return undefined;
  }
}
