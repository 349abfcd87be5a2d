import { expect } from "vitest";
import { objectPath, type Asking } from "./s3-client.ts";
import { KEYS, PRIVATE, type Mode, type S3Scene } from "./s3-scene.ts";

const { reader, writer } = KEYS;

export const BLOCK_BYTES = 64 * 1024;
/** Of every object here: blocks and a bit. */
export const SIZE = 2 * BLOCK_BYTES + 5;

/** The bytes of an object that is told by a word. */
export const filled = (text: string) => Buffer.from(text.padEnd(SIZE, `${text} `));

/** An object, and whom it is asked of. */
export type Place = {
  readonly mode: Mode;
  readonly bucket: string;
  readonly key: string;
  readonly path: string;
};

export function place(scene: S3Scene, mode: Mode, bucket = PRIVATE): Place {
  const key = scene.name("written");
  return { mode, bucket, key, path: objectPath(bucket, key) };
}

export type Where = Pick<Place, "mode" | "path">;

/** What a read tells: its status, and how the bytes begin and how many there are. */
export async function look(scene: S3Scene, { mode, path }: Where, asking: Partial<Asking>): Promise<string> {
  const { status, body, headers, whole } = await scene.ask(mode, { path, ...asking });
  if (asking.method === "HEAD") return `${status} ${headers["content-length"] ?? ""}`;
  if (status !== 200 && status !== 206) return String(status);
  return `${status} ${body.subarray(0, 10).toString().trim()} ${body.length} ${whole ? "" : "broken"}`.trim();
}

/** Every way to read, by everyone who may. */
const READS: readonly Partial<Asking>[] = [reader, writer].flatMap((as) => [
  { as },
  { as, by: "query" as const },
  { as, method: "HEAD" },
  { as, headers: { range: "bytes=0-9" }, unsigned: ["range"] },
  { as, headers: { range: `bytes=${SIZE - 10}-` } },
]);

export async function readAll(scene: S3Scene, where: Where): Promise<string[]> {
  return await Promise.all(READS.map(async (asking) => await look(scene, where, asking)));
}

/** What all of them must tell of an object; `undefined` of one that is not there. */
export function expected(text: string | undefined): string[] {
  return READS.map(({ method, headers }) => {
    if (text === undefined) return method === "HEAD" ? (expect.stringMatching(/^404 /) as string) : "404";
    const bytes = filled(text);
    if (method === "HEAD") return `200 ${SIZE}`;
    const start = headers?.["range"] === "bytes=0-9" ? 0 : SIZE - 10;
    const first = bytes
      .subarray(headers === undefined ? 0 : start)
      .subarray(0, 10)
      .toString()
      .trim();
    return headers === undefined ? `200 ${first} ${SIZE}` : `206 ${first} 10`;
  });
}
