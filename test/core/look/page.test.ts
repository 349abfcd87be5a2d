import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Look } from "../../../src/core/look/colo-look.ts";
import { NO_COUNTS } from "../../../src/core/look/counts.ts";
import { LOOK_CSP, lookPage } from "../../../src/core/look/page.ts";
import type { Settings } from "../../../src/core/look/settings.ts";
import { hostile, NOW } from "./arbitrary-looks.ts";

const SETTINGS: Settings = {
  sites: [{ host: "git.test", kind: "gitlab", origin: "https://origin.test" }],
  limits: [
    { name: "GRANT_S", value: 30, fallback: 30 },
    { name: "REF_S", value: 5, fallback: 60 },
  ],
  secrets: { KEY_SECRET: "set", S3_KEYS: "2 keys" },
  bindings: { FORGEFRONT_KV: true, PIPELINES_DB: false },
};
const LOOK: Look = { ...NO_COUNTS, isolates: 1, since: NOW };

/** What stands between a tag and its end. */
function contentsOf(page: string, tag: string): readonly string[] {
  return Array.from(page.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, "gs")), ([, text = ""]) => text);
}

function directive(name: string): readonly string[] {
  const found = LOOK_CSP.split("; ").find((each) => each.startsWith(`${name} `));
  return found?.split(" ").slice(1) ?? [];
}

/** The page without the texts between its tags. */
function skeleton(page: string): string {
  return page.replaceAll(/>[^<]*/g, ">");
}

describe("LOOK_CSP", () => {
  it.each(["style", "script"])("does allow the %s of the page, and no other", (tag) => {
    const [content = "", ...more] = contentsOf(lookPage(LOOK, SETTINGS, NOW), tag);
    expect(more).toEqual([]);
    const hash = createHash("sha256").update(content).digest("base64");
    expect(directive(`${tag}-src`)).toEqual([`'sha256-${hash}'`]);
  });

  it("does allow the page to ask for nothing but itself, and nobody to frame it", () => {
    expect(directive("default-src")).toEqual(["'none'"]);
    expect(directive("connect-src")).toEqual(["'self'"]);
    for (const name of ["base-uri", "form-action", "frame-ancestors"])
      expect(directive(name)).toEqual(["'none'"]);
  });
});

describe("lookPage()", () => {
  it("does say when it was made, and how it is set up", () => {
    const page = lookPage(LOOK, SETTINGS, NOW);
    expect(page).toContain("As of 08:00:01 UTC");
    expect(page).toContain('<tr><th scope="row">git.test<td>gitlab<td>https://origin.test<td><td>');
    expect(page).toContain('<tr><th scope="row">REF_S<td>5<td>default 60');
    expect(page).toContain('<tr><th scope="row">GRANT_S<td>30<td>\n');
    expect(page).toContain('<tr><th scope="row">PIPELINES_DB<td>not bound');
  });

  it("does hold nothing that the policy forbids: no inline style, no attribute that runs, no other address", () => {
    const page = lookPage(LOOK, SETTINGS, NOW);
    expect(page).not.toMatch(/<[^>]*\s(?:style|on\w+)=/i);
    expect(page).not.toMatch(/(?:src|href|action)="(?!data:,")/i);
  });

  it("does write every text of others as a text", () => {
    const anyTexts = fc.record({ host: hostile, path: hostile, method: hostile, problem: hostile });
    const plain = { host: "h", path: "p", method: "m", problem: "p" };
    const made = ({ host, path, method, problem }: typeof plain) =>
      lookPage(
        {
          ...LOOK,
          slowest: [{ host, lane: "raw", method, path, status: 200, ms: 1, at: NOW }],
          troubles: [{ host, lane: "raw", problem, path, at: NOW, times: 1 }],
        },
        { ...SETTINGS, sites: [{ host, kind: "s3", origin: path, auth: "edge", region: method }] },
        NOW,
      );
    const expected = skeleton(made(plain));
    fc.assert(
      fc.property(anyTexts, (texts) => {
        const page = made(texts);
        expect(skeleton(page)).toBe(expected);
        for (const unseen of ["\u202e", "\u2028", "\0"]) expect(page).not.toContain(unseen);
        expect(page.isWellFormed()).toBe(true);
      }),
    );
  });
});
