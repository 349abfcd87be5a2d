import { crc32 } from "../crc32.ts";

/** What of a record's extra field is of use, by header id (APPNOTE 4.5.1). */
export type ExtraFields = {
  /** 0x0001, zip64 (APPNOTE 4.5.3), without its header. */
  readonly zip64: DataView | undefined;
  /** 0x5455, Info-ZIP's extended timestamp: seconds since 1970. */
  readonly mtime: number | undefined;
  /** 0x7075, Info-ZIP's Unicode path (APPNOTE 4.6.9), if it was made for the name the record has. */
  readonly unicodePath: Uint8Array | undefined;
};

/**
 * The extra fields of a record with this raw name. Of two of a kind the first counts, of timestamps the first that has
 * this one. A field that is cut off ends the reading without a fault: all of them are only a help, but for zip64, which is
 * missed where it is needed.
 */
export function readExtraFields(extra: Uint8Array, name: Uint8Array): ExtraFields {
  let zip64: DataView | undefined;
  let mtime: number | undefined;
  let unicodePath: Uint8Array | undefined;
  for (const { id, field } of fieldsOf(extra)) {
    if (id === 0x0001) zip64 ??= viewOf(field);
    if (id === 0x5455) mtime ??= readMtime(viewOf(field));
    if (id === 0x7075) unicodePath ??= field;
  }
  return { zip64, mtime, unicodePath: unicodePath && readUnicodePath(unicodePath, name) };
}

const HEADER_BYTES = 4;

function* fieldsOf(extra: Uint8Array): Generator<{ id: number; field: Uint8Array }> {
  const view = viewOf(extra);
  let start = HEADER_BYTES;
  while (start <= extra.byteLength) {
    const id = view.getUint16(start - 4, true);
    const end = start + view.getUint16(start - 2, true);
    if (end > extra.byteLength) return;
    yield { id, field: extra.subarray(start, end) };
    start = end + HEADER_BYTES;
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Unsigned, as Go and with it GitLab Runner write it: years up to 2106 are worth more than those before 1970. */
function readMtime(field: DataView): number | undefined {
  if (field.byteLength < 5) return undefined;
  const hasMtime = (field.getUint8(0) & 1) === 1;
  return hasMtime ? field.getUint32(1, true) : undefined;
}

function readUnicodePath(field: Uint8Array, name: Uint8Array): Uint8Array | undefined {
  if (field.byteLength < 5) return undefined;
  const view = viewOf(field);
  const version = view.getUint8(0);
  const nameCrc = view.getUint32(1, true);
  return version === 1 && nameCrc === crc32(name) ? field.subarray(5) : undefined;
}
