import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { PRIVATE_MARKER } from "../../scripts/demo/demo.ts";
import { privatePath } from "./doors.ts";
import { PRINCIPALS, WEB_AND_API, type Channel, type Principal } from "./principals.ts";
import { AGEING_MS, ask, SECRET, startScene, type Answer, type ForgeName, type Scene } from "./scene.ts";

export const DOORS = (["gitlab", "gitea"] as const).flatMap((forge) =>
  WEB_AND_API.map((channel) => ({ forge, channel, principals: PRINCIPALS[forge] })),
);

/** A private file with all that must not be told of it. */
export type PrivateFile = {
  readonly path: string;
  readonly bytes: Buffer;
  readonly etag: string;
  readonly untold: readonly string[];
};

/** What `playLawsScene` has started. */
export let scene: Scene;

/** A scene for all tests of a file, each of which finds it fresh. */
export function playLawsScene(): void {
  beforeAll(async () => {
    scene = await startScene();
  });
  beforeEach(async () => await scene.fresh());
  afterAll(async () => await scene.harness.close());
}

/** Five digits that appear in no other header. */
let size = 70_003;

export async function privateFiles(
  forge: ForgeName,
  channel: Channel,
  count: number,
): Promise<[PrivateFile, ...PrivateFile[]]> {
  const project = SECRET[forge];
  const branch = scene.name("branch");
  const contents = Array.from({ length: count }, (): [string, Buffer] => {
    const name = `${scene.name("file")}.txt`;
    size += 10;
    return [name, Buffer.from(`${PRIVATE_MARKER} of ${name}\n`.padEnd(size, `${PRIVATE_MARKER} `))];
  });
  const commit = await scene.forge(forge).commit(project, branch, Object.fromEntries(contents));
  const files = contents.map(async ([name, bytes]): Promise<PrivateFile> => {
    const blob = (await scene.forge(forge).objectId(project, `${branch}:${name}`)) ?? "";
    const digest = createHash("sha256").update(blob).digest("hex").slice(0, 32);
    const etag = forge === "gitlab" && channel === "web" ? digest : blob;
    const untold = [PRIVATE_MARKER, blob, digest, commit, String(bytes.length)];
    return {
      path: privatePath(forge, channel, { project, ref: branch, name }),
      bytes,
      etag: `"${etag}"`,
      untold,
    };
  });
  const [first, ...more] = await Promise.all(files);
  if (first === undefined) throw new Error("At least one file is asked for");
  return [first, ...more];
}

export async function privateFile(forge: ForgeName, channel: Channel): Promise<PrivateFile> {
  const [file] = await privateFiles(forge, channel, 1);
  return file;
}

type Asking = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly direct?: boolean;
};

export async function askAs(
  forge: ForgeName,
  { headers = {}, query }: Pick<Principal, "headers" | "query">,
  path: string,
  { method = "GET", headers: more = {}, direct = false }: Asking = {},
): Promise<Answer> {
  const url = (direct ? scene.forge(forge).url : scene.harness[forge]) + path;
  const joined = query === undefined ? url : `${url}${path.includes("?") ? "&" : "?"}${query}`;
  return await ask(joined, { method, headers: { ...headers, ...more } });
}

export type Kind = {
  readonly name: string;
  readonly method?: "HEAD";
  readonly headers?: (file: PrivateFile) => Record<string, string>;
  /** What somebody with a grant is answered. */
  readonly granted: (answer: Answer, file: PrivateFile) => void;
};

