import { describe, expect, it } from "vitest";
import { createApp, type AppParts } from "../../src/app.ts";
import { readConfig } from "../../src/core/config.ts";
import { refuseControl, withoutControlToken, type Opens } from "../../src/serve/control-token.ts";

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
  return { refused: await refuseControl({ isSet, isRight, length: TOKEN.length }, request, opens), compared };
}

/** What is left of an `Authorization`, and what was compared with the control token. */
async function strip(authorization: string | undefined, isSet = true) {
  const compared: string[] = [];
  const isRight = async (token: string) => {
    compared.push(token);
    return token === TOKEN;
  };
  const headers = { "x-kept": "yes", ...(authorization !== undefined && { authorization }) };
  const request = new Request("https://git.test/a?b", { method: "POST", body: "its body", headers });
  const stripped = await withoutControlToken({ isSet, isRight, length: TOKEN.length }, request);
  expect([stripped.url, stripped.method, stripped.headers.get("x-kept")]).toEqual([
    request.url,
    "POST",
    "yes",
  ]);
  expect(await stripped.text()).toBe("its body");
  return { left: stripped.headers.get("authorization"), compared, isSame: stripped === request };
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

describe("withoutControlToken()", () => {
  it.each([
    `Bearer ${TOKEN}`,
    `bearer   ${TOKEN}`,
    `token ${TOKEN}`,
    `Basic ${base64(`anybody:${TOKEN}`)}`,
    `basic  ${base64(`:${TOKEN}`).replace(/=+$/, "")}`,
  ])("does take away %j", async (authorization) => {
    const { left, compared } = await strip(authorization);
    expect([left, compared]).toEqual([null, [TOKEN]]);
  });

  it.each([
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    "Bearer glpat-of-somebody",
    `Basic ${base64("user:password")}`,
    "Basic !",
    "AWS4-HMAC-SHA256 Credential=a, SignedHeaders=host, Signature=b",
    "",
    undefined,
  ])("does leave %j, and compare nothing", async (authorization) => {
    const { left, compared, isSame } = await strip(authorization);
    expect([left, compared, isSame]).toEqual([authorization ?? null, [], true]);
  });

  it("does leave what is only as long, and all where there is no token", async () => {
    const other = `Bearer ${TOKEN.toUpperCase()}`;
    expect(await strip(other)).toEqual({ left: other, compared: [TOKEN.toUpperCase()], isSame: true });
    const free = await strip(`Bearer ${TOKEN}`, false);
    expect(free).toEqual({ left: `Bearer ${TOKEN}`, compared: [], isSame: true });
  });
});

describe("the control token", () => {
  const SITES = [
    { host: "git.test", kind: "gitlab", origin: "https://origin.test" },
    { host: "*.s3.test", kind: "s3", origin: "https://s3.test", auth: "rgw" },
  ];
  const configured = readConfig({
    KEY_SECRET: "a secret of the tests, long enough",
    SITES,
    CONTROL_TOKEN: TOKEN,
  });
  if (configured.kind === "faults") throw new Error(configured.faults.join("\n"));
  const { config } = configured;
  const passed: Request[] = [];
  const passThrough = async ({ request }: { request: Request }) => {
    passed.push(request);
    return Promise.resolve(new Response("of the origin"));
  };
  const app = createApp({
    ...parts,
    journey: {
      isolate: { ports: { config, now: () => 0, telemetry: { request: () => undefined }, passThrough } },
      targets: { get: () => undefined },
    },
    isControlToken: async (token: string) => Promise.resolve(token === TOKEN),
  } as unknown as AppParts);
  const ask = async (url: string, authorization: string) => {
    passed.length = 0;
    return await app(new Request(url, { headers: { authorization } }), () => undefined);
  };

  it.each([
    "https://git.test/dashboard",
    "https://git.test/-/%66orgefront/metrics",
    "https://git.test//-/forgefront/metrics",
    "https://git.test/-/forgefront%2Fmetrics",
    "https://git.test/-/forgefrontx",
    "https://s3.test/bucket?acl",
    "https://bucket.s3.test/-/forgefront/metrics?acl",
    "https://bucket.s3.test/-/forgefront?acl",
  ])("never goes to an origin: %s", async (url) => {
    for (const authorization of [`Bearer ${TOKEN}`, `Basic ${base64(`anybody:${TOKEN}`)}`]) {
      expect(await (await ask(url, authorization)).text()).toBe("of the origin");
      expect(passed.map(({ headers }) => headers.get("authorization"))).toEqual([null]);
    }
    await ask(url, "Bearer of-somebody");
    expect(passed.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer of-somebody"]);
  });

  it("is led to the control routes where the slash at their end is missing", async () => {
    for (const host of ["git.test", "s3.test"]) {
      const { status, headers } = await ask(`https://${host}/-/forgefront?a=b`, `Bearer ${TOKEN}`);
      expect([status, headers.get("location"), passed.length]).toEqual([308, "/-/forgefront/?a=b", 0]);
    }
  });
});
