import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** What becomes of connections on their way to a server. */
export type Passage =
  /** They come through. */
  | { readonly kind: "open" }
  /** None is taken. */
  | { readonly kind: "closed" }
  /** They are taken, and nothing is ever said. */
  | { readonly kind: "silent" }
  /** They end after so many bytes of the server's. */
  | { readonly kind: "cut"; readonly afterBytes: number }
  /** What the server says after so many bytes is held back until the passage is another one. */
  | { readonly kind: "held"; readonly afterBytes: number };

/** A way to a server of 127.0.0.1 that a test can close. */
export type Way = {
  readonly port: number;
  /** How many connections were taken. */
  readonly taken: number;
  /** Ends what is under way, unless it was only held. */
  set(passage: Passage): Promise<void>;
  close(): Promise<void>;
};

export async function startWay(to: number): Promise<Way> {
  const sockets = new Set<Socket>();
  const held = new Set<() => void>();
  const state: { passage: Passage; taken: number } = { passage: { kind: "open" }, taken: 0 };

  const server = createServer((client) => {
    state.taken += 1;
    keep(sockets, client);
    if (state.passage.kind === "silent") return;
    const upstream = connect(to, "127.0.0.1");
    keep(sockets, upstream);
    client.pipe(upstream);
    let bytes = 0;
    upstream.on("data", (piece: Buffer) => {
      bytes += piece.length;
      const { passage } = state;
      const isLate = "afterBytes" in passage && bytes > passage.afterBytes;
      if (isLate && passage.kind === "cut") client.destroy();
      else if (isLate) held.add(() => void client.write(piece));
      else client.write(piece);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on("close", () => other.destroy());
  });
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const port = await listen(server, 0);
  return {
    port,
    get taken() {
      return state.taken;
    },
    async set(passage) {
      const before = state.passage;
      state.passage = passage;
      if (before.kind === "held") for (const release of held) release();
      else endAll();
      held.clear();
      if (passage.kind === "closed") await stop(server);
      else if (!server.listening) await listen(server, port);
    },
    async close() {
      endAll();
      await stop(server);
    },
  };
}

function keep(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
  socket.on("error", () => {}); // its end is told by "close"
}

async function listen(server: Server, port: number): Promise<number> {
  await once(server.listen(port, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

async function stop(server: Server): Promise<void> {
  if (server.listening) await new Promise((resolve) => server.close(resolve));
}
