import type { IncomingHttpHeaders } from "node:http";
import type { S3User } from "../../scripts/servers/s3-user.ts";

/** What a client of a store is told to do, with one object or, to list or delete all, with those whose keys begin alike. */
export type Call = {
  readonly operation:
    | "put"
    | "upload"
    | "get"
    | "download"
    | "head"
    | "list"
    | "copy"
    | "delete"
    | "delete all";
  readonly as: S3User;
  readonly bucket: string;
  readonly key: string;
  /** Where the name of the bucket stands. */
  readonly style?: "path" | "virtual";
  readonly body?: Buffer;
  /** Whether the body is given as a stream, so that its checksum can only follow it. */
  readonly isStreamed?: boolean;
  readonly contentType?: string;
  readonly contentEncoding?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly range?: string;
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
  /** The key, in the same bucket, of what is copied. */
  readonly source?: string;
};

export type Presigning = Pick<Call, "as" | "bucket" | "key" | "style"> & {
  readonly method: "GET" | "PUT";
  readonly seconds: number;
};

/** What a client got. It checks what comes with a checksum itself, and fails where that is wrong. */
export type Reply = {
  readonly status: number;
  /** What the store calls an error. */
  readonly code: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** What a list holds. */
  readonly keys: readonly string[];
};

/** A program that people use with S3, pointed at one host of the edge. */
export type Client = {
  call(call: Call): Promise<Reply>;
  /** A URL that carries its signature. */
  presign?(presigning: Presigning): Promise<string>;
  close(): Promise<void>;
};

export type ClientKind = {
  readonly name: string;
  /** Whether its signature covers `Range` and the preconditions, so that a read with them is good for nothing else. */
  readonly signsConditions: boolean;
  /** Whether it sends a checksum with what it puts, and asks for that with what it gets. */
  readonly checksums: boolean;
  /** Whether it makes URLs that carry a signature. */
  readonly presigns: boolean;
  /** Whether it takes streams to put. */
  readonly streams: boolean;
  /** Whether it hears that it is refused while it still sends. */
  readonly hearsRefusals: boolean;
  /** A sentence that says what is missing to run it. */
  readonly lacks: string | undefined;
  /** `host` is a name under `localhost` and a port of 127.0.0.1. */
  start(host: string): Promise<Client>;
};

/** The bucket of a call in the place where its style wants it. */
export function addressOf({ bucket, style }: Pick<Call, "bucket" | "style">, host: string): string {
  return style === "virtual" ? `http://${bucket}.${host}` : `http://${host}/${bucket}`;
}
