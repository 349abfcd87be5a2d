import { afterEach, describe, expect, it, vi } from "vitest";
import type { Site } from "../../src/core/site.ts";
import { passThrough } from "../../src/serve/pass-through.ts";
import { SITE } from "../origin/store-scene.ts";

const FORGE: Site = { kind: "gitlab", host: "git.example", origin: "http://origin.example" };

afterEach(() => vi.unstubAllGlobals());

/** The header fields that an origin is sent of a request, and what Cloudflare told of it. */
async function sent(
  site: Site,
  given: Record<string, string>,
  cf?: Record<string, string>,
): Promise<Headers> {
  const fetched: Headers[] = [];
  vi.stubGlobal("fetch", async (_request: Request, { headers }: RequestInit) => {
    fetched.push(new Headers(headers));
    return Promise.resolve(new Response("of the origin"));
  });
  const request = Object.assign(new Request("http://s3.example/b/k", { headers: given }), { cf });
  const address = (headers: Headers) => ({ url: "http://origin.example/b/k", headers });
  await passThrough({ site, request, address, onAnswer: () => undefined });
  return fetched[0] ?? new Headers();
}

describe("the codings that a client takes", () => {
  const cf = { clientAcceptEncoding: "gzip;q=1, zstd" };

  it("passThrough() does tell a store what the client said: it may be signed", async () => {
    expect((await sent(SITE, { "accept-encoding": "gzip" }, cf)).get("accept-encoding")).toBe(
      "gzip;q=1, zstd",
    );
    expect((await sent(SITE, { "accept-encoding": "br" })).get("accept-encoding")).toBe("br");
    expect((await sent(SITE, {})).get("accept-encoding")).toBeNull();
  });

  it("passThrough() does tell a forge what came", async () => {
    expect((await sent(FORGE, { "accept-encoding": "gzip" }, cf)).get("accept-encoding")).toBe("gzip");
  });
});

describe("what a client says of where it came from", () => {
  it.each([
    "X-Forwarded",
    "X-Forwarded-User",
    "X-Forwarded-Ssl",
    "X-Forwarded-Prefix",
    "X-Forwarded-Server",
    "X_Forwarded_Proto",
    "Forwarded",
    "X-Real-IP",
    "X_Real_IP",
    "Client-IP",
    "True-Client-IP",
    "X-Client-IP",
    "X-Cluster-Client-IP",
    "Client_IP",
    "X-Original-URL",
    "X-Original-Host",
    "X-Original-Forwarded-For",
    "X-Rewrite-URL",
    "X-WebAuth-User",
    "X-WEBAUTH-EMAIL",
  ])("passThrough() does not tell an origin %s", async (name) => {
    for (const site of [SITE, FORGE]) expect((await sent(site, { [name]: "forged" })).get(name)).toBeNull();
  });

  it.each(["X-Kept", "X-Forwardedness", "X-Client-IP-Hint", "X-Realm", "Forwarded-To", "X-Origin", "Via"])(
    "passThrough() does tell an origin %s",
    async (name) => expect((await sent(FORGE, { [name]: "kept" })).get(name)).toBe("kept"),
  );

  it("passThrough() does tell what it knows itself", async () => {
    const given = {
      "X-Forwarded-For": "192.0.2.1",
      X_Forwarded_Host: "evil",
      "CF-Connecting-IP": "192.0.2.9",
    };
    const headers = await sent(FORGE, given);
    const told = ["for", "host", "proto"].map((name) => headers.get(`x-forwarded-${name}`));
    expect([...told, headers.get("x_forwarded_host")]).toEqual(["192.0.2.9", "s3.example", "http", null]);
  });
});

describe("Cloudflare's own cache", () => {
  it.each([
    ["GET", "no-store"],
    ["HEAD", "no-store"],
    ["PUT", undefined],
    ["POST", undefined],
    ["DELETE", undefined],
  ])("passThrough() does keep it out of a %s, and tells a write nothing: %s", async (method, cache) => {
    const inits: RequestInit[] = [];
    vi.stubGlobal("fetch", async (_request: Request, init: RequestInit) => {
      inits.push(init);
      return Promise.resolve(new Response(null, { status: 204 }));
    });
    const request = new Request("http://s3.example/b/k", { method });
    const address = (headers: Headers) => ({ url: "http://origin.example/b/k", headers });
    await passThrough({ site: SITE, request, address, onAnswer: () => undefined });
    expect(inits[0]?.cache).toBe(cache);
  });
});
