/** Why a body is not in the coding it says it is in. */
export type ChunkedFault = "header" | "oversized" | "line_end" | "trailer" | "excess" | "truncated";

/** What stands in a signed aws-chunked body, in the order it stands there; nothing follows `malformed`. */
export type ChunkedPart =
  /** `sizeText` is the size as it was spelled: uppercase or padded, it goes on as it came. */
  | { readonly kind: "chunk"; readonly size: number; readonly sizeText: string; readonly signature: string }
  /** A view into the piece it came in. */
  | { readonly kind: "data"; readonly bytes: Uint8Array }
  /** All bytes of the chunk were given; said at once of the last one, which has none. */
  | { readonly kind: "whole" }
  /** `lines` as they stand there, `canonical` as they are signed: `name:value\n` each. */
  | {
      readonly kind: "trailer";
      readonly lines: string;
      readonly canonical: string;
      readonly signature: string;
    }
  | { readonly kind: "malformed"; readonly fault: ChunkedFault };

/** Reads a body that comes in pieces. */
export type AwsChunkedReader = {
  push(piece: Uint8Array): readonly ChunkedPart[];
  /** What is wrong with the body if it ends here. */
  end(): ChunkedFault | undefined;
};

/** The most a chunk may hold, as it is held until its signature is known to be right. SDKs send 64 to 128 KiB. */
export const MOST_CHUNK_BYTES = 8 * 1024 * 1024;

/**
 * ```text
 * size               1 to 8 hex digits; 0 in the last chunk
 * ;chunk-signature=
 * signature          64 lowercase hex digits
 * CRLF
 * data               size bytes
 * CRLF               the last chunk has this or a trailer
 * ```
 */
const HEADER = /^([0-9A-Fa-f]{1,8});chunk-signature=([0-9a-f]{64})\r\n$/;

/**
 * ```text
 * name:value CRLF           any number of them; minio-go puts a LF before the CRLF
 * x-amz-trailer-signature:
 * signature CRLF            64 lowercase hex digits
 * CRLF
 * ```
 */
const TRAILER =
  /^((?:(?!x-amz-trailer-signature:)[a-z0-9-]+:[!-~]+(?: [!-~]+)*\n?\r\n)*)x-amz-trailer-signature:([0-9a-f]{64})\r\n\r\n$/;

/** Framing is read up to its `end`, and is at fault where that does not come within `mostBytes`. */
const FRAMINGS = {
  header: { end: "\n", mostBytes: 128, fault: "header" },
  lineEnd: { end: "\n", mostBytes: 2, fault: "line_end" },
  lastLineEnd: { end: "\n", mostBytes: 2, fault: "line_end" },
  trailer: { end: "\r\n\r\n", mostBytes: 4096, fault: "trailer" },
} as const satisfies Record<string, { end: string; mostBytes: number; fault: ChunkedFault }>;

const LF = 0x0a; // every framing ends with it

type Framing = keyof typeof FRAMINGS;

/**
 * Reads the framing of `STREAMING-AWS4-HMAC-SHA256-PAYLOAD`, or with `hasTrailer` of `...-PAYLOAD-TRAILER` (Amazon S3 API
 * Reference: Signature Calculations, "Transferring Payload in Multiple Chunks" and "Including Trailing Headers").
 *
 * Pieces may be cut anywhere. No data is kept, and of the framing no more than one line or trailer. Names of trailers
 * are lowercase and nothing is padded with blanks, so what is signed is what stands there. Whether a signature is right
 * is for the caller to find out.
 */
export function awsChunkedReader(hasTrailer: boolean): AwsChunkedReader {
  let awaited: Framing | "data" | "nothing" = "header";
  let text = "";
  let dataLeft = 0;
  let fault: ChunkedFault | undefined;

  const follow = (framing: Framing, part: ChunkedPart | undefined): void => {
    text = "";
    if (part?.kind === "malformed") fault = part.fault;
    if (part?.kind === "chunk") dataLeft = part.size;
    if (framing === "lineEnd") awaited = "header";
    else if (framing !== "header") awaited = "nothing";
    else if (dataLeft > 0) awaited = "data";
    else awaited = hasTrailer ? "trailer" : "lastLineEnd";
  };

  const takeFraming = (framing: Framing, piece: Uint8Array, parts: ChunkedPart[]): number => {
    const { end, mostBytes } = FRAMINGS[framing];
    const room = piece.subarray(0, mostBytes - text.length);
    const bytes = room.subarray(0, room.indexOf(LF) + 1 || room.byteLength);
    text += String.fromCharCode(...bytes);
    if (text.length < mostBytes && !text.endsWith(end)) return bytes.byteLength;
    const part = readFraming(framing, text);
    follow(framing, part);
    if (part !== undefined) parts.push(part);
    if (part?.kind === "chunk" && part.size === 0) parts.push({ kind: "whole" });
    return bytes.byteLength;
  };

  const takeData = (piece: Uint8Array, parts: ChunkedPart[]): number => {
    const bytes = piece.subarray(0, dataLeft);
    dataLeft -= bytes.byteLength;
    parts.push({ kind: "data", bytes });
    if (dataLeft === 0) {
      parts.push({ kind: "whole" });
      awaited = "lineEnd";
    }
    return bytes.byteLength;
  };

  return {
    push(piece) {
      const parts: ChunkedPart[] = [];
      let rest = piece;
      while (rest.byteLength > 0 && fault === undefined) {
        if (awaited === "nothing") {
          fault = "excess";
          parts.push({ kind: "malformed", fault });
        } else if (awaited === "data") rest = rest.subarray(takeData(rest, parts));
        else rest = rest.subarray(takeFraming(awaited, rest, parts));
      }
      return parts;
    },
    end: () => fault ?? (awaited === "nothing" ? undefined : "truncated"),
  };
}

function readFraming(framing: Framing, text: string): ChunkedPart | undefined {
  if (framing === "header") return readHeader(text);
  if (framing === "trailer") return readTrailer(text);
  return text === "\r\n" ? undefined : { kind: "malformed", fault: FRAMINGS[framing].fault };
}

function readHeader(line: string): ChunkedPart {
  const [, sizeText, signature = ""] = HEADER.exec(line) ?? [];
  if (sizeText === undefined) return { kind: "malformed", fault: FRAMINGS.header.fault };
  const size = Number.parseInt(sizeText, 16);
  if (size > MOST_CHUNK_BYTES) return { kind: "malformed", fault: "oversized" };
  return { kind: "chunk", size, sizeText, signature };
}

function readTrailer(text: string): ChunkedPart {
  const [, lines, signature = ""] = TRAILER.exec(text) ?? [];
  if (lines === undefined) return { kind: "malformed", fault: FRAMINGS.trailer.fault };
  return { kind: "trailer", lines, canonical: lines.replaceAll(/\n?\r\n/g, "\n"), signature };
}
