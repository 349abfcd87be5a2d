import fc from "fast-check";
import { expect, it } from "vitest";
import { headersAfter, type Rendering } from "../../../src/core/pipelines/rendering.ts";

type HeaderFields = Rendering["headers"];

const TYPE = ["content-type", "application/json"] as const;
const LINK = ["link", '<https://edge.example/api/v4/projects/7/pipelines?page=2>; rel="next"'] as const;
const SNIFF = ["x-content-type-options", "nosniff"] as const;
const total = (number: number) => ["x-total", `${number}`] as const;

it.each<[string, HeaderFields, HeaderFields, HeaderFields | undefined]>([
  ["keep those of a list that has no pages", [TYPE], [], [TYPE]],
  ["keep them where others that are no page's are told", [TYPE], [SNIFF], [TYPE]],
  ["take a full set that is told", [TYPE, total(3)], [total(4), LINK], [TYPE, total(4), LINK]],
  ["take the first that are told of pages", [TYPE, SNIFF], [SNIFF, total(4)], [TYPE, SNIFF, total(4)]],
  ["drop what is not told any more", [TYPE, LINK, total(3)], [total(3)], [TYPE, total(3)]],
  ["take a link alone for a full set", [TYPE, LINK], [LINK], [TYPE, LINK]],
  ["know nothing of a page whose fields are left out", [TYPE, total(3)], [], undefined],
  ["know nothing of a page that only a link told of", [TYPE, LINK], [SNIFF], undefined],
])("headersAfter() does %s", (_what, before, told, after) => {
  expect(headersAfter(before, told)).toEqual(after);
});

it("headersAfter() does never mix what two answers say of pages", () => {
  const paging = fc.constantFrom(
    "link",
    "x-total",
    "x-total-pages",
    "x-next-page",
    "x-total-count",
    "x-hasmore",
  );
  const other = fc.constantFrom("content-type", "x-content-type-options", "x-frame-options");
  const fields = (from: string) =>
    fc
      .uniqueArray(fc.oneof(paging, other), { maxLength: 5 })
      .map((names) => names.map((name) => [name, `${name} ${from}`] as const));
  fc.assert(
    fc.property(fields("before"), fields("told"), (before, told) => {
      const isPage = ([name]: readonly [string, string]) => /^(?:link|x-(?:total|next|has))/.test(name);
      const after = headersAfter(before, told)?.filter(isPage);
      if (told.some(isPage)) expect(after).toEqual(told.filter(isPage));
      else expect(after).toEqual(before.some(isPage) ? undefined : []);
    }),
  );
});
