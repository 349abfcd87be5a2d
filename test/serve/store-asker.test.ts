import { describe, expect, it } from "vitest";
import type { StoreSite } from "../../src/core/site.ts";
import { sigv4 } from "../../src/origin/sigv4.ts";
import type { Ports } from "../../src/serve/ports.ts";
import { readStoreAsker } from "../../src/serve/store-asker.ts";
import { prepare, type Asking } from "../edge/s3-client.ts";
import { ACCESS_KEY, NOW, SECRET, SITE } from "../origin/store-scene.ts";

const KEY = { id: ACCESS_KEY, secret: SECRET };
const HOST = "s3.example";
const PORTS = {
  config: { storeKeys: new Map([[ACCESS_KEY, SECRET]]) },
  signer: sigv4(),
  now: () => NOW,
} as unknown as Ports;

/** Who asks, where the header field says another thing than the client did, as on Cloudflare. */
function whoAsks(auth: StoreSite["auth"], asking: Partial<Asking>, arrived?: string) {
  const { method, headers } = prepare({ path: "/b/k", as: KEY, region: SITE.region, ...asking }, HOST, NOW);
  const own = headers["accept-encoding"] ?? null;
  const all = new Headers(headers);
  if (arrived !== undefined) all.set("accept-encoding", arrived);
  const request = { method, host: HOST, path: "/b/k", search: "", headers: all, acceptEncoding: () => own };
  return readStoreAsker(PORTS, { ...SITE, auth }, request);
}

const signing = (coding: string): Partial<Asking> => ({ headers: { "accept-encoding": coding } });
const unsigned = (coding: string): Partial<Asking> => ({ ...signing(coding), unsigned: ["accept-encoding"] });

describe("a signature over Accept-Encoding", () => {
  it.each([
    ["gzip", undefined],
    ["gzip", "gzip, br"],
    ["identity", "gzip"],
    ["", "gzip"],
  ])("readStoreAsker() does verify it over %j, though %j came", (coding, arrived) => {
    expect(whoAsks("edge", signing(coding), arrived)).toMatchObject({ kind: "key", accessKey: ACCESS_KEY });
  });

  it("readStoreAsker() does find it wrong over what the client did not say", () => {
    const change: Asking["change"] = (sent) => ({
      ...sent,
      headers: { ...sent.headers, "accept-encoding": "br" },
    });
    const problem = { kind: "refused", problem: "signature_mismatch" };
    expect(whoAsks("edge", { ...signing("gzip"), change }, "gzip")).toEqual(problem);
  });

  it.each(["rgw", "probe"] as const)(
    "readStoreAsker() does leave it to the origin unless it is what the origin is asked with (%s)",
    (auth) => {
      for (const coding of ["gzip", "", "identity, gzip"])
        expect([coding, whoAsks(auth, signing(coding)).kind]).toEqual([coding, "foreign"]);
      expect(whoAsks(auth, signing("gzip"), "identity").kind).toBe("foreign");
      expect(whoAsks(auth, unsigned("gzip")).kind).toBe("signed");
      for (const arrived of [undefined, "gzip"]) {
        const who = whoAsks(auth, signing("identity"), arrived);
        expect(who).toMatchObject({
          kind: "signed",
          principal: { request: { headers: expect.arrayContaining([["accept-encoding", "identity"]]) } },
        });
      }
    },
  );
});
