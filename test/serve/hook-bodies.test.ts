import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { hookBodies, type HookBounds } from "../../src/serve/hook-bodies.ts";

const MOST_BYTES = 100;
const LIMIT = 60;

/** Bodies of an isolate whose time can be moved on. */
function bodiesWith(bounds: Partial<HookBounds> = {}) {
  const clock = { ahead: 0 };
  const now = () => Date.now() + clock.ahead;
  return { ...hookBodies({ mostBytes: MOST_BYTES, mostMs: 10_000, now, ...bounds }), clock };
}

/** A body that comes when it is told to, and tells whether it was let go. */
function slowBody() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const state = { isLetGo: false };
  const stream = new ReadableStream<Uint8Array>({
    start: (own) => void (controller = own),
    cancel: () => void (state.isLetGo = true),
  });
  return {
    stream,
    state,
    send: async (bytes: number) => {
      controller?.enqueue(new Uint8Array(bytes).fill(7));
      await sleep(1);
    },
    end: () => controller?.close(),
    breakOff: () => controller?.error(new Error("Network connection lost")),
  };
}

const TOO_LARGE = { kind: "too_large" };
const BUSY = { kind: "busy" };

describe("hookBodies()", () => {
  it("does read a body of any pieces, up to its limit", async () => {
    const bodies = bodiesWith();
    for (const pieces of [[], [1], [20, 0, 40], [LIMIT]]) {
      const body = slowBody();
      const read = bodies.read(body.stream, LIMIT);
      for (const piece of pieces) await body.send(piece);
      body.end();
      const length = pieces.reduce((sum, piece) => sum + piece, 0);
      expect(await read).toEqual({ kind: "body", bytes: new Uint8Array(length).fill(7) });
    }
    const long = slowBody();
    const read = bodies.read(long.stream, LIMIT);
    for (const piece of [LIMIT, 1]) await long.send(piece);
    expect([await read, long.state.isLetGo]).toEqual([TOO_LARGE, true]);
  });

  it("does hold no more than there is room for, and has room again when a body is over", async () => {
    const bodies = bodiesWith();
    const [first, second, third] = [slowBody(), slowBody(), slowBody()];
    const reads = [first, second, third].map(({ stream }) => bodies.read(stream, LIMIT));
    await first.send(50);
    await second.send(50);
    await third.send(1);
    expect([await reads[2], third.state.isLetGo]).toEqual([BUSY, true]);
    first.end();
    expect((await reads[0])?.kind).toBe("body");
    second.breakOff();
    expect(await reads[1]).toEqual({ kind: "malformed", detail: "The body broke off" });
    const [fourth, fifth] = [slowBody(), slowBody()];
    const again = [fourth, fifth].map(({ stream }) => bodies.read(stream, LIMIT));
    await fourth.send(60);
    await fifth.send(40);
    for (const each of [fourth, fifth]) each.end();
    for (const read of again) expect((await read).kind).toBe("body");
  });

  it("does let a body go that does not come in time, however slowly it comes", async () => {
    const bodies = bodiesWith({ mostMs: 60 });
    const silent = slowBody();
    const started = Date.now();
    const dripping = slowBody();
    const reads = [silent, dripping].map(({ stream }) => bodies.read(stream, LIMIT));
    const drops = setInterval(() => dripping.state.isLetGo || void dripping.send(1), 10);
    const late = { kind: "malformed", detail: "The body did not come in time" };
    try {
      expect(await Promise.all(reads)).toEqual([late, late]);
    } finally {
      clearInterval(drops);
    }
    expect(Date.now() - started).toBeLessThan(5_000);
    expect([silent.state.isLetGo, dripping.state.isLetGo]).toEqual([true, true]);
  });

  it("does not count for ever what a request held that was ended", async () => {
    const bodies = bodiesWith();
    const dead = [slowBody(), slowBody()];
    for (const { stream, send } of dead) {
      void bodies.read(stream, LIMIT);
      await send(50);
    }
    const whole = async () => {
      const body = slowBody();
      const read = bodies.read(body.stream, LIMIT);
      await body.send(LIMIT);
      if (!body.state.isLetGo) body.end();
      return (await read).kind;
    };
    expect(await whole()).toBe("busy");
    bodies.clock.ahead = 10_001;
    expect(await whole()).toBe("body");
    for (const { end } of dead) end();
  });
});
