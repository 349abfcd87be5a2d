import { connect } from "node:net";

const LENGTH_BYTES = 4;

/**
 * What a Ceph daemon answers to a command on its admin socket: the command as JSON that ends
 * with a NUL byte, then the answer's length as a big-endian 32-bit number, then the answer.
 */
export async function askAdminSocket(path: string, command: string): Promise<unknown> {
  const socket = connect(path);
  socket.write(`${JSON.stringify({ prefix: command })}\0`);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const answer = Buffer.concat(chunks);
  if (answer.length < LENGTH_BYTES || answer.length - LENGTH_BYTES < answer.readUInt32BE(0))
    throw new Error(`The admin socket cut its answer to ${command} short`);
  return JSON.parse(answer.toString("utf8", LENGTH_BYTES));
}
