import { S3Failure } from "./s3-failure.ts";

/** What a request line and its Host name; the path and each parameter decoded once, from the bytes on the wire. */
export interface S3Target {
  /** The whole path, decoded; `%2F` and `/` are the same to S3, and no segment is special. */
  readonly path: string;
  readonly bucket?: string;
  readonly key?: string;
  /** Every parameter in its order, for the signature. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  readonly query: ReadonlyMap<string, string>;
}

export const MAX_KEY_BYTES = 1024;

/** Reads a raw request target, with the bucket from the Host where it is a label before one of the base hosts. */
export function parseS3Target(rawTarget: string, host: string, baseHosts: readonly string[]): S3Target {
  const [, rawPath, rawQuery = ""] = /^(\/[^?]*)(?:\?(.*))?$/s.exec(rawTarget) ?? [];
  if (rawPath === undefined) throw new S3Failure("InvalidURI");
  const path = decodePercent(rawPath);
  const hosted = bucketOfHost(host, baseHosts);
  const [, first = "", rest = ""] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
  const [bucket, key] = hosted === undefined ? [first, rest] : [hosted, path.slice(1)];
  insistOnKeyLength(key);
  const parameters = parseQuery(rawQuery);
  return {
    path,
    ...(bucket === "" ? {} : { bucket }),
    ...(key === "" ? {} : { key }),
    parameters,
    query: new Map(parameters),
  };
}

function bucketOfHost(host: string, baseHosts: readonly string[]): string | undefined {
  const name = host.toLowerCase().replace(/:\d+$/, "");
  const base = baseHosts.find((candidate) => name.endsWith(`.${candidate.toLowerCase()}`));
  return base === undefined ? undefined : name.slice(0, -base.length - 1);
}

function insistOnKeyLength(key: string): void {
  const size = Buffer.byteLength(key);
  if (size > MAX_KEY_BYTES)
    throw new S3Failure("KeyTooLongError", { elements: { Size: size, MaxSizeAllowed: MAX_KEY_BYTES } });
}

function parseQuery(raw: string): (readonly [string, string])[] {
  if (raw === "") return [];
  return raw.split("&").map((pair) => {
    const [, name = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    return [decodePercent(name.replaceAll("+", " ")), decodePercent(value.replaceAll("+", " "))] as const;
  });
}

/** Decodes percent escapes, which must be UTF-8 together; between them is ASCII, since Node refuses the rest. */
export function decodePercent(raw: string): string {
  if (/%(?![0-9a-f]{2})/i.test(raw)) throw new S3Failure("InvalidURI");
  const bytes = raw.replace(/%(..)/gs, (_escape, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, "latin1"));
  } catch {
    throw new S3Failure("InvalidURI");
  }
}
