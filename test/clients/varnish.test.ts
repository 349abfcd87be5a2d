import { afterAll, beforeAll, expect, test } from "vitest";
import { SECRET } from "../../scripts/bench/raw-files.ts";
import { askHead, startVarnish, type Varnish } from "../../scripts/bench/varnish.ts";
import { startDemo, type Demo } from "../../scripts/demo/demo.ts";
import { programsLack } from "../../scripts/servers/programs.ts";
import { describeWith } from "../servers/presence.ts";

const ANONYMOUS = {};
const REVOKED = "glpat-developer";

describeWith("Varnish", await programsLack(["varnishd"]))("Varnish, as the bench sets it up", () => {
  let demo: Demo;
  let varnish: Varnish;
  beforeAll(async () => {
    demo = await startDemo({ bigFileBytes: 1024 });
    const origin = new URL(demo.gitlab.url).host;
    varnish = await startVarnish({ origin, question: askHead(SECRET.authPath), freshS: 60 });
  });
  afterAll(async () => {
    await varnish.close();
    await demo.close();
  });

  const read = async (headers: Readonly<Record<string, string>>, init: RequestInit = {}) => {
    const response = await fetch(varnish.url + SECRET.path, { redirect: "manual", ...init, headers });
    return {
      status: response.status,
      text: await response.text(),
      hits: response.headers.get("x-cache-hits"),
    };
  };

  test("keeps a private file for all who may read it, and asks about each", async () => {
    const origin = await fetch(demo.gitlab.url + SECRET.path, { headers: SECRET.headers });
    const text = await origin.text();
    demo.gitlab.resetCounts();
    expect(await read(SECRET.headers)).toEqual({ status: 200, text, hits: "0" });
    expect(await read(SECRET.headers)).toEqual({ status: 200, text, hits: "1" });
    expect(await read({ "PRIVATE-TOKEN": REVOKED })).toEqual({ status: 200, text, hits: "2" });
    expect(demo.gitlab.counts()).toMatchObject({ "web:raw": 1, "api:other": 3, total: 4 });
  });

  test.each([
    ["a stranger", SECRET.strangersHeaders],
    ["nobody in particular", ANONYMOUS],
    ["a stranger who asks for a part", { ...SECRET.strangersHeaders, Range: "bytes=0-9" }],
    ["a stranger who knows a name for it", { ...SECRET.strangersHeaders, "If-Match": "*" }],
  ])("refuses %s what it has", async (_, headers) => {
    expect((await read(SECRET.headers)).status).toBe(200);
    const refused = await read(headers);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.text).not.toContain((await read(SECRET.headers)).text.slice(0, 40));
  });

  test("refuses a token from the moment on at which the origin does", async () => {
    demo.gitlab.revokeToken(REVOKED);
    expect((await read({ "PRIVATE-TOKEN": REVOKED })).status).toBe(401);
    demo.gitlab.restoreToken(REVOKED);
    expect((await read({ "PRIVATE-TOKEN": REVOKED })).status).toBe(200);
  });

  test("sends what is no read to the origin as it is", async () => {
    demo.gitlab.resetCounts();
    await read(SECRET.headers, { method: "POST", body: "x" });
    expect(demo.gitlab.counts()).toMatchObject({ "api:other": 0, total: 1 });
  });
});