export const KINDS: readonly Kind[] = [
  {
    name: "GET",
    granted: ({ status, body }, { bytes }) => {
      expect(status).toBe(200);
      expect(body.equals(bytes)).toBe(true);
    },
  },
  {
    name: "HEAD",
    method: "HEAD",
    granted: ({ status, headers }, { bytes }) =>
      expect([status, headers["content-length"]]).toEqual([200, String(bytes.length)]),
  },
  {
    name: "Range",
    headers: () => ({ range: "bytes=5-14" }),
    granted: ({ status, body }, { bytes }) => {
      expect(status).toBe(206);
      expect(body.equals(bytes.subarray(5, 15))).toBe(true);
    },
  },
  {
    name: "Range beyond the end",
    headers: () => ({ range: "bytes=999999-" }),
    granted: ({ status }) => expect(status).toBe(416),
  },
  {
    name: "several ranges",
    headers: () => ({ range: "bytes=0-3,100-103" }),
    granted: ({ status, body }, { bytes }) => {
      expect(status).toBe(206);
      expect(body.includes(bytes.subarray(100, 104))).toBe(true);
    },
  },
  {
    name: "If-None-Match of the file",
    headers: ({ etag }) => ({ "if-none-match": etag }),
    granted: ({ status }) => expect(status).toBe(304),
  },
  {
    name: "If-None-Match: *",
    headers: () => ({ "if-none-match": "*" }),
    granted: ({ status }) => expect(status).toBe(304),
  },
  {
    name: "If-Match: *",
    headers: () => ({ "if-match": "*" }),
    granted: ({ status, body }, { bytes }) => {
      expect(status).toBe(200);
      expect(body.equals(bytes)).toBe(true);
    },
  },
  {
    name: "If-Match of another",
    headers: () => ({ "if-match": '"another"' }),
    granted: ({ status }) => expect(status).toBe(412),
  },
];

export const FEW_KINDS = KINDS.filter(({ name }) => ["GET", "If-None-Match: *"].includes(name));

/** A refusal that tells nothing of the file: none of its bytes, its validators, its size, its being there. */
export function expectNothingTold(
  { status, headers, body }: Answer,
  { untold }: PrivateFile,
  allowed = REFUSALS,
): void {
  expect(allowed).toContain(status);
  const told = JSON.stringify(headers) + body.toString("latin1");
  for (const each of untold) expect(told).not.toContain(each);
  for (const name of ["etag", "last-modified", "content-range", "accept-ranges", "age"]) {
    expect(headers).not.toHaveProperty(name);
  }
}

export const REFUSALS = [302, 401, 403, 404];
export const UNREACHABLE = [502, 504];

export type Verdict = "served" | "refused" | "unreachable";

/** Asks in every way, and tells each answer that is not what this asker may see right now. */
export async function check(
  forge: ForgeName,
  principal: Principal,
  file: PrivateFile,
  { verdict, kinds = KINDS }: { readonly verdict: Verdict; readonly kinds?: readonly Kind[] },
): Promise<string[]> {
  const faults: string[] = [];
  for (const { name, method = "GET", headers, granted } of kinds) {
    const answer = await askAs(forge, principal, file.path, { method, headers: headers?.(file) ?? {} });
    try {
      expect(answer.headers).not.toHaveProperty("set-cookie");
      if (verdict === "served") granted(answer, file);
      else expectNothingTold(answer, file, verdict === "refused" ? REFUSALS : UNREACHABLE);
    } catch (error) {
      const got = `${answer.status} ${String(answer.headers["cache-status"])} with ${answer.body.length} bytes`;
      faults.push(`${principal.name}, ${name}: not ${verdict} but ${got}: ${String(error)}`);
    }
  }
  return faults;
}

/** Where alone what was learned before is still remembered. */
export const MEMORY = { tier: "memory", kinds: KINDS, forget: async () => undefined };
export const COLO = { tier: "colo", kinds: FEW_KINDS, forget: async () => await scene.harness.newIsolate() };
export const KV = {
  tier: "kv",
  kinds: FEW_KINDS,
  forget: async () => {
    await scene.harness.world({ cache: "failing" });
    await scene.harness.newIsolate();
  },
};
export const TIERS = [MEMORY, COLO, KV];

export async function renewFor(tier: string, hit: () => Promise<unknown>): Promise<void> {
  if (tier !== "kv") return;
  await scene.settle();
  await scene.advance(AGEING_MS);
  await hit();
  await scene.settle();
}

export function breakOrigin(forge: ForgeName): void {
  scene.forge(forge).intercept = (request) => {
    request.socket.destroy();
    return true;
  };
}

/** Does something for each of a list, all at once, and gathers the faults. */
export async function forAll<T>(
  list: readonly T[],
  act: (each: T, index: number) => Promise<readonly string[]>,
): Promise<string[]> {
  return (await Promise.all(list.map(act))).flat();
}
