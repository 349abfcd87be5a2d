import type { Readable, Writable } from "node:stream";

/** What the other side of a Chrome DevTools Protocol connection says of itself. */
export type DevtoolsEvent = {
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly sessionId?: string;
};

export type Devtools = {
  send<Result>(method: string, params?: object, sessionId?: string): Promise<Result>;
  /** Calls with each event of a session, until what is returned is called. */
  listen(sessionId: string, heard: (event: DevtoolsEvent) => void): () => void;
};

type Message = Partial<DevtoolsEvent> & {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
};

type Waiting = {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
};

/** The Chrome DevTools Protocol by way of two pipes, where each message is JSON and ends with a zero byte. */
export function connectDevtools(input: Writable, output: Readable): Devtools {
  const waiting = new Map<number, Waiting>();
  const listeners = new Set<(event: Partial<DevtoolsEvent>) => void>();
  let sent = 0;
  let isGone = false;

  const hear = ({ id, result, error, ...event }: Message) => {
    if (id === undefined) {
      for (const listener of listeners) listener(event);
      return;
    }
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) waiter?.resolve(result);
    else waiter?.reject(new Error(`The browser refused: ${error.message}`));
  };
  const end = () => {
    isGone = true;
    for (const { reject } of waiting.values()) reject(new Error("The browser is gone"));
    waiting.clear();
  };
  let unread = "";
  output.setEncoding("utf8");
  output.on("data", (text: string) => {
    const messages = (unread + text).split("\0");
    unread = messages.pop() ?? "";
    for (const message of messages) hear(JSON.parse(message) as Message);
  });
  output.on("close", end);
  input.on("error", end);

  return {
    async send<Result>(method: string, params: object = {}, sessionId?: string) {
      if (isGone) throw new Error("The browser is gone");
      const id = (sent += 1);
      const answered = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
      input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      return (await answered) as Result;
    },
    listen(sessionId, heard) {
      const listener = (event: Partial<DevtoolsEvent>) => {
        if (event.sessionId === sessionId && event.method !== undefined)
          heard({ method: event.method, params: event.params ?? {} });
      };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
