import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { ask, askWell, outcomeOf } from "../../scripts/bench/artifacts-answer.ts";

const { signal } = new AbortController();

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const PROBLEM = { "Content-Type": "application/problem+json" };

test("ask() counts all of a body and keeps its beginning", async () => {
  const bytes = 600 * 1024;
  const url = await serve((request, response) =>
    response.end(String(request.headers["x-asked"]).padEnd(bytes)),
  );
  const answer = await ask(url, { headers: { "X-Asked": "so" }, signal });
  expect(answer).toMatchObject({ status: 200, bytes, isWhole: true });
  expect(answer.text).toHaveLength(256 * 1024);
  expect(answer.text.startsWith("so ")).toBe(true);
});

test.each([
  ["of a length it said", { "Content-Length": "100" }],
  ["in chunks", {}],
])("ask() tells that an answer %s broke off, and askWell() fails", async (_, headers) => {
  const url = await serve((_request, response) => {
    response.writeHead(200, headers).write("half", () => response.destroy());
  });
  const answer = await ask(url, { signal });
  expect(answer).toMatchObject({ status: 200, bytes: 4, isWhole: false, text: "half" });
  expect(outcomeOf(answer)).toBe("200, broken off");
  await expect(askWell(url, { signal })).rejects.toThrow("was answered with 200, broken off: half");
});

test("ask() fails where no answer comes", async () => {
  const url = await serve((_request, response) => response.destroy());
  await expect(ask(url, { signal })).rejects.toThrow("socket hang up");
});

test.each([
  ["begins too late", () => undefined],
  ["does not end", (_request, response) => response.write("and it goes on")],
] as [string, RequestListener][])("ask() fails where an answer %s", async (_, listener) => {
  const url = await serve(listener);
  await expect(ask(url, { signal, mostMs: 50 })).rejects.toThrow("took longer than 50 ms");
  const reason = new Error("Interrupted");
  const interrupted = AbortSignal.timeout(50);
  const stopping = new AbortController();
  interrupted.addEventListener("abort", () => stopping.abort(reason));
  await expect(ask(url, { signal: stopping.signal })).rejects.toThrow(reason);
});

test("outcomeOf() names a problem", async () => {
  const url = await serve((_request, response) => {
    response.writeHead(422, PROBLEM).end('{"type":"urn:forgefront:problem:entry_ratio"}');
  });
  expect(outcomeOf(await ask(url, { signal }))).toBe("422 entry_ratio");
  expect(outcomeOf(new Error("socket hang up"))).toBe("no answer (socket hang up)");
});
