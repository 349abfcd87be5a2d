import { once } from "node:events";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PRIVATE_MARKER } from "../../scripts/demo/demo.ts";
import { startHarness, type Harness } from "./harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ bigFileBytes: 10_000 });
});
afterAll(() => harness.close());

type Answer = { readonly status: number; readonly type: string; readonly body: string };

/** Asks with the very bytes given (as Latin-1), which no HTTP client would send. */
async function ask(base: string, target: string): Promise<Answer> {
  const { hostname, port, host } = new URL(base);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(Buffer.from(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, "latin1"));
  const text = (await buffer(socket)).toString("latin1");
  const headEnd = text.indexOf("\r\n\r\n");
  const head = text.slice(0, headEnd);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]),
    type: /^content-type: (.*)$/im.exec(head)?.[1]?.trim() ?? "",
    body: text.slice(headEnd + 4),
  };
}

const RAW = "/demo/hello/-/raw/main";
const BRANCH = "/demo/hello/raw/branch/main";
const API = "/api/v4/projects/1/repository/files";

describe("hostile paths of claimed forms", () => {
  it.each([
    `${RAW}/docs/../README.md`,
    `${RAW}/docs/%2e%2e/README.md`,
    `${RAW}/docs/.%2E/README.md`,
    `${RAW}/./README.md`,
    `${RAW}/%2e/README.md`,
    `${RAW}/README.md/..`,
    `${RAW}/docs%2f..%2fREADME.md`,
    `${RAW}/docs/..%2f..%2fREADME.md`,
    `${RAW}/docs/..%5c..%5cREADME.md`,
    `${RAW}/docs\\..\\README.md`,
    `${RAW}/../../../../nested/secret/-/raw/main/config/private.txt`,
    `${RAW}/%2e%2e/%2e%2e/%2e%2e/%2e%2e/nested/secret/-/raw/main/config/private.txt`,
    "/demo/hello/../nested/secret/-/raw/main/config/private.txt",
    `${RAW}/README.md%00`,
    `${RAW}/README.md%00.txt`,
    `${RAW}/%00/README.md`,
    `${RAW}/README.md%0a`,
    `${RAW}/README.md%0d%0aX-Header:%20x`,
    `${RAW}/README.md%7f`,
    `${API}/%2e%2e%2fREADME.md/raw?ref=main`,
    `${API}/..%2F..%2FREADME.md/raw?ref=main`,
    `${API}/README.md%00/raw?ref=main`,
    `${API}/../files/README.md/raw?ref=main`,
    "/api/v4/projects/demo%2F..%2Fdemo%2Fhello/repository/files/README.md/raw?ref=main",
    "/api/v4/projects/demo%2Fhello%2F..%2Fnested%2Fsecret/repository/files/README.md/raw?ref=main",
  ])("%s is refused at GitLab", async (target) => {
    for (let time = 0; time < 2; time++) {
      const { status, type, body } = await ask(harness.gitlab, target);
      expect([status, type]).toEqual([400, "application/problem+json"]);
      expect(JSON.parse(body)).toMatchObject({ type: "urn:forgefront:problem:bad_path", status: 400 });
    }
  });

  it.each([
    `${BRANCH}/docs/../README.md`,
    `${BRANCH}/docs/%2e%2e/README.md`,
    `${BRANCH}/../../../../secret/raw/branch/main/config/private.txt`,
    `${BRANCH}/README.md%00`,
    `${BRANCH}/docs%2f..%2fREADME.md`,
    "/demo/hello/media/branch/main/%2e%2e/README.md",
    "/api/v1/repos/demo/hello/raw/docs/../README.md",
    "/api/v1/repos/demo/../demo/hello/raw/README.md",
  ])("%s is refused at Gitea", async (target) => {
    const { status, type } = await ask(harness.gitea, target);
    expect([status, type]).toEqual([400, "application/problem+json"]);
  });

  it.each([
    `${RAW}/${"a".repeat(10_000)}`,
    `${RAW}/${"a/".repeat(5000)}b`,
    `${RAW}/${"%C3%BC".repeat(2000)}`,
  ])("10 kB of path are too long: %s", async (target) => {
    const { status, type } = await ask(harness.gitlab, target);
    expect([status, type]).toEqual([414, "application/problem+json"]);
    const gitea = await ask(harness.gitea, target.replace(RAW, BRANCH));
    expect([gitea.status, gitea.type]).toEqual([414, "application/problem+json"]);
  });
});

describe("paths that have a reading, if an odd one", () => {
  it.each(
    [
      `${RAW}\\README.md`,
      `${RAW}%5cREADME.md`,
      `${RAW}/docs\\small.txt`,
      `${RAW}//README.md`,
      `${RAW}/docs//small.txt`,
      "/demo/hello/-/raw//main/README.md",
      "//demo/hello/-/raw/main/README.md",
      "/demo%2Fhello/-/raw/main/README.md",
      "/demo/hello/-/raw/main%2FREADME.md",
      `${RAW}/docs%2Fsmall.txt`,
      `${RAW}/%252e%252e/README.md`,
      `${RAW}/docs%252Fsmall.txt`,
      `${RAW}/README.md;.css`,
      `${RAW}/README.md%3F.css`,
      `${RAW}/README.md/x.css`,
      `${RAW}/readme.md`,
      `${RAW}/README.md%20`,
      `${RAW}/%ff%fe`,
      `${RAW}/README.md%ff`,
      `${RAW}/%c0%ae%c0%ae/README.md`,
      `${RAW}/%`,
      `${RAW}/%zz`,
      `${RAW}/%u002e`,
      `${RAW}/caf\xe9`,
      `${RAW}/\xc3\xbc`,
      `${RAW}/README.md\x01`,
      "/DEMO/hello/-/raw/main/README.md",
      "/demo/hello/-/RAW/main/README.md",
      "/demo/hello/-/raw/Main/README.md",
      "/users/../demo/hello/-/blob/main/README.md",
      "/users/%2e%2e/-/demo/gzip",
      "/x\\..\\-/demo/gzip",
      "/./-/demo/gzip",
      `/${"a".repeat(10_000)}`,
      `${RAW}/README.md?${"a".repeat(10_000)}`,
      `${API}/docs/small.txt/raw?ref=main`,
      `${API}/%2Fdocs%2Fsmall.txt/raw?ref=main`,
      `${API}/docs%2F%2Fsmall.txt/raw?ref=main`,
      `${API}/docs%5Csmall.txt/raw?ref=main`,
      `${API}/README.md/raw?ref=main%00`,
      `${API}/README.md/raw?ref=../../main`,
      `${API}/README.md/raw?ref=main..main`,
      `${API}/README.md/raw?ref=main%0Aref-prefix+refs`,
    ].map((target) => [target.slice(0, 60), target] as const),
  )("%s does get the origin's answer or a refusal, never another file", async (_, target) => {
    const origin = await ask(harness.demo.gitlab.url, target);
    for (let time = 0; time < 2; time++) {
      const edge = await ask(harness.gitlab, target);
      expect(edge.status).toBeLessThan(500);
      expect(edge.body).not.toContain(PRIVATE_MARKER);
      if (edge.status < 400) expect([edge.status, edge.body]).toEqual([origin.status, origin.body]);
      else expect(origin.status).not.toBe(200);
    }
  });

  it("a plain path is still what it was, after all of them", async () => {
    for (const target of [`${RAW}/README.md`, `${RAW}/docs/small.txt`]) {
      const edge = await ask(harness.gitlab, target);
      expect(edge.status).toBe(200);
      expect(edge.body).toBe((await ask(harness.demo.gitlab.url, target)).body);
    }
  });
});
