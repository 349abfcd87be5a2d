import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

const HANDSHAKE_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const SMALL_PAYLOAD_BYTES = 125;
const OPCODE = { text: 0x1, close: 0x8, ping: 0x9, pong: 0xa } as const;
const FIN = 0x80;
const MASKED = 0x80;

interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
  readonly byteLength: number;
}

/** Takes a connection over as a WebSocket (RFC 6455) that sends small text frames back and closes on anything it does not know. */
export function echoWebSocket(request: IncomingMessage, socket: Duplex, start: Buffer): void {
  const key = request.headers["sec-websocket-key"];
  if (key === undefined || request.headers.upgrade?.toLowerCase() !== "websocket") {
    socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    return;
  }
  const accept = createHash("sha1")
    .update(key + HANDSHAKE_GUID)
    .digest("base64");
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${accept}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  socket.on("error", () => socket.destroy());

  let unread = Buffer.from(start);
  const answerFrames = () => {
    for (let frame = readFrame(unread); frame !== undefined; frame = readFrame(unread)) {
      unread = unread.subarray(frame.byteLength);
      answer(socket, frame);
    }
  };
  socket.on("data", (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    answerFrames();
  });
  answerFrames();
}

function answer(socket: Duplex, frame: Frame): void {
  if (frame.opcode === OPCODE.text) socket.write(smallFrame(OPCODE.text, frame.payload));
  else if (frame.opcode === OPCODE.ping) socket.write(smallFrame(OPCODE.pong, frame.payload));
  else if (frame.opcode !== OPCODE.pong) socket.end(smallFrame(OPCODE.close, frame.payload));
}

/**
 * A client's frame, once it is there whole (RFC 6455 §5.2):
 *
 *   0  FIN, RSV, opcode
 *   1  MASK, payload length
 *   2  masking key, 4 bytes
 *   6  masked payload
 */
function readFrame(bytes: Buffer): Frame | undefined {
  const opcode = (bytes[0] ?? 0) & 0x0f;
  const length = (bytes[1] ?? 0) & ~MASKED;
  // A longer frame, or one without a mask, is answered with a close.
  if (bytes.length >= 2 && (length > SMALL_PAYLOAD_BYTES || !((bytes[1] ?? 0) & MASKED))) {
    return { opcode: OPCODE.close, payload: Buffer.from([0x03, 0xf1]), byteLength: bytes.length };
  }
  if (bytes.length < 6 + length) return undefined;
  const mask = bytes.subarray(2, 6);
  const payload = bytes.subarray(6, 6 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return { opcode, payload: Buffer.from(payload), byteLength: 6 + length };
}

function smallFrame(opcode: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([FIN | opcode, payload.length]), payload]);
}
