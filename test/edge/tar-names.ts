const BLOCK = 512;

/** The names of a tar archive's members, by its headers alone (POSIX pax: ustar blocks, extended headers with `path`). */
export function tarNames(tar: Buffer): string[] {
  const names: string[] = [];
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= tar.length;) {
    const header = tar.subarray(at, at + BLOCK);
    const size = Number.parseInt(field(header, 124, 12) || "0", 8);
    const type = String.fromCharCode(header[156] ?? 0);
    if (header[0] === 0 && type !== "x") break;
    const data = tar.subarray(at + BLOCK, at + BLOCK + size);
    if (type === "x") longName = /\d+ path=([^\n]*)\n/.exec(data.toString())?.[1];
    else {
      const prefix = field(header, 345, 155);
      names.push(longName ?? (prefix === "" ? "" : `${prefix}/`) + field(header, 0, 100));
      longName = undefined;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return names;
}

function field(header: Buffer, start: number, length: number): string {
  const bytes = header.subarray(start, start + length);
  const end = bytes.indexOf(0);
  return bytes
    .subarray(0, end === -1 ? length : end)
    .toString()
    .trim();
}
