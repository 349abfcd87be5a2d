import { execFile } from "node:child_process";
import { createServer, request, type Server } from "node:http";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cephRgwLacks, startCephRgw, type CephRgw } from "../../scripts/servers/ceph-rgw.ts";
import { quietPort } from "../../scripts/servers/quiet-port.ts";
import { pythonEnvironment, pythonLacks } from "../clients/python.ts";
import { ALICE } from "../clients/place.ts";
import { prepare, send, type Asking } from "../edge/s3-client.ts";
import { describeWith } from "../servers/presence.ts";
import { startEdge } from "../edge/start-edge.ts";
import { TEST_WORKER } from "../worker/bundled.ts";
import { blocksOf, readPage } from "./operating-page.ts";

const BUCKET = "told";
const KEY = { id: ALICE.accessKey, secret: ALICE.secretKey };
/** It has whatever has to be escaped in an address. */
const WEBHOOK_SECRET = "a secret:of/the@tests 100%";

const lacks = (await cephRgwLacks()) ?? (await pythonLacks());

describeWith("Ceph RGW and boto3", lacks)("the notification of the page, with Ceph RGW", () => {
  const scope = new AsyncDisposableStack();
  let rgw: CephRgw;
  let edgePort: number;
  let proxyPort: number;

  beforeAll(async () => {
    rgw = scope.adopt(await startCephRgw({ users: [ALICE] }), (started) => started.close());
    proxyPort = await startProxy(scope, rgw.port);
    edgePort = await quietPort();
    const site = { host: `127.0.0.1:${edgePort}`, kind: "s3", origin: rgw.url, auth: "edge" };
    const vars = {
      KEY_SECRET: "a secret of the tests",
      WEBHOOK_SECRET,
      OBJECT_FRESH_S: 3600,
      S3_KEYS: { [KEY.id]: KEY.secret },
      SITES: [site],
    };
    const edge = await startEdge({ ...TEST_WORKER, ports: [edgePort], vars });
    scope.defer(() => edge.close());
  });
  afterAll(() => scope.disposeAsync());

  const ask = async (port: number, asking: Asking) => {
    const answer = await send(prepare({ as: KEY, ...asking }, `127.0.0.1:${port}`, Date.now()), { port });
    expect([asking, answer.status]).toEqual([asking, 200]);
    return answer.body.toString();
  };
  const write = async (key: string, body: string) =>
    await ask(rgw.port, { method: "PUT", path: `/${BUCKET}/${key}`, body });
  const read = async (key: string) => await ask(edgePort, { path: `/${BUCKET}/${key}` });

  test("makes what is written past the edge be read at once", async () => {
    await ask(rgw.port, { method: "PUT", path: `/${BUCKET}` });
    await write("file", "old");
    expect(await read("file")).toBe("old");
    await write("file", "untold");
    expect(await read("file")).toBe("old");

    const scripts = blocksOf(await readPage()).filter(({ language }) => language === "python");
    expect(scripts).toHaveLength(1);
    const env = {
      ...(await pythonEnvironment()),
      RGW: `http://127.0.0.1:${proxyPort}`,
      EDGE: `http://127.0.0.1:${edgePort}`,
      ACCESS_KEY: KEY.id,
      SECRET_KEY: KEY.secret,
      WEBHOOK_SECRET,
      BUCKET,
    };
    await promisify(execFile)("python3", ["-c", scripts[0]?.text ?? ""], { env });

    await write("file", "told");
    expect(await read("file")).toBe("told");
  }, 60_000);
});

/** A proxy that says of what comes that it came over TLS, as one before an RGW would. */
async function startProxy(scope: AsyncDisposableStack, to: number): Promise<number> {
  const port = await quietPort();
  const server: Server = createServer((incoming, response) => {
    const headers = { ...incoming.headers, "x-forwarded-proto": "https" };
    const outgoing = request(
      { host: "127.0.0.1", port: to, method: incoming.method, path: incoming.url, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    outgoing.on("error", () => response.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve, reject) =>
    server.once("error", reject).listen(port, "127.0.0.1", resolve),
  );
  scope.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return port;
}
