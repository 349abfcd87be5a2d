import { writeHead, type Passing, type ProxyFault } from "./proxy.ts";
import type { Random } from "./random.ts";

/** Connections that stand and say nothing more: at once, after the headers, or in the middle of the body. */
export function silence(random: Random): ProxyFault {
  const manners: readonly ((passing: Passing) => void)[] = [
    () => undefined,
    ({ forward }) =>
      forward((original, response) => {
        writeHead(original, response);
        response.flushHeaders();
        original.resume();
      }),
    ({ forward }) =>
      forward((original, response) => {
        writeHead(original, response);
        original.once("data", (chunk: Buffer) =>
          response.write(chunk.subarray(0, Math.ceil(chunk.length / 2))),
        );
        original.resume();
      }),
  ];
  return (passing) => random.pick(manners)(passing);
}
