import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linkForSite, textForSite } from "../../../src/core/pipelines/site-addresses.ts";
import type { ForgeSite } from "../../../src/core/site.ts";

const ORIGIN = "http://forge.internal:8080";
const GITLAB: ForgeSite = { kind: "gitlab", host: "git.example.com", origin: ORIGIN };
const GITEA: ForgeSite = { ...GITLAB, kind: "gitea" };
const SITE = "https://git.example.com";

/** What follows an address that is not the origin's, though it begins like it. */
const STRANGE_ENDS = [".evil/", "80/", "1", "@evil/", "#x", ":81/", "\\evil"];

describe("a Link", () => {
  it.each([
    [`<${ORIGIN}/a?page=2>; rel="next"`, `<${SITE}/a?page=2>; rel="next"`],
    [`<${ORIGIN}>`, `<${SITE}>`],
    [`<${ORIGIN}?a>`, `<${SITE}?a>`],
    [`<${ORIGIN}/a>; rel=prev, <${ORIGIN}/b>; rel=next`, `<${SITE}/a>; rel=prev, <${SITE}/b>; rel=next`],
    [`<${ORIGIN}/a?u=${ORIGIN}/b>`, `<${SITE}/a?u=${ORIGIN}/b>`],
    [`<https://x.example/>,<${ORIGIN}/a>`, `<https://x.example/>,<${SITE}/a>`],
  ])("linkForSite() does rewrite %s", (link, expected) => {
    expect(linkForSite(link, GITLAB, "https:")).toBe(expected);
    expect(linkForSite(link, GITEA, "http:")).toBe(expected.replaceAll(SITE, "http://git.example.com"));
  });

  it.each([
    [""],
    ["<https://forge.internal:8080/a>"],
    ["<http://forge.internal/a>"],
    [`<http://x.example/?${ORIGIN}/>`],
    [`< ${ORIGIN}/a>`],
    [`<a>; title="${ORIGIN}/"`],
    [`<${ORIGIN}/a`],
    ...STRANGE_ENDS.map((end) => [`<${ORIGIN}${end}>`]),
  ])("linkForSite() does leave %j as it is", (link) => {
    expect(linkForSite(link, GITLAB, "https:")).toBe(link);
  });
});

