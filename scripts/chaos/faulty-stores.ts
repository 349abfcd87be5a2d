/// <reference types="@cloudflare/workers-types" />
import type { Fault, Trouble } from "./store-faults.ts";

type Use = (...args: readonly unknown[]) => Promise<unknown>;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Refuses a use, at once or late, where that is its lot. */
async function suffer(what: string, fault: Fault, { world }: Trouble): Promise<void> {
  if (fault === "hangs") await sleep(world.hangMs);
  if (fault === "throws" || fault === "hangs") throw new Error(`${what} fails, as the run wants`);
}

/** KV whose uses go wrong at random. */
export function faultyKv(namespace: KVNamespace, trouble: Trouble): KVNamespace {
  return wrapped(namespace, (name, use) => async (...args) => {
    const fault = trouble.draw();
    await suffer(`KV ${name}`, fault, trouble);
    if (fault === "loses") return name === "get" ? null : undefined;
    return await use(...args);
  });
}

/** A cache whose uses go wrong at random: with `loses` what is matched was evicted, with `breaks` its body ends in an error midway. */
export function faultyCache(cache: Cache, trouble: Trouble): Cache {
  return wrapped(cache, (name, use) => async (...args) => {
    const fault = trouble.draw();
    await suffer(`The Cache API's ${name}`, fault, trouble);
    if (fault === "loses") {
      if (name === "match") return undefined;
      return name === "delete" ? false : await drained(args[1] as Response);
    }
    const found = await use(...args);
    return fault === "breaks" && found instanceof Response ? brokenOff(found) : found;
  });
}

function wrapped<T extends object>(store: T, change: (name: string, use: Use) => Use): T {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      const use = value.bind(target) as Use;
      return change(String(name), use);
    },
  });
}

/** A put reads what it is given, even where it keeps nothing of it. */
async function drained(response: Response): Promise<void> {
  await response.body?.pipeTo(new WritableStream());
}

/** The same answer, whose body breaks off after half of what it should have, at most. */
function brokenOff(response: Response): Response {
  if (response.body === null) return response;
  const length = Number(response.headers.get("content-length") ?? 0);
  const most = Math.floor(length / 2);
  let passed = 0;
  const breaking = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const part = chunk.subarray(0, most - passed);
      passed += part.length;
      if (part.length > 0) controller.enqueue(part);
      if (part.length < chunk.length)
        controller.error(new Error("A cached body breaks off, as the run wants"));
    },
    flush: () => {
      throw new Error("A cached body breaks off, as the run wants");
    },
  });
  return new Response(response.body.pipeThrough(breaking), response);
}
