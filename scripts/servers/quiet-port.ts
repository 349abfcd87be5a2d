import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

const LOWEST = 15_000;
/** From here on the kernel takes ports for outgoing connections (`ip_local_port_range`). */
const EPHEMERAL = 32_768;
const TRIES = 50;

/**
 * A free port of 127.0.0.1 that no outgoing connection will take: most servers listen only seconds later, and one that the
 * kernel chose is too often gone by then.
 */
export async function quietPort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(LOWEST, EPHEMERAL);
    if (await isFree(port)) return port;
  }
  throw new Error(`Found no free port of 127.0.0.1 from ${LOWEST} to ${EPHEMERAL - 1}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch {
    return false;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}
