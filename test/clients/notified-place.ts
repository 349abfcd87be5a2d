import { createServer, type IncomingHttpHeaders } from "node:http";
import { startCephRgw } from "../../scripts/servers/ceph-rgw.ts";
import { quietPort } from "../../scripts/servers/quiet-port.ts";
import { prepare, send, type Answer, type Asking } from "../edge/s3-client.ts";
import { ALICE } from "./place.ts";
import { startEdge } from "../edge/start-edge.ts";
import { TEST_WORKER } from "../worker/bundled.ts";

/** It has whatever has to be escaped in an address. */
export const SECRET = "a secret:of the/tests@100%+é";
export const OBJECT_FRESH_S = 3600;

const HOOKS = "/-/forgefront/hooks";
const KEY = { id: ALICE.accessKey, secret: ALICE.secretKey };

/** What came to an address that RGW notifies, before it had its answer. */
export type Notified = {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** A listener that has the password, and answers as it is told, once it has looked around. */
export type Listener = {
  readonly url: string;
  readonly heard: Notified[];
  /** What is done before each answer, whose status it gives. */
  answer: (notified: Notified) => Promise<number> | number;
  close(): Promise<void>;
};

/** A Ceph RGW that sends notifications, and the Worker before it, which believes an object for an hour. */
export type NotifiedPlace = {
  /** Where the edge takes events, for who has this password. */
  hooks(password: string): string;
  listener: Listener;
  /** Asks the edge, as Alice; isolates are of one colo. */
  ask(asking: Asking, isolate?: string): Promise<Answer>;
  /** Asks RGW itself, as Alice. */
  behind(asking: Asking): Promise<Answer>;
  /** How many requests RGW has had since the start. */
  requests(): Promise<number>;
  /** Asks for a topic whose notifications go to an address; `isSecure` says that this came over TLS to a proxy. */
  createTopic(name: string, endpoint: string, isSecure: boolean): Promise<Answer>;
  /** Creates a bucket; whatever is written or removed there is told to an address. */
  createBucket(name: string, endpoint?: string): Promise<void>;
  close(): Promise<void>;
};

export async function startNotifiedPlace(): Promise<NotifiedPlace> {
  await using begun = new AsyncDisposableStack();
  const rgw = begun.adopt(await startCephRgw({ users: [ALICE] }), (each) => each.close());
  const listener = begun.adopt(await startListener(), (each) => each.close());
  const port = await quietPort();
  const host = `127.0.0.1:${port}`;
  const vars = {
    KEY_SECRET: "a secret of the tests",
    WEBHOOK_SECRET: SECRET,
    OBJECT_FRESH_S,
    S3_KEYS: { [KEY.id]: KEY.secret },
    SITES: [{ host, kind: "s3", origin: rgw.url, auth: "edge" }],
  };
  const edge = await startEdge({ ...TEST_WORKER, ports: [port], vars });
  begun.adopt(edge, (each) => each.close());
  const owned = begun.move();
  const behind = async (asking: Asking) =>
    await send(prepare({ as: KEY, ...asking }, `127.0.0.1:${rgw.port}`, Date.now()), { port: rgw.port });
  const createTopic: NotifiedPlace["createTopic"] = async (name, endpoint, isSecure) =>
    await behind(topicAsking(name, endpoint, isSecure));
  return {
    hooks: (password) => `http://${userOf(password)}@${host}${HOOKS}`,
    listener,
    ask: async (asking, isolate) => {
      const named = isolate === undefined ? {} : { "x-test-isolate": isolate };
      const headers = { ...asking.headers, ...named };
      return await send(prepare({ as: KEY, ...asking, headers }, host, Date.now()), { port });
    },
    behind,
    requests: async () => (await rgw.operations())["req"] ?? 0,
    createTopic,
    async createBucket(name, endpoint) {
      insist(await behind({ method: "PUT", path: `/${name}` }));
      if (endpoint === undefined) return;
      insist(await createTopic(name, endpoint, true));
      insist(await behind(notificationAsking(name)));
    },
    close: () => owned.disposeAsync(),
  };
}

function userOf(password: string): string {
  return `user:${encodeURIComponent(password)}`;
}

function insist({ status, body }: Answer): void {
  if (status !== 200) throw new Error(`Ceph RGW answered ${status} ${body.toString()}`);
}

/** SNS: "CreateTopic", with the attributes that Ceph documents ("Bucket Notifications", "Create a Topic"). */
function topicAsking(name: string, endpoint: string, isSecure: boolean): Asking {
  const attributes = Object.entries({ "push-endpoint": endpoint, persistent: "false", cloudevents: "false" });
  const form = new URLSearchParams({ Action: "CreateTopic", Name: name });
  for (const [index, [attribute, value]] of attributes.entries()) {
    form.set(`Attributes.entry.${index + 1}.key`, attribute);
    form.set(`Attributes.entry.${index + 1}.value`, value);
  }
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    ...(isSecure && { "x-forwarded-proto": "https" }),
  };
  return { method: "POST", path: "/", body: form.toString(), headers, service: "sns" };
}

/** S3: "PutBucketNotificationConfiguration", of the topic that has the bucket's name. */
function notificationAsking(bucket: string): Asking {
  const events = ["s3:ObjectCreated:*", "s3:ObjectRemoved:*"].map((event) => `<Event>${event}</Event>`);
  const told = `<Id>${bucket}</Id><Topic>arn:aws:sns:default::${bucket}</Topic>${events.join("")}`;
  const body = `<NotificationConfiguration><TopicConfiguration>${told}</TopicConfiguration></NotificationConfiguration>`;
  return { method: "PUT", path: `/${bucket}`, query: "notification=", body };
}

async function startListener(): Promise<Listener> {
  const port = await quietPort();
  const server = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat(await request.toArray()).toString();
      const notified = { method: request.method ?? "", headers: request.headers, body };
      listener.heard.push(notified);
      response.writeHead(await listener.answer(notified)).end();
    })();
  });
  await new Promise<void>((resolve, reject) =>
    server.once("error", reject).listen(port, "127.0.0.1", resolve),
  );
  const listener: Listener = {
    url: `http://${userOf(SECRET)}@127.0.0.1:${port}/any`,
    heard: [],
    answer: () => 200,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return listener;
}
