import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/core/dialect.ts";
import { readStoreVerdict } from "../../src/origin/store-verdict.ts";

const NOW = Date.UTC(1994, 10, 6, 8, 49, 37);
const XML = "<Error><Code>AccessDenied</Code></Error>";

type Body = { readonly response: Response; readonly isLetGo: () => boolean };

/** An answer whose body tells whether somebody read it to its end or let it go. */
function answerOf(status: number, headers: Record<string, string> = {}): Body {
  const state = { isOver: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(new TextEncoder().encode(XML));
        controller.close();
        state.isOver = true;
      },
      cancel() {
        state.isOver = true;
      },
    },
    { highWaterMark: 0 },
  );
  const type = { "content-type": "application/xml" };
  const empty = status === 304 || status === 204;
  const response = new Response(empty ? null : body, { status, headers: { ...type, ...headers } });
  return { response, isLetGo: () => empty || state.isOver };
}

async function verdictOf(status: number, headers: Record<string, string> = {}): Promise<Answer | undefined> {
  const { response, isLetGo } = answerOf(status, headers);
  const verdict = await readStoreVerdict(response, NOW);
  expect(isLetGo()).toBe(true);
  return verdict;
}

describe("the verdict of a store", () => {
  it.each([[200], [206]])("readStoreVerdict() does leave a %d and its body to the caller", async (status) => {
    const { response, isLetGo } = answerOf(status);
    expect(await readStoreVerdict(response, NOW)).toBeUndefined();
    expect(isLetGo()).toBe(false);
    expect(await response.text()).toBe(XML);
  });

  it.each([[400], [401], [403], [404], [405], [409], [410], [414], [451]])(
    "readStoreVerdict() does keep a %d as a refusal",
    async (status) => {
      expect(await verdictOf(status, { "set-cookie": "a=b", "x-amz-delete-marker": "true" })).toEqual({
        kind: "refused",
        about: "scope",
        refusal: {
          status,
          headers: [
            ["content-type", "application/xml"],
            ["x-amz-delete-marker", "true"],
          ],
          body: XML,
        },
      });
    },
  );

  it.each([[201], [203], [204], [301], [302], [304], [307], [308], [412], [416]])(
    "readStoreVerdict() does not know what to make of a %d",
    async (status) => {
      expect(await verdictOf(status, { location: "https://elsewhere.example" })).toEqual({ kind: "unclear" });
    },
  );

  it.each<[number, Record<string, string>, number]>([
    [503, {}, 1],
    [429, {}, 1],
    [503, { "retry-after": "7" }, 7],
    [429, { "retry-after": "7" }, 7],
    [503, { "retry-after": "Sun, 06 Nov 1994 08:49:57 GMT" }, 20],
    [503, { "retry-after": "100000" }, 300],
    [503, { "retry-after": "0" }, 1],
    [503, { "retry-after": "soon" }, 10],
  ])("readStoreVerdict() does take a %d with %j for busy, for %d s", async (status, headers, seconds) => {
    expect(await verdictOf(status, headers)).toMatchObject({
      kind: "busy",
      seconds,
      refusal: { status, body: XML },
    });
  });

  it.each([[500], [501], [502], [504], [507], [599]])(
    "readStoreVerdict() does fail with a %d",
    async (status) => {
      const { response, isLetGo } = answerOf(status);
      await expect(readStoreVerdict(response, NOW)).rejects.toMatchObject({
        problem: "origin_error",
        detail: `Origin answered ${status}`,
      });
      expect(isLetGo()).toBe(true);
    },
  );
});
