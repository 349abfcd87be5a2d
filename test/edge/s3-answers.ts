import type { ServerResponse } from "node:http";

type Head = Readonly<Record<string, string>>;

/** Lets the store answer as it would, but with other header fields. */
export function dress(response: ServerResponse, change: (headers: Head) => Head): void {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = ((status: number, headers: Head = {}) =>
    writeHead(status, change(headers))) as typeof writeHead;
}

/** Lets the store decide its answer now, and sends it when what comes back is called. */
export function holdBack(response: ServerResponse): () => void {
  const names = ["writeHead", "write", "end"] as const;
  const sent = {
    writeHead: response.writeHead.bind(response),
    write: response.write.bind(response),
    end: response.end.bind(response),
  };
  const held: (() => void)[] = [];
  for (const name of names) {
    response[name] = ((...given: unknown[]) => {
      held.push(() => void Reflect.apply(sent[name], response, given));
      return name === "write" ? true : response;
    }) as never;
  }
  return () => {
    Object.assign(response, sent);
    for (const each of held) each();
  };
}