describe("a JSON text", () => {
  it.each<[ForgeSite, string, string]>([
    [GITLAB, `{"web_url":"${ORIGIN}/g/p"}`, `{"web_url":"${SITE}/g/p"}`],
    [GITLAB, `{"web_url":"${ORIGIN}"}`, `{"web_url":"${SITE}"}`],
    [GITLAB, `{"web_url":"${ORIGIN}?a"}`, `{"web_url":"${SITE}?a"}`],
    [GITLAB, `[{"a":{"web_url" :\n\t"${ORIGIN}/" }}]`, `[{"a":{"web_url" :\n\t"${SITE}/" }}]`],
    [
      GITLAB,
      `{"web_url":"http:\\/\\/forge.internal:8080\\/g"}`,
      `{"web_url":"https:\\/\\/git.example.com\\/g"}`,
    ],
    [GITLAB, `{"a":"\\\\","web_url":"${ORIGIN}/g"}`, `{"a":"\\\\","web_url":"${SITE}/g"}`],
    [GITLAB, `{"a":"web_url","web_url":"${ORIGIN}/"}`, `{"a":"web_url","web_url":"${SITE}/"}`],
    [GITLAB, `{"web_url":"${ORIGIN}/?u=${ORIGIN}/"}`, `{"web_url":"${SITE}/?u=${ORIGIN}/"}`],
    [GITEA, `{"url":"${ORIGIN}/a","html_url":"${ORIGIN}/b"}`, `{"url":"${SITE}/a","html_url":"${SITE}/b"}`],
  ])("textForSite() does rewrite %j: %s", (site, json, expected) => {
    expect(textForSite(json, site, "https:")).toBe(expected);
  });

  it.each<[ForgeSite, string]>([
    [GITLAB, ""],
    [GITLAB, `{"name":"${ORIGIN}/"}`],
    [GITLAB, `{"avatar_url":"${ORIGIN}/","html_url":"${ORIGIN}/","url":"${ORIGIN}/"}`],
    [GITEA, `{"web_url":"${ORIGIN}/","clone_url":"${ORIGIN}/","url\\"":"${ORIGIN}/"}`],
    [GITLAB, `{"web_url":["${ORIGIN}/"]}`],
    [GITLAB, `["web_url","${ORIGIN}/"]`],
    [GITLAB, `{"WEB_URL":"${ORIGIN}/"}`],
    [GITLAB, `{"my_web_url":"${ORIGIN}/","web_url_":"${ORIGIN}/"}`],
    [GITLAB, `{"title":"\\"web_url\\":\\"${ORIGIN}/"}`],
    [GITLAB, `{"title":"a \\"web_url","x":"\\"web_url"}`],
    [GITLAB, `{"title":{"\\"web_url":"${ORIGIN}/"}}`],
    [GITLAB, `{"title":"\\\\\\"web_url\\":\\"${ORIGIN}/"}`],
    [GITLAB, `{"web_url":" ${ORIGIN}/"}`],
    [GITLAB, `{"web_url":"https://forge.internal:8080/"}`],
    [GITLAB, `{"web_url":"http://forgeXinternal:8080/"}`],
    [GITLAB, `{"web_url":"https://x.example/${ORIGIN}/"}`],
    ...STRANGE_ENDS.map((end): [ForgeSite, string] => [GITLAB, JSON.stringify({ web_url: ORIGIN + end })]),
  ])("textForSite() does leave %j: %s as it is", (site, json) => {
    expect(textForSite(json, site, "https:")).toBe(json);
  });

  it("textForSite() does not take a shorter host for the origin's", () => {
    const site = { ...GITLAB, origin: "http://forge.internal" };
    const json = `["web_url",{"web_url":"http://forge.internal.evil/"},{"web_url":"http://forge.internal:81/"}]`;
    expect(textForSite(json, site, "https:")).toBe(json);
    expect(linkForSite("<http://forge.internal:81/>", site, "https:")).toBe("<http://forge.internal:81/>");
  });
});

/** The same by reading the text and walking the value. */
function rewritten(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => rewritten(item));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, rewritten(item, name)]));
  const isAddress =
    key === "web_url" && typeof value === "string" && /^http:\/\/forge\.internal:8080(?=[/?]|$)/.test(value);
  return isAddress ? SITE + value.slice(ORIGIN.length) : value;
}

describe("any JSON", () => {
  const tricky = fc
    .array(fc.constantFrom('"', "\\", "web_url", ":", ORIGIN, "/", "?", ".evil", "é", ",", "{", " "), {
      maxLength: 6,
    })
    .map((parts) => parts.join(""));
  const text = fc.oneof(tricky, tricky.map((end) => `${ORIGIN}${end}`), fc.constant('"web_url":"http://forge.internal:8080/')); // prettier-ignore
  const key = fc.oneof({ arbitrary: fc.constant("web_url"), weight: 2 }, { arbitrary: tricky, weight: 1 });
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.constantFrom(1, true, null),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(key, tie("value"), { maxKeys: 3 }),
      fc.dictionary(key, text, { maxKeys: 3 }),
    ),
  }));

  it("textForSite() does change the same as who reads it all", () => {
    let changed = 0;
    fc.assert(
      fc.property(
        fc.dictionary(key, value, { minKeys: 1, maxKeys: 4 }),
        fc.constantFrom(undefined, 1),
        fc.boolean(),
        (any, indent, slashes) => {
          const spell = (json: unknown) => {
            const plain = JSON.stringify(json, undefined, indent);
            return slashes ? plain.replaceAll("/", String.raw`\/`) : plain;
          };
          const expected = spell(rewritten(any));
          expect(textForSite(spell(any), GITLAB, "https:")).toBe(expected);
          if (expected !== spell(any)) changed++;
        },
      ),
      { numRuns: 3_000 },
    );
    expect(changed).toBeGreaterThan(100);
  });
});
