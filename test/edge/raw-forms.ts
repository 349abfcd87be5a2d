import { expect, it } from "vitest";
import { cacheStatus, type Harness } from "./harness.ts";
import type { ForgeName } from "./scene.ts";

type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

export type RawForms = {
  readonly harness: () => Harness;
  readonly forge: ForgeName;
  readonly fromOrigin: Fetch;
  readonly fromEdge: Fetch;
  /** What of an answer must be the same. */
  readonly seen: (response: Response) => Promise<object>;
};

/** Tries every form of a URL for a raw file: the edge answers as the origin does, then without it, and then from the colo. */
export function tryForms(
  paths: readonly string[],
  { harness, forge, fromOrigin, fromEdge, seen }: RawForms,
): void {
  it.each(paths)("HEAD %s does answer as the origin, without a body", async (path) => {
    const expected = await seen(await fromOrigin(path, { method: "HEAD" }));
    expect(expected).toMatchObject({ status: 200 });
    expect(await seen(await fromEdge(path, { method: "HEAD" }))).toEqual(expected);
  });

  it.each(paths)("GET %s does answer as the origin, and then without it", async (path) => {
    const expected = await seen(await fromOrigin(path));
    expect(await seen(await fromEdge(path))).toEqual(expected);
    harness().demo[forge].resetCounts();
    const second = await fromEdge(path);
    expectHits(second);
    expect(second.headers.get("set-cookie")).toBeNull();
    expect(second.headers.get("x-request-id")).toBeNull();
    expect(await seen(second)).toEqual(expected);
    expect(harness().demo[forge].counts()).toMatchObject({ total: 0, bytes: 0 });
  });

  it("a new isolate does find every form in the colo", async () => {
    await harness().newIsolate();
    harness().demo[forge].resetCounts();
    for (const path of paths) expectHits(await fromEdge(path));
    expect(harness().demo[forge].counts()).toMatchObject({ total: 0 });
  });
}

/** Every cache that was asked has answered, those of the grant and of the body among them. */
export function expectHits(response: Response): void {
  for (const member of Object.values(cacheStatus(response))) expect(member).toContain("; hit");
  expect(Object.keys(cacheStatus(response))).toContain("forgefront-grant");
  expect(Object.keys(cacheStatus(response))).toContain("forgefront-body");
}
