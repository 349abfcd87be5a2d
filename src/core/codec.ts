/** How a member of an archive is unpacked and checked; bound to what the platform does natively. */
export interface Codec {
  /** CRC-32 of more bytes, given that of those before; 0 to begin with. */
  crc32(bytes: Uint8Array, before: number): number;
  /** SHA-256 in hex. */
  sha256(...parts: readonly Uint8Array[]): Promise<string>;
  /** All of a small member's content, of some `size` bytes; throws where it cannot be unpacked, or to far more than that. */
  unpack(method: number, packed: Uint8Array, size: number): Uint8Array;
  /** A member's content, as its packed bytes are unpacked, and no faster than it is taken. Throws what reading them throws. */
  unpacking(method: number, packed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

/** Compression methods that are unpacked here (APPNOTE 4.4.5). */
export const STORED = 0;
export const DEFLATED = 8;
export const ZSTANDARD = 93;
