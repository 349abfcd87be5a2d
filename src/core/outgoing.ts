/** A request as the origin is to get it. */
export type Outgoing = {
  readonly url: string;
  readonly headers: Headers;
  /** In place of the client's own; as many bytes. */
  readonly body?: ReadableStream<Uint8Array>;
  /** Settles when that body is sent: it tells what was wrong with it, where `fetch` says only that it broke off. */
  readonly sent?: Promise<void>;
};
