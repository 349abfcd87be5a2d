import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { attackOf, HOSTILE_REPORT } from "./hostile-report.ts";

export type CarelessForge = {
  readonly url: string;
  /** The attacks that have reached it with the cookie. */
  readonly arrived: ReadonlySet<string>;
  close(): Promise<void>;
};

/** A forge that gives out the hostile report as pages of its own, to those with a session as to others. */
export async function startCareless(): Promise<CarelessForge> {
  const arrived = new Set<string>();
  const server = createServer(({ url = "", headers }, response) => {
    const path = url.slice(1).replace(/\?.*/, "");
    const by = attackOf(url);
    if (by !== undefined && headers.cookie === "_gitlab_session=session-reader") arrived.add(by);
    const type = path.endsWith(".html") ? "text/html" : "text/javascript";
    // What is posted leaves the page where it is
    response.writeHead(by?.startsWith("posted") === true ? 204 : 200, { "Content-Type": type });
    response.end(HOSTILE_REPORT[path]);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return { url, arrived, close };
}
