import { describe, expect, it } from "vitest";
import { ANONYMOUS } from "../../src/core/principal.ts";
import { Failure } from "../../src/core/problem.ts";
import type { RawTarget } from "../../src/core/target.ts";
import { openForge } from "../../src/origin/forge-open.ts";
import { giteaForge } from "../../src/origin/gitea.ts";
import { gitlabForge } from "../../src/origin/gitlab.ts";
import type { AskOrigin } from "../../src/origin/http.ts";
import { memoryStore } from "../../src/store/memory.ts";

const ORIGIN = "https://origin.example.com";
const PIN = { kind: "commit", oid: "a".repeat(40), path: "x" } as const;
const TARGET: RawTarget = { lane: "raw", channel: "web", project: "g/p", name: PIN, variant: "" };

/** Opens the file from `from` on; the origin answers each question in turn, and counts the bodies that are let go. */
async function opened(kind: "gitlab" | "gitea", from: number, answers: readonly (Answered | Failure)[]) {
  let asked = 0;
  let letGo = 0;
  const ask: AskOrigin = async () => {
    const answer = answers[asked++];
    if (answer === undefined || answer instanceof Failure) throw answer ?? new Error("Not expected");
    const body = new ReadableStream<Uint8Array>({ cancel: () => void letGo++ }, { highWaterMark: 0 });
    return new Response(body, answer);
  };
  const now = () => 0;
  const forge = kind === "gitlab" ? gitlabForge(ORIGIN, ask, now) : giteaForge(ORIGIN, ask);
  const parts = { forge, ask, now, advertisements: memoryStore<Uint8Array>(1) };
  const opening = {
    target: TARGET,
    principal: ANONYMOUS,
    pin: PIN,
    method: "GET",
    known: undefined,
  } as const;
  const outcome = await openForge(parts, { ...opening, from, until: Infinity }).catch(
    (error: unknown) => error,
  );
  return { outcome, asked, letGo };
}

type Answered = { readonly status: number; readonly headers: Record<string, string> };

function part(range: string, length: number): Answered {
  const headers = { etag: '"e"', "content-range": range, "content-length": String(length) };
  return { status: 206, headers };
}

describe("openForge()", () => {
  it("openForge() does let the bytes go where the forge does not say how many there are", async () => {
    const failure = new Failure("origin_timeout");
    const answer = { status: 200, headers: { etag: '"e"', "content-type": "text/plain" } };
    const { outcome, asked, letGo } = await opened("gitlab", 0, [answer, failure]);
    expect([outcome, asked, letGo]).toEqual([failure, 2, 1]);
  });

  it("openForge() does not believe another answer that a file is empty whose bytes are at hand", async () => {
    const answer = { status: 200, headers: { etag: `"${"b".repeat(40)}"`, "content-type": "text/plain" } };
    const told = (length: string) => ({
      ...answer,
      headers: { ...answer.headers, "content-length": length },
    });
    const { outcome, letGo } = await opened("gitea", 0, [answer, told("0")]);
    expect([outcome, letGo]).toEqual([{ kind: "unclear" }, 1]);
    expect((await opened("gitea", 0, [answer, told("47")])).outcome).toMatchObject({ entry: { size: 47 } });
    expect((await opened("gitea", 0, [told("0")])).outcome).toMatchObject({ entry: { size: 0 } });
  });

  it("openForge() does tell from where on a part is, and of how much", async () => {
    const { outcome, letGo } = await opened("gitea", 3, [part("bytes 3-9/10", 7)]);
    expect(outcome).toMatchObject({ kind: "entry", entry: { size: 10 }, offset: 3 });
    expect(letGo).toBe(0);
  });

  it.each([
    ["ends before it begins", part("bytes 9-3/10", 7)],
    ["is longer than the whole", part("bytes 3-9/5", 7)],
    ["is not as long as it says", part("bytes 3-9/10", 5)],
    ["does not say of how much it is", part("bytes 3-9/*", 7)],
  ])("openForge() does let a part go that %s", async (_case, answer) => {
    const { outcome, letGo } = await opened("gitea", 3, [answer]);
    expect(outcome).toMatchObject({ problem: "origin_error" });
    expect(letGo).toBe(1);
  });
});
