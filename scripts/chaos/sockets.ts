import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";

/** So many connections stand at once before the next are begun. */
const BATCH = 500;
/** Files that a process has open beside its connections. */
const OTHER_FILES = 600;

/** workerd holds each connection twice. */
const FILES_EACH = 2;

/** How many connections a process may hold at once, ours and workerd's alike, by the limit on open files. */
export async function mostSockets(): Promise<number> {
  const limits = await readFile("/proc/self/limits", "utf8");
  const most = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  if (most === undefined) throw new Error("Cannot tell how many files may be open");
  return Math.floor((Number(most) - OTHER_FILES) / FILES_EACH);
}

/** Connections to a port of 127.0.0.1 that all stand when this returns. */
export async function openSockets(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const batch = Array.from({ length: Math.min(BATCH, count - sockets.length) }, () =>
      connect(port, "127.0.0.1"),
    );
    sockets.push(...batch);
    await Promise.all(batch.map((socket) => once(socket, "connect")));
  }
  return sockets;
}
