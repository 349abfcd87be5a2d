import { createHash, createHmac } from "node:crypto";

/**
 * Signature Version 4 once more, straight from Amazon's description and byte by byte, so that what is tested is not also
 * what it is tested with (S3: "Authenticating Requests").
 */

/** A request as it goes over the wire; names of header fields in lower case. */
export type Wire = {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly search: string;
  readonly headers: Readonly<Record<string, string>>;
};

export type Signing = {
  readonly accessKey: string;
  readonly secret: string;
  /** `YYYYMMDD'T'HHMMSS'Z'`. */
  readonly date: string;
  readonly region: string;
};

export type Claim = Omit<Signing, "secret"> & {
  readonly day: string;
  readonly names: readonly string[];
  readonly hex: string;
};

const UNRESERVED = /[A-Za-z0-9\-._~]/;

export function percent(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return UNRESERVED.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

function unpercent(text: string): string {
  const bytes: number[] = [];
  const source = Buffer.from(text);
  for (let index = 0; index < source.length; index += 1) {
    const hex = source.toString("latin1", index + 1, index + 3);
    if (source[index] === 0x25 && /^[0-9A-Fa-f]{2}$/.test(hex)) {
      bytes.push(Number.parseInt(hex, 16));
      index += 2;
    } else bytes.push(source[index] ?? 0);
  }
  return Buffer.from(bytes).toString();
}

function canonicalQuery(search: string): string {
  const pairs = search
    .replace(/^\?/, "")
    .split("&")
    .filter((text) => text !== "")
    .map((text) => {
      const [name = "", ...value] = text.replaceAll("+", " ").split("=");
      return [percent(unpercent(name)), percent(unpercent(value.join("=")))] as const;
    })
    .filter(([name]) => name !== "X-Amz-Signature");
  const before = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  return pairs
    .toSorted(([a, x], [b, y]) => before(a, b) || before(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

function canonicalOf(
  { method, host, path, search, headers }: Wire,
  names: readonly string[],
  payload: string,
) {
  const value = (name: string) => (name === "host" ? host : (headers[name] ?? ""));
  return [
    method,
    percent(unpercent(path)).replaceAll("%2F", "/"),
    canonicalQuery(search),
    ...names.map((name) => `${name}:${value(name).trim().replaceAll(/ +/g, " ")}`),
    "",
    names.join(";"),
    payload,
  ].join("\n");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The signature of a request over these header fields. */
export function signatureOf(wire: Wire, signing: Signing, names: readonly string[], payload: string): string {
  const { secret, date, region } = signing;
  const day = date.slice(0, 8);
  const text = [
    "AWS4-HMAC-SHA256",
    date,
    `${day}/${region}/s3/aws4_request`,
    sha256(canonicalOf(wire, names, payload)),
  ].join("\n");
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), "s3"), "aws4_request");
  return hmac(key, text).toString("hex");
}

/** A request signed in its header: over its host and all that it has. */
export function signedWire(wire: Wire, signing: Signing, payload = sha256("")): Wire {
  const { accessKey, date, region } = signing;
  const headers = { "x-amz-content-sha256": payload, ...wire.headers, "x-amz-date": date };
  const names = ["host", ...Object.keys(headers)].toSorted();
  const hex = signatureOf({ ...wire, headers }, signing, names, payload);
  const credential = `${accessKey}/${date.slice(0, 8)}/${region}/s3/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${names.join(";")},Signature=${hex}`;
  return { ...wire, headers: { ...headers, authorization } };
}

/** The same request as a presigned URL: over its host and the header fields it has, for any payload. */
export function presignedWire(wire: Wire, signing: Signing, expiresS: number): Wire {
  const { accessKey, date, region } = signing;
  const names = ["host", ...Object.keys(wire.headers)].toSorted();
  const parameters = [
    "X-Amz-Algorithm=AWS4-HMAC-SHA256",
    `X-Amz-Credential=${percent(`${accessKey}/${date.slice(0, 8)}/${region}/s3/aws4_request`)}`,
    `X-Amz-Date=${date}`,
    `X-Amz-Expires=${expiresS}`,
    `X-Amz-SignedHeaders=${percent(names.join(";"))}`,
  ];
  const search = `${wire.search === "" ? "?" : `${wire.search}&`}${parameters.join("&")}`;
  const hex = signatureOf({ ...wire, search }, signing, names, "UNSIGNED-PAYLOAD");
  return { ...wire, search: `${search}&X-Amz-Signature=${hex}` };
}

/** What a request that is signed in its header says of its signature; fails where it says nothing. */
export function claimOf({ headers }: Wire): Claim {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers["authorization"] ?? "",
    );
  if (match === null) throw new Error(`Not signed: ${headers["authorization"]}`);
  const [, accessKey = "", day = "", region = "", names = "", hex = ""] = match;
  return { accessKey, day, region, date: headers["x-amz-date"] ?? "", names: names.split(";"), hex };
}

/** Whether a request that is signed in its header is signed right; all of its `x-amz-*` have to be. */
export function isSignedRight(wire: Wire, secret: string): boolean {
  const { names, hex, ...signing } = claimOf(wire);
  const needed = ["host", ...Object.keys(wire.headers).filter((name) => name.startsWith("x-amz-"))];
  const payload = wire.headers["x-amz-content-sha256"] ?? "";
  const isComplete = needed.every((name) => names.includes(name)) && payload !== "";
  const isInOrder = names.join(";") === names.toSorted().join(";");
  const isOfItsDay = signing.date.startsWith(signing.day);
  return (
    isComplete && isInOrder && isOfItsDay && signatureOf(wire, { ...signing, secret }, names, payload) === hex
  );
}

/** A request to an origin as `fetch` would send it. */
export function wireOf(
  method: string,
  url: string,
  headers: Iterable<readonly [name: string, value: string]>,
): Wire {
  const { host, pathname, search } = new URL(url);
  return { method, host, path: pathname, search, headers: Object.fromEntries(headers) };
}
