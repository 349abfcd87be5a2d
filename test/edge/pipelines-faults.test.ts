import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  API,
  DEVELOPER,
  DEVELOPER_TOO,
  idsOf,
  READER,
  startPipelinesScene,
  type PipelinesScene,
} from "./pipelines-scene.ts";

const FRESH_MS = 5000;

let scene: PipelinesScene;
beforeAll(async () => {
  scene = await startPipelinesScene({ vars: { ORIGIN_TIMEOUT_S: 1, ORIGIN_STALL_S: 1 } });
});
beforeEach(async () => await scene.again());
afterAll(async () => await scene.harness.close());

const LIST = `${API}/1/pipelines`;
const SECRET = `${API}/2/pipelines`;

/** Whether the forge is asked for pipelines, by the edge and not by a test. */
const isList = ({ url = "", headers }: IncomingMessage) =>
  url.includes("/pipelines") && headers["x-direct"] === undefined;

type Fault = (response: ServerResponse, request: IncomingMessage) => void;

function answerLists(fault: Fault): void {
  scene.forge("gitlab").intercept = (request, response) => {
    if (!isList(request)) return false;
    fault(response, request);
    return true;
  };
}

const JSON_TYPE = { "content-type": "application/json" };
const LOGIN = "<html><form action=/users/sign_in>Sign in</form></html>";
const HALF = '[{"id":1,"iid":1,"project_id":1,"status":"success","ref":"main","web_url":"x"';

const FAULTS: Readonly<Record<string, Fault>> = {
  "500": (response) => void response.writeHead(500, JSON_TYPE).end('{"message":"500"}'),
  "503 with a list": (response) => void response.writeHead(503, JSON_TYPE).end("[]"),
  "no answer": () => undefined,
  "a cut connection": (response) => void response.socket?.destroy(),
  "headers and nothing": (response) => response.writeHead(200, JSON_TYPE).flushHeaders(),
  "half of it, with its length": (response) => {
    response.writeHead(200, { ...JSON_TYPE, "content-length": 500 });
    response.write(HALF, () => response.socket?.destroy());
  },
  "half of it, in chunks": (response) => {
    response.writeHead(200, JSON_TYPE).write(HALF, () => response.socket?.destroy());
  },
  "half of it, ended by closing": ({ socket }) => {
    socket?.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n");
    socket?.end(HALF);
  },
  "no JSON": (response) => void response.writeHead(200, JSON_TYPE).end("[{]"),
  "an empty body": (response) => void response.writeHead(200, JSON_TYPE).end(),
  "no UTF-8": (response) => void response.writeHead(200, JSON_TYPE).end(Buffer.from([0x22, 0xff, 0x22])),
  "a login page": (response) => void response.writeHead(200, { "content-type": "text/html" }).end(LOGIN),
  "a redirect to sign in": (response) => void response.writeHead(302, { location: "/users/sign_in" }).end(),
  "204": (response) => void response.writeHead(204).end(),
  "206": (response) => {
    response.writeHead(206, { ...JSON_TYPE, "content-range": "bytes 0-1/9" }).end("[]");
  },
  "304 to an ETag of its own": (response) => void response.writeHead(304, { etag: '"another"' }).end(),
  "304 without an ETag, to whatever was asked": (response, { headers }) => {
    if (headers["if-none-match"] === undefined) response.writeHead(304).end();
    else response.writeHead(304, { etag: '"nobody-knows"' }).end();
  },
};

