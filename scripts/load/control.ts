import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Changes } from "./changes.ts";

/** Where k6 has the origins changed, and reads what was: on loopback, for the length of a run. */
export type Control = { readonly url: string; close(): Promise<void> };

/** Longer than a client keeps an idle connection, so that none is closed under a request on its way. */
const KEEP_ALIVE_MS = 75_000;

/**
 * `POST /push?file=&told=`, `POST /withdraw?fact=`, `POST /pipeline?project=` make a change, and answer once it is made;
 * `GET /right` picks a right that could be withdrawn, and `GET /journal?from=` gives the changes from that one on, as JSON.
 */
export async function startControl(changes: Changes): Promise<Control> {
  const server = createServer((request, response) => {
    answer(changes, request, response).catch((error: unknown) => {
      console.error(error);
      response.writeHead(500).end(String(error));
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(changes: Changes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://control");
  const number = (name: string) => Number(searchParams.get(name) ?? Number.NaN);
  switch (`${request.method} ${pathname}`) {
    case "GET /journal":
      response.end(JSON.stringify(changes.journal.slice(number("from"))));
      return;
    case "GET /right":
      response.end(JSON.stringify(changes.choose()));
      return;
    case "POST /push":
      await changes.push(number("file"), searchParams.get("told") === "true");
      break;
    case "POST /withdraw":
      changes.withdraw(searchParams.get("fact") ?? "");
      break;
    case "POST /pipeline":
      changes.changePipeline(number("project"));
      break;
    default:
      response.writeHead(404);
  }
  response.end();
}
