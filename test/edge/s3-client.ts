import { createHash, createHmac } from "node:crypto";
import { Agent, request, type IncomingHttpHeaders } from "node:http";

/** An access key as its holder has it. */
export type Key = { readonly id: string; readonly secret: string };

/** A request as it goes over the wire: nothing of it is normalised. */
export type Sent = {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
};

/** What somebody asks an object store. */
export type Asking = {
  readonly method?: string;
  /** Encoded as it is to be sent. */
  readonly path: string;
  /** Without the question mark, encoded as it is to be sent. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Who signs it; without a key it is not signed. */
  readonly as?: Key | undefined;
  readonly by?: "header" | "query";
  /** Milliseconds that the signer's clock is ahead. */
  readonly skewMs?: number;
  readonly region?: string;
  readonly service?: string;
  readonly expiresS?: number;
  readonly payload?: string;
  /** Names of header fields that are sent and not signed. */
  readonly unsigned?: readonly string[];
  /** What is signed in the place of what is sent. */
  readonly signed?: {
    readonly method?: string;
    readonly path?: string;
    readonly query?: string;
    readonly host?: string;
  };
  /** Changes the request when it is signed. */
  readonly change?: (sent: Sent) => Sent;
};

const EMPTY_HASH = createHash("sha256").digest("hex");

export function sha256(data: Uint8Array | string): string {
  return createHash("sha256").update(data).digest("hex");
}