describe.each(Object.entries(FAULTS))("an origin that answers with %s", (_name, fault) => {
  it("is believed by nobody, cold or warm, and forgotten when it is well again", async () => {
    const { gitlab } = scene.harness.demo;
    answerLists(fault);
    const cold = await scene.get(LIST, DEVELOPER);
    expect(cold.status === 200 && cold.headers["cache-status"] !== "forgefront; fwd=bypass").toBe(false);
    gitlab.intercept = undefined;
    const [known, one] = [await scene.get(LIST, READER), await scene.get(`${LIST}/11`, READER)];
    expect([known.status, one.status]).toEqual([200, 200]);
    await scene.advance(FRESH_MS + 500);
    answerLists(fault);
    const during = await scene.get(LIST, READER);
    const isKnown = during.status === 200 && during.body.equals(known.body);
    // Neither another list nor less than the whole is passed off as the list
    const isOfOrigin = during.headers["cache-status"] === "forgefront; fwd=bypass" || during.status !== 200;
    expect([isKnown || isOfOrigin || !during.whole, during.status]).toEqual([true, during.status]);
    if (isKnown) expect(Number(during.headers["age"])).toBeGreaterThanOrEqual(FRESH_MS / 1000);
    const stranger = await scene.get(SECRET, DEVELOPER_TOO);
    expect(stranger.status === 200 && stranger.headers["cache-status"] !== "forgefront; fwd=bypass").toBe(
      false,
    );
    gitlab.intercept = undefined;
    await scene.advance(11_000);
    const row = await gitlab.addPipeline("demo/hello", { status: "running" });
    await scene.advance(FRESH_MS + 500);
    expect(idsOf(await scene.get(LIST, READER))).toContain(row.id);
    expect(idsOf(await scene.get(SECRET, DEVELOPER_TOO))).toEqual(
      idsOf(await scene.direct(SECRET, DEVELOPER)),
    );
    gitlab.pipelines.remove(row.id);
  });
});

describe("an origin that asks to be left alone", () => {
  it("is, and who may read still is served what is known", async () => {
    const known = await scene.get(LIST, READER);
    await scene.advance(FRESH_MS + 500);
    answerLists((response) => void response.writeHead(429, { "retry-after": "20" }).end("Retry later\n"));
    expect(
      await scene.questions(async () => {
        for (let polls = 0; polls < 4; polls++) {
          const answer = await scene.get(LIST, READER);
          expect([answer.status, answer.body.equals(known.body)]).toEqual([200, true]);
          await scene.advance(1000);
        }
        for (let polls = 0; polls < 2; polls++) {
          const newcomer = await scene.get(LIST, DEVELOPER);
          expect([newcomer.status, Number(newcomer.headers["retry-after"]) <= 20]).toEqual([429, true]);
        }
      }),
    ).toBe(2); // one who was never let in is told by the origin itself, once
    scene.forge("gitlab").intercept = undefined;
    await scene.advance(30_000); // neither the grant nor what was told lives on
    expect((await scene.get(LIST, READER)).status).toBe(200);
  });
});

/** A list of one of two askers, as an origin gives it that is not GitLab. */
type Odd = { readonly etag: (body: string) => string; readonly isBlind?: boolean };

const ODD: Readonly<Record<string, Odd>> = {
  "one weak ETag for everything": { etag: () => 'W/"1"' },
  "one strong ETag for everything": { etag: () => '"1"' },
  "one ETag, and 304 whatever is asked for": { etag: () => '"1"', isBlind: true },
  "an ETag by length": { etag: (body) => `W/"${body.length}"` },
  "a digest of another kind": { etag: (body) => `W/"${createHash("md5").update(body).digest("hex")}"` },
  "the digest of nothing": {
    etag: () => `W/"${createHash("sha256").update("").digest("hex").slice(0, 32)}"`,
  },
};

describe.each(Object.entries(ODD))("an origin with %s", (_name, { etag, isBlind = false }) => {
  it("makes nobody see what another is given", async () => {
    const lists: Record<string, string> = { reader: "", developer: "" };
    const set = (who: string, version: number) => {
      const item = { id: 1, project_id: 2, owner: who, version };
      lists[who] = JSON.stringify([item]).padEnd(120);
    };
    answerLists((response, { headers }) => {
      const who = JSON.stringify(headers).includes("glpat-developer") ? "developer" : "reader";
      const body = lists[who] ?? "";
      const tag = etag(body);
      if (headers["if-none-match"] === tag || (isBlind && headers["if-none-match"] !== undefined))
        response.writeHead(304, { etag: tag }).end();
      else response.writeHead(200, { ...JSON_TYPE, etag: tag }).end(body);
    });
    for (let version = 1; version <= 6; version++) {
      set("reader", version);
      set("developer", version);
      const order = version % 2 === 0 ? [READER, DEVELOPER, READER] : [DEVELOPER, READER, DEVELOPER];
      for (const headers of order)
        for (const isolate of ["", "second"]) {
          const who = headers === READER ? "reader" : "developer";
          const { status, body } = await scene.get(SECRET, headers, { isolate });
          expect([version, status, body.includes(`"${who}"`)]).toEqual([version, 200, true]);
        }
      await scene.advance(version % 3 === 0 ? 31_000 : 3500);
    }
  });
});
