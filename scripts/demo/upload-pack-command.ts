import type { IncomingMessage } from "node:http";
import { constants, gunzipSync } from "node:zlib";

const COMMAND_LINE = /^[0-9a-f]{4}command=([a-z-]+)/;

/** The protocol v2 command of a git-upload-pack body (`ls-refs`, `fetch`), read from its first bytes, which stay unread. */
export async function peekCommand(request: IncomingMessage): Promise<string | undefined> {
  const start = await peek(request);
  const gzipped = /gzip/.test(request.headers["content-encoding"] ?? "");
  return COMMAND_LINE.exec((gzipped ? inflateStart(start) : start).toString("latin1"))?.[1];
}

/** The first chunk is enough, and more could not be had: a body read to its end cannot be put back. */
function peek(request: IncomingMessage): Promise<Buffer> {
  return new Promise((answer) => {
    const settle = () => {
      request.off("readable", settle).off("end", settle).off("close", settle);
      const start = request.read() as Buffer | null;
      if (start !== null) request.unshift(start);
      answer(start ?? Buffer.alloc(0));
    };
    request.on("readable", settle).on("end", settle).on("close", settle);
  });
}

function inflateStart(start: Buffer): Buffer {
  try {
    return gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return Buffer.alloc(0);
  }
}