function hmac(key: Uint8Array | string, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

export function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The path of an object, as S3's clients encode it. */
export function objectPath(bucket: string, key: string): string {
  return `/${bucket}/${key.split("/").map(encode).join("/")}`;
}

/** `YYYYMMDD'T'HHMMSS'Z'` */
export function amzDate(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function canonicalQuery(query: string): string {
  if (query === "") return "";
  return query
    .split("&")
    .map((pair) => {
      const [name = "", ...value] = pair.split("=");
      const decode = (text: string) => encode(decodePath(text.replaceAll("+", " ")));
      return `${decode(name)}=${decode(value.join("="))}`;
    })
    .toSorted()
    .join("&");
}

export type SigningScope = { readonly date: string; readonly region: string; readonly service: string };

export function scopeText({ date, region, service }: SigningScope): string {
  return `${date.slice(0, 8)}/${region}/${service}/aws4_request`;
}

export function signingKey(secret: string, { date, region, service }: SigningScope): Buffer {
  return hmac(hmac(hmac(hmac(`AWS4${secret}`, date.slice(0, 8)), region), service), "aws4_request");
}

type Canonical = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string;
};

/** Signature Version 4, written down again so that no test verifies the code with itself. */
function signature(
  { method, path, query, headers, payload }: Canonical,
  secret: string,
  scope: SigningScope,
): string {
  const names = Object.keys(headers).toSorted();
  const canonical = [
    method,
    decodePath(path).split("/").map(encode).join("/"),
    canonicalQuery(query),
    ...names.map((name) => `${name}:${headers[name]?.trim().replaceAll(/ +/g, " ") ?? ""}`),
    "",
    names.join(";"),
    payload,
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", scope.date, scopeText(scope), sha256(canonical)].join("\n");
  return hmac(signingKey(secret, scope), text).toString("hex");
}

type Signing = { readonly asking: Asking; readonly key: Key; readonly host: string; readonly now: number };

function signed({ asking, key, host, now }: Signing): Sent {
  const { method = "GET", path, query = "", body, skewMs = 0, region = "us-east-1", service = "s3" } = asking;
  const given = Object.fromEntries(
    Object.entries(asking.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const instead = asking.signed ?? {};
  const scope = { date: amzDate(now + skewMs), region, service };
  const credential = `${key.id}/${scopeText(scope)}`;
  const isSigned = ([name]: [string, string]) => asking.unsigned?.includes(name) !== true;
  const toSign = (headers: Record<string, string>) => ({
    ...Object.fromEntries(Object.entries(headers).filter(isSigned)),
    host: instead.host ?? host,
  });
  const line = { method: instead.method ?? method, path: instead.path ?? path };
  if (asking.by === "query") {
    const headers = toSign(
      Object.fromEntries(
        Object.entries(given).filter(([name]) =>
          asking.unsigned === undefined ? name.startsWith("x-amz-") : true,
        ),
      ),
    );
    const parameters = {
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": credential,
      "X-Amz-Date": scope.date,
      "X-Amz-Expires": String(asking.expiresS ?? 60),
      "X-Amz-SignedHeaders": Object.keys(headers).toSorted().join(";"),
    };
    const added = Object.entries(parameters).map(([name, value]) => `${name}=${encode(value)}`);
    const join = (own: string) => [...(own === "" ? [] : [own]), ...added].join("&");
    const payload = asking.payload ?? "UNSIGNED-PAYLOAD";
    const hex = signature(
      { ...line, query: join(instead.query ?? query), headers, payload },
      key.secret,
      scope,
    );
    const target = `${path}?${join(query)}&X-Amz-Signature=${hex}`;
    return { method, target, headers: { ...given, host }, ...(body !== undefined && { body }) };
  }
  const payload = asking.payload ?? (body === undefined ? EMPTY_HASH : sha256(body));
  const headers = { ...given, "x-amz-content-sha256": payload, "x-amz-date": scope.date };
  const own = toSign(headers);
  const hex = signature({ ...line, query: instead.query ?? query, headers: own, payload }, key.secret, scope);
  const names = Object.keys(own).toSorted().join(";");
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${hex}`;
  const target = query === "" ? path : `${path}?${query}`;
  return {
    method,
    target,
    headers: { ...headers, host, authorization },
    ...(body !== undefined && { body }),
  };
}

/** The request that is sent for somebody's asking, at a host and a time. */
export function prepare(asking: Asking, host: string, now: number): Sent {
  const { method = "GET", path, query = "", headers = {}, body, as, change } = asking;
  const plain: Sent = {
    method,
    target: query === "" ? path : `${path}?${query}`,
    headers: { ...headers, host },
    ...(body !== undefined && { body }),
  };
  const sent = as === undefined ? plain : signed({ asking, key: as, host, now });
  return change === undefined ? sent : change(sent);
}

/** One answer as it came over the wire. */
export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether it ended as its framing said it would. */
  readonly whole: boolean;
  /** The code of an error document. */
  readonly code: string | undefined;
  /** The members of `Cache-Status`, by the last word of their name. */
  readonly caches: Readonly<Record<string, string>>;
};

export type Sending = {
  readonly port: number;
  /** Called with each piece of the body; what it returns is waited for before more is read. */
  readonly onPiece?: ((bytesSoFar: number) => Promise<void> | void) | undefined;
  readonly signal?: AbortSignal | undefined;
};

const agent = new Agent({ keepAlive: true });

/** Sends a request to 127.0.0.1, whatever its host; a connection that breaks before any answer is status 0. */
export function send(
  { method, target, headers, body }: Sent,
  { port, onPiece, signal }: Sending,
): Promise<Answer> {
  return new Promise((resolve) => {
    const none: Answer = {
      status: 0,
      headers: {},
      body: Buffer.alloc(0),
      whole: false,
      code: undefined,
      caches: {},
    };
    const isFramed = headers["transfer-encoding"] !== undefined;
    const length =
      body === undefined || isFramed ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const options = {
      host: "127.0.0.1",
      port,
      method,
      path: target,
      agent,
      setHost: false,
      headers: { ...length, ...headers },
      ...(signal && { signal }),
    };
    const outgoing = request(options, (response) => {
      void (async () => {
        const pieces: Buffer[] = [];
        let bytes = 0;
        try {
          for await (const piece of response as AsyncIterable<Buffer>) {
            pieces.push(piece);
            bytes += piece.length;
            await onPiece?.(bytes);
          }
        } catch {
          // `complete` tells
        }
        const received = Buffer.concat(pieces);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: received,
          whole: response.complete,
          code: /<Code>(\w+)<\/Code>/.exec(received.subarray(0, 4096).toString("latin1"))?.[1],
          caches: cachesOf(response.headers["cache-status"]),
        });
      })();
    });
    outgoing.on("error", () => resolve(none));
    outgoing.end(body);
  });
}

function cachesOf(header: string | string[] | undefined): Record<string, string> {
  const members = String(header ?? "").split(/, (?=forgefront)/);
  return Object.fromEntries(members.map((member) => [/^forgefront-?(\w*)/.exec(member)?.[1] ?? "", member]));
}
