import { describe, expect, it } from "vitest";
import { letGo } from "../../src/core/let-go.ts";

function broken(): ReadableStream {
  return new ReadableStream({
    start: (controller) => controller.error(new Error("Network connection lost")),
  });
}

describe("letGo()", () => {
  it("does cancel a stream, or what reads it", async () => {
    const cancelled: string[] = [];
    const stream = (name: string) => new ReadableStream({ cancel: () => void cancelled.push(name) });
    expect(await letGo(stream("a stream"))).toBe(true);
    expect(await letGo(stream("a reader").getReader())).toBe(true);
    expect(cancelled).toEqual(["a stream", "a reader"]);
  });

  it("does not throw where it broke off, and tells", async () => {
    await expect(broken().cancel()).rejects.toThrow("Network connection lost");
    expect(await letGo(broken())).toBe(false);
    expect(await letGo(broken().getReader())).toBe(false);
  });

  it("does not throw what its source throws to being cancelled", async () => {
    const cancel = () => {
      throw new Error("It is gone");
    };
    expect(await letGo(new ReadableStream({ cancel }))).toBe(false);
    expect(await letGo({ cancel })).toBe(false);
  });

  it("does nothing where there is none", async () => {
    expect(await letGo(null)).toBe(true);
    expect(await letGo(undefined)).toBe(true);
  });
});
