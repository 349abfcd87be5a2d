import { describe, expect, it } from "vitest";
import { createApp, type AppParts } from "../../src/app.ts";
import { readConfig } from "../../src/core/config.ts";
import { refuseControl, type Opens } from "../../src/serve/control-token.ts";

const answer = readConfig({
  KEY_SECRET: "a secret of the tests, long enough",
  SITES: [{ host: "git.test", kind: "gitlab", origin: "https://origin.test" }],
});
if (answer.kind === "faults") throw new Error(answer.faults.join("\n"));

/** No more of the Worker than a control route may touch before it knows who asks. */
const parts = {
  journey: { isolate: { ports: { config: answer.config } }, targets: { get: () => undefined } },
  scrape: () => Promise.reject(new Error("Nobody may see the metrics")),
  isControlToken: () => Promise.resolve(true),
  listKv: undefined,
  onFault: () => undefined,
} as unknown as AppParts;

describe("without a control token", () => {
  it.each([
    ["POST", "purge"],
    ["GET", "purge"],
    ["GET", "metrics"],
    ["GET", ""],
    ["GET", "look"],
    ["HEAD", "look"],
  ])("%s /-/forgefront/%s is not there", async (method, route) => {
    const body = method === "POST" ? { body: '{"project":"group/app"}' } : {};
    const headers = { authorization: "Bearer anything" };
    const request = new Request(`https://git.test/-/forgefront/${route}`, { method, headers, ...body });
    const response = await createApp(parts)(request, () => undefined);
    expect(response.status).toBe(404);
    if (method !== "HEAD")
      expect(await response.json()).toMatchObject({ type: "urn:forgefront:problem:not_found" });
  });
});

const TOKEN = "the-control.token_of~tests+/==";

/** What was compared with the control token, and the answer; comparing is the platform's, in constant time. */
async function knock(authorization: string | undefined, opens: Opens, isSet = true) {
  const compared: string[] = [];
  const isRight = async (token: string) => {
    compared.push(token);
    return token === TOKEN;
  };
  const headers = authorization === undefined ? {} : { authorization };
  const request = new Request("https://git.test/-/forgefront/", { headers });
  return { refused: await refuseControl({ isSet, isRight }, request, opens), compared };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

describe("refuseControl()", () => {
  it.each(["programs", "programs and browsers"] as const)(
    "does let a bearer in where it opens for %s",
    async (opens) => {
      for (const scheme of ["Bearer", "bearer", "BEARER"]) {
        const { refused, compared } = await knock(`${scheme} ${TOKEN}`, opens);
        expect(refused).toBeUndefined();
        expect(compared).toEqual([TOKEN]);
      }
    },
  );

  it.each([
    ["anybody", `anybody:${TOKEN}`],
    ["nobody", `:${TOKEN}`],
  ])("does take it as the password of %s from a browser", async (_, credentials) => {
    const padded = base64(credentials);
    for (const text of [padded, padded.replace(/=+$/, "")]) {
      const { refused, compared } = await knock(`Basic ${text}`, "programs and browsers");
      expect(refused).toBeUndefined();
      expect(compared).toEqual([TOKEN]);
    }
  });

  it("does take a password with colons as it is", async () => {
    const { compared } = await knock(`basic ${base64("user:pass:word:")}`, "programs and browsers");
    expect(compared).toEqual(["pass:word:"]);
  });

  it("does not take a password where only programs may come, nor compare it", async () => {
    const { refused, compared } = await knock(`Basic ${base64(`anybody:${TOKEN}`)}`, "programs");
    expect(refused?.status).toBe(401);
    expect(refused?.headers.get("www-authenticate")).toBe('Bearer realm="forgefront"');
    expect(compared).toEqual([]);
  });

  it("does ask a browser for a password", async () => {
    const { refused } = await knock(undefined, "programs and browsers");
    expect(refused?.status).toBe(401);
    expect(refused?.headers.get("www-authenticate")).toBe(
      'Basic realm="forgefront", Bearer realm="forgefront"',
    );
    expect(await refused?.json()).toMatchObject({ type: "urn:forgefront:problem:unauthorized" });
  });

  it.each([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    TOKEN,
    `Token ${TOKEN}`,
    `Bearer${TOKEN}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer  ${TOKEN}`,
    `Bearer ${TOKEN} more`,
    `Bearer ${base64(`anybody:${TOKEN}`)}`,
    "Basic",
    "Basic ",
    `Basic ${TOKEN}`,
    `Basic ${base64(TOKEN)}`,
    `Basic ${base64(`${TOKEN}:`)}`,
    `Basic ${base64(`anybody:${TOKEN}x`)}`,
    "Basic A",
    "Basic ====",
    "Basic !!!!",
    `Basic ${base64(`anybody:${TOKEN}`)}!`,
    `Basic ${base64("anybody:\u00fc")}`,
    `Digest ${base64(`anybody:${TOKEN}`)}`,
  ])("does refuse %j", async (authorization) => {
    for (const opens of ["programs", "programs and browsers"] as const) {
      const { refused, compared } = await knock(authorization, opens);
      expect(refused?.status).toBe(401);
      expect(compared).not.toContain(TOKEN);
    }
  });

  it("does say of nothing that it is there without a token, whatever is sent, and compare nothing", async () => {
    for (const authorization of [undefined, "Bearer ", `Bearer ${TOKEN}`, `Basic ${base64(`a:${TOKEN}`)}`]) {
      const { refused, compared } = await knock(authorization, "programs and browsers", false);
      expect(refused?.status).toBe(404);
      expect(refused?.headers.get("www-authenticate")).toBeNull();
      expect(compared).toEqual([]);
    }
  });
});
