import { expect, it } from "vitest";
import { ANONYMOUS } from "../../src/core/principal.ts";
import { storeDialect } from "../../src/origin/store-dialect.ts";
import { ENTRY, part, plainHeaders, scriptedOrigin } from "./scripted-origin.ts";
import { TARGET } from "./store-scene.ts";

it("storeDialect() does ask and open at one origin", async () => {
  const origin = scriptedOrigin([part(0, 1), part(4, 8)]);
  const dialect = storeDialect(origin.parts);
  const who = { target: TARGET, principal: ANONYMOUS, known: undefined };
  const answer = await dialect.ask({
    ...who,
    question: { via: "object" },
    etag: undefined,
    wanted: undefined,
  });
  expect(answer).toMatchObject({ kind: "admitted", revision: { kind: "object", entry: ENTRY } });
  const pin = { kind: "object", entry: ENTRY } as const;
  const opened = await dialect.open({ ...who, pin, method: "GET", from: 4, until: 8 });
  expect(opened).toMatchObject({ kind: "entry", offset: 4, until: 8 });
  expect(origin.asked.map(plainHeaders)).toEqual([
    { range: "bytes=0-0" },
    { range: "bytes=4-7", "if-match": '"e"' },
  ]);
});
