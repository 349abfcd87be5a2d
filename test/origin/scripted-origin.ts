import type { Entry } from "../../src/core/entry.ts";
import type { StoreSite } from "../../src/core/site.ts";
import type { OriginRequest } from "../../src/origin/http.ts";
import type { StoreParts } from "../../src/origin/store-parts.ts";
import { addressOf, NOW } from "./store-scene.ts";

export const CONTENT = "0123456789";
export const MODIFIED = "Sun, 06 Nov 1994 08:49:37 GMT";
export const OBJECT = { etag: '"e"', "last-modified": MODIFIED, "content-type": "text/plain" };
export const LIMITS = { blockBytes: 4, objectBytes: 1000 };

/** What is known of the object after it was asked for at `NOW`. */
export const ENTRY: Entry = {
  at: NOW,
  identity: `${encodeURIComponent('"e"')}:10:${encodeURIComponent(MODIFIED)}:`,
  size: CONTENT.length,
  etag: '"e"',
  lastModified: MODIFIED,
  originEtag: '"e"',
  headers: [["content-type", "text/plain"]],
};

export type Step = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | null;
};

/** The object, or the part of it from `start` to `end`. */
export function whole(changes: Step["headers"] = {}): Step {
  const headers = { ...OBJECT, "content-length": String(CONTENT.length), ...changes };
  return { status: 200, headers, body: CONTENT };
}

export function part(start: number, end: number, changes: Step["headers"] = {}): Step {
  const range = `bytes ${start}-${end - 1}/${CONTENT.length}`;
  const headers = { ...OBJECT, "content-length": String(end - start), "content-range": range, ...changes };
  return { status: 206, headers, body: CONTENT.slice(start, end) };
}

export type ScriptedOrigin = {
  readonly parts: StoreParts;
  readonly asked: OriginRequest[];
  /** How many of the bodies have been neither read to their end nor let go. */
  openBodies(): number;
};

/** An origin that answers each question by the next step, and a clock that moves on a second with each. */
export function scriptedOrigin(steps: readonly Step[], site: Partial<StoreSite> = {}): ScriptedOrigin {
  const asked: OriginRequest[] = [];
  const clock = { now: NOW, open: 0 };
  const bodyOf = (text: string): ReadableStream<Uint8Array> => {
    clock.open += 1;
    return new ReadableStream(
      {
        pull(controller) {
          controller.enqueue(new TextEncoder().encode(text));
          controller.close();
          clock.open -= 1;
        },
        cancel() {
          clock.open -= 1;
        },
      },
      { highWaterMark: 0 },
    );
  };
  const ask = (request: OriginRequest): Promise<Response> => {
    const step = steps[asked.length];
    asked.push(request);
    clock.now += 1000;
    if (step === undefined) throw new Error(`Not expected: ${request.method} ${request.url}`);
    const headers = new Headers();
    for (const [name, value] of Object.entries(step.headers ?? {}))
      if (value !== undefined) headers.set(name, value);
    const body = step.body === undefined || step.body === null ? null : bodyOf(step.body);
    return Promise.resolve(new Response(body, { status: step.status, headers }));
  };
  const parts = { ...addressOf(site), now: () => clock.now, ask, limits: LIMITS };
  return { parts, asked, openBodies: () => clock.open };
}

/** Header fields of a request by name, without those that sign it. */
export function plainHeaders({ headers }: OriginRequest): Record<string, string> {
  const signing = /^(?:authorization|x-amz-date|x-amz-content-sha256)$/;
  return Object.fromEntries(headers.filter(([name]) => !signing.test(name)));
}
