import { describe, expect, it } from "vitest";
import { hasLooped, loopMark } from "../../src/core/loop.ts";
import type { Site } from "../../src/core/site.ts";

const site: Site = {
  host: "code.example.com:3000",
  kind: "gitea",
  origin: "https://origin.example.com",
};
const mark = 'forgefront; host="code.example.com:3000"';

describe("CDN-Loop", () => {
  it("loopMark() does name the program and the site", () => {
    expect(loopMark(site)).toBe(mark);
  });

  it.each([[mark], [`cloudflare, ${mark}`], [`${mark}, cloudflare; loops=1`], [`a,${mark},b`]])(
    "hasLooped() does find its mark in %j",
    (header) => {
      expect(hasLooped(header, site)).toBe(true);
    },
  );

  it.each([
    [null],
    [""],
    ["cloudflare"],
    ["forgefront"],
    ['forgefront; host="code.example.com"'],
    ['forgefront; host="other.example.com:3000"'],
    ['not-forgefront; host="code.example.com:3000"'],
  ])("hasLooped() does let %j through", (header) => {
    expect(hasLooped(header, site)).toBe(false);
  });

  it("hasLooped() does tell two sites in a row apart", () => {
    const inner: Site = { ...site, host: "inner.example.com" };
    expect(hasLooped(loopMark(site), inner)).toBe(false);
    expect(hasLooped(`${loopMark(site)}, ${loopMark(inner)}`, inner)).toBe(true);
  });
});
