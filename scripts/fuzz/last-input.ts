import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/*
 * The input that is being tried, in a file, so that it outlives the process that tries it:
 *
 * 0  4  number of the input
 * 4  4  length
 * 8     the input
 */

const HEADER_BYTES = 8;

export type LastInput = { readonly number: number; readonly input: Uint8Array };

/** Writes each input down before it is tried; a write takes a few microseconds. */
export function inputWriter(file: string): { write(input: Uint8Array): void; close(): void } {
  const descriptor = openSync(file, "w");
  let number = 0;
  return {
    write(input) {
      number += 1;
      const bytes = Buffer.allocUnsafe(HEADER_BYTES + input.byteLength);
      bytes.writeUInt32LE(number, 0);
      bytes.writeUInt32LE(input.byteLength, 4);
      bytes.set(input, HEADER_BYTES);
      writeSync(descriptor, bytes, 0, bytes.byteLength, 0);
    },
    close: () => closeSync(descriptor),
  };
}

/** What was tried last; `undefined` before the first. */
export function readLastInput(file: string): LastInput | undefined {
  const bytes = readFileSync(file);
  if (bytes.byteLength < HEADER_BYTES) return undefined;
  const end = HEADER_BYTES + bytes.readUInt32LE(4);
  return { number: bytes.readUInt32LE(0), input: Uint8Array.from(bytes.subarray(HEADER_BYTES, end)) };
}
