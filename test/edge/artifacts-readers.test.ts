import { setTimeout as sleep } from "node:timers/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  askAs,
  ASKERS_VARS,
  buildMarked,
  DEVELOPER_OF,
  expectNothingTold,
  expectServed,
  faultsOf,
  formsOf,
  LARGE,
  MARKER,
  READER_OF,
  SMALL,
} from "./artifact-askers.ts";
import { HELLO, PRIVATE_PROJECT, startArtifactScene, text, type ArtifactScene } from "./artifact-scene.ts";
import { WEB_AND_API } from "./principals.ts";
import { holdBack } from "./s3-answers.ts";

let scene: ArtifactScene;
beforeAll(async () => {
  scene = await startArtifactScene({ vars: ASKERS_VARS });
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.harness.close());

const reader = { headers: READER_OF.api };
const developer = { headers: DEVELOPER_OF.api };
const stranger = { headers: { "PRIVATE-TOKEN": "glpat-other" } };
const HUGE = text(400_000);

/** Tells for whom the forge is asked, and lets all pass that `hold` does not take. */
function watch(
  hold: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): string[] {
  const seen: string[] = [];
  scene.gitlab.intercept = (request, response) => {
    seen.push(String(request.headers["private-token"] ?? "nobody"));
    return hold(request, response);
  };
  return seen;
}

describe("several who read one archive", () => {
  it("each by their own credential, even where another was there before", async () => {
    const { api } = scene.build(
      [
        { name: "huge.bin", content: HUGE },
        { name: "other.txt", content: HUGE, method: 8 },
      ],
      {
        project: PRIVATE_PROJECT,
      },
    );
    for (const name of ["huge.bin", "other.txt"]) {
      const path = api.entry(name);
      const part = await askAs(scene, reader, path, { headers: { range: "bytes=0-9" } });
      expect([part.status, part.body.equals(HUGE.subarray(0, 10))]).toEqual([206, true]);
      await scene.settle();
      scene.gitlab.revokeToken("glpat-reader");
      await scene.harness.world({ cache: "failing" });
      const seen = watch();
      const whole = await askAs(scene, developer, path);
      expect([whole.status, whole.whole, whole.body.equals(HUGE)]).toEqual([200, true, true]);
      expect(new Set(seen)).toEqual(new Set(["glpat-developer"]));
      scene.gitlab.intercept = undefined;
      scene.gitlab.restoreToken("glpat-reader");
      await scene.harness.world({ cache: "ok" });
      await scene.harness.newIsolate();
    }
  });

  it("one who is refused meanwhile takes nobody along", async () => {
    const { api } = buildMarked(scene, { project: PRIVATE_PROJECT });
    const path = api.entry(SMALL);
    const arrived = Promise.withResolvers<void>();
    watch((request, response) => {
      const isRead =
        request.headers.range !== "bytes=0-0" && request.headers["private-token"] === "glpat-reader";
      if (!isRead) return false;
      arrived.resolve();
      void sleep(300).then(() => response.writeHead(404, { "content-type": "application/json" }).end("{}"));
      return true;
    });
    const first = askAs(scene, reader, path);
    await arrived.promise;
    const second = askAs(scene, developer, path);
    expect((await first).status).toBe(404);
    expectServed(await second);
  });

  it.each(WEB_AND_API)(
    "%s: a stranger gets nothing while an archive is on its way to a reader",
    async (channel) => {
      const built = scene.build(
        [
          { name: SMALL, content: MARKER },
          { name: LARGE, content: HUGE },
        ],
        {
          project: PRIVATE_PROJECT,
        },
      );
      const held = Promise.withResolvers<() => void>();
      let isHeld = false;
      scene.gitlab.intercept = ({ headers }, response) => {
        if (headers.range === "bytes=0-0" || isHeld) return false;
        isHeld = true;
        held.resolve(holdBack(response));
        return false;
      };
      const reading = askAs(scene, { headers: READER_OF[channel] }, built[channel].entry(LARGE));
      const release = await held.promise;
      for (const path of Object.values(formsOf(built, channel)))
        expectNothingTold(await askAs(scene, stranger, path));
      release();
      const { status, body } = await reading;
      expect([status, body.equals(HUGE)]).toEqual([200, true]);
      expect(
        await faultsOf(scene, { name: "stranger", ...stranger }, { built, channel, isServed: false }),
      ).toEqual([]);
    },
  );
});

describe("what not everyone may read", () => {
  it.each(WEB_AND_API)(
    "%s: is not given to other sites of the web, nor kept by shared caches",
    async (channel) => {
      for (const more of [{ project: PRIVATE_PROJECT }, { project: HELLO, access: "developer" }] as const) {
        const built = buildMarked(scene, more);
        for (const [form, path] of Object.entries(formsOf(built, channel))) {
          const { headers, status } = await askAs(scene, { headers: DEVELOPER_OF[channel] }, path);
          const told = [
            form,
            status,
            headers["access-control-allow-origin"],
            headers["cross-origin-resource-policy"] ?? "same-origin",
          ];
          const isMoved = channel === "web" && form.startsWith("latest");
          expect(told).toEqual([form, isMoved ? 302 : 200, undefined, "same-origin"]);
          expect([form, headers["cache-control"]]).toEqual([
            form,
            expect.stringMatching(/^(?:private|no-store)/),
          ]);
        }
      }
    },
  );

  it("is what a report's own pages may use where everyone may read it", async () => {
    const { web } = buildMarked(scene, { project: HELLO });
    for (let time = 0; time < 2; time++) {
      const { headers } = await scene.get(web.entry(SMALL));
      expect(headers["cross-origin-resource-policy"]).toBe("cross-origin");
      expect(headers["access-control-allow-origin"]).toBe("*");
      expect(headers["cache-control"]).toMatch(/^public/);
    }
  });

  it("loses that with the last of those who are nobody", async () => {
    const { job, web } = buildMarked(scene, { project: HELLO });
    expect((await scene.get(web.entry(SMALL))).headers["cache-control"]).toMatch(/^public/);
    scene.gitlab.jobs.setArtifactAccess(job.id, "developer");
    await scene.advance(30_000);
    expectNothingTold(await scene.get(web.entry(SMALL)));
    const { headers } = await askAs(scene, { headers: DEVELOPER_OF.web }, web.entry(SMALL));
    expect(headers["cache-control"]).toMatch(/^private/);
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("a redirect that is no address of an object storage", () => {
  /** What stands before a forge may send those whom it does not know to sign in elsewhere. */
  const REDIRECTS = {
    "a sign-in page elsewhere": "/login?next=%2F",
    "a signed request to sign in (SAML)": "/sso?SAMLRequest=fZJ&SigAlg=rsa-sha256&Signature=c2lnbmF0dXJl",
    "a signed request to sign in (SSO)": "/session/sso_provider?sso=bm9uY2U&sig=0123456789abcdef",
    "a sign-in page elsewhere, with a state": "/authorize?client_id=forge&state=c2lnbmF0dXJl&nonce=1",
  } as const;

  it.each(Object.entries(REDIRECTS))("is no yes: %s", async (_name, target) => {
    const sso = createServer((_request, response) => {
      response.writeHead(200, {
        "content-type": "text/html",
        "last-modified": "Mon, 05 Jan 2026 09:00:00 GMT",
      });
      response.end("<html>Sign in, please</html>");
    });
    sso.listen(0, "127.0.0.1");
    await once(sso, "listening");
    try {
      const location = `http://127.0.0.1:${(sso.address() as AddressInfo).port}${target}`;
      const built = buildMarked(scene, { project: PRIVATE_PROJECT });
      scene.gitlab.intercept = (request, response) => {
        if (request.headers["private-token"] !== undefined) return false;
        response.writeHead(302, { location }).end();
        return true;
      };
      const isServed = async () => {
        for (const path of Object.values(formsOf(built, "api"))) {
          const answer = await scene.get(path);
          expect(JSON.stringify(answer.headers) + answer.body.toString("latin1")).not.toContain(MARKER);
          expect(answer.status).not.toBe(200);
        }
      };
      await isServed();
      expect(
        await faultsOf(scene, { name: "reader", ...reader }, { built, channel: "api", isServed: true }),
      ).toEqual([]);
      await isServed();
    } finally {
      sso.close();
      sso.closeAllConnections();
    }
  });
});
