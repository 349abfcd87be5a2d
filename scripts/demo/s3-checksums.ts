import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

/** The checksums of S3 by the end of their `x-amz-checksum-` header, each as that header's Base64. */
const ALGORITHMS = {
  crc32: (bytes: Uint8Array) => bigEndian32(crc32(bytes)),
  crc32c: (bytes: Uint8Array) => bigEndian32(crc32c(bytes)),
  crc64nvme: (bytes: Uint8Array) => bigEndian64(crc64nvme(bytes)),
  sha1: (bytes: Uint8Array) => createHash("sha1").update(bytes).digest("base64"),
  sha256: (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("base64"),
} as const satisfies Record<string, (bytes: Uint8Array) => string>;

export type ChecksumAlgorithm = keyof typeof ALGORITHMS;

export const CHECKSUM_PREFIX = "x-amz-checksum-";

/** The algorithm of an `x-amz-checksum-*` header; undefined for headers that say something else about checksums. */
export function checksumAlgorithm(headerName: string): ChecksumAlgorithm | undefined {
  const name = headerName.toLowerCase();
  return checksumAlgorithms.find((algorithm) => name === CHECKSUM_PREFIX + algorithm);
}

const checksumAlgorithms = Object.keys(ALGORITHMS) as ChecksumAlgorithm[];

export function checksumOf(algorithm: ChecksumAlgorithm, bytes: Uint8Array): string {
  return ALGORITHMS[algorithm](bytes);
}

export function md5Hex(bytes: Uint8Array | string): string {
  return createHash("md5").update(bytes).digest("hex");
}

function bigEndian32(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes.toString("base64");
}

function bigEndian64(value: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes.toString("base64");
}

/** Castagnoli's polynomial, reversed (RFC 3720 §12.1). */
const CRC32C_POLYNOMIAL = 0x82f63b78;
const crc32cTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ CRC32C_POLYNOMIAL : value >>> 1;
  return value;
});

function crc32c(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ (crc32cTable[(value ^ byte) & 0xff] ?? 0);
  return ~value;
}

/** The polynomial of the NVM Express command set specification, reversed. */
const CRC64NVME_POLYNOMIAL = 0x9a6c9329ac4bc9b5n;
const ALL_ONES = 0xffffffffffffffffn;
const crc64nvmeTable = BigUint64Array.from({ length: 256 }, (_, index) => {
  let value = BigInt(index);
  for (let bit = 0; bit < 8; bit++) value = value & 1n ? (value >> 1n) ^ CRC64NVME_POLYNOMIAL : value >> 1n;
  return value;
});

function crc64nvme(bytes: Uint8Array): bigint {
  let value = ALL_ONES;
  for (const byte of bytes)
    value = (value >> 8n) ^ (crc64nvmeTable[Number((value ^ BigInt(byte)) & 0xffn)] ?? 0n);
  return value ^ ALL_ONES;
}
