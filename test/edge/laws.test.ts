import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PRIVATE_MARKER } from "../../scripts/demo/demo.ts";
import { DEPLOY_USER, PRINCIPALS, READERS, WEB_AND_API, type Channel, type Principal } from "./principals.ts";
import { ask, basic, SECRET, startScene, type Answer, type ForgeName, type Scene } from "./scene.ts";

const DOORS = (["gitlab", "gitea"] as const).flatMap((forge) =>
  WEB_AND_API.map((channel) => ({ forge, channel, principals: PRINCIPALS[forge] })),
);

/** A private file with all that must not be told of it. */
type PrivateFile = {
  readonly path: string;
  readonly bytes: Buffer;
  readonly etag: string;
  readonly untold: readonly string[];
};

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
beforeEach(async () => await scene.fresh());
afterAll(async () => {
  await scene.harness.close();
  printMatrix();
});

/** Five digits that appear in no other header. */
let size = 70_003;

async function privateFiles(
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
    return { path: pathOf(forge, channel, { project, ref: branch, name }), bytes, etag: `"${etag}"`, untold };
  });
  const [first, ...more] = await Promise.all(files);
  if (first === undefined) throw new Error("At least one file is asked for");
  return [first, ...more];
}

async function privateFile(forge: ForgeName, channel: Channel): Promise<PrivateFile> {
  const [file] = await privateFiles(forge, channel, 1);
  return file;
}

type Place = { readonly project: string; readonly ref: string; readonly name: string };

function pathOf(forge: ForgeName, channel: Channel, { project, ref, name }: Place): string {
  const encoded = encodeURIComponent(name);
  if (forge === "gitea") {
    if (channel === "web") return `/${project}/raw/branch/${ref}/${name}`;
    return `/api/v1/repos/${project}/raw/${encoded}?ref=${ref}`;
  }
  if (channel === "web") return `/${project}/-/raw/${ref}/${name}`;
  return `/api/v4/projects/${encodeURIComponent(project)}/repository/files/${encoded}/raw?ref=${ref}`;
}

type Asking = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly direct?: boolean;
};

async function askAs(
  forge: ForgeName,
  { headers = {}, query }: Pick<Principal, "headers" | "query">,
  path: string,
  { method = "GET", headers: more = {}, direct = false }: Asking = {},
): Promise<Answer> {
  const url = (direct ? scene.forge(forge).url : scene.harness[forge]) + path;
  const joined = query === undefined ? url : `${url}${path.includes("?") ? "&" : "?"}${query}`;
  return await ask(joined, { method, headers: { ...headers, ...more } });
}

type Kind = {
  readonly name: string;
  readonly method?: "HEAD";
  readonly headers?: (file: PrivateFile) => Record<string, string>;
  /** What somebody with a grant is answered. */
  readonly granted: (answer: Answer, file: PrivateFile) => void;
};

const KINDS: readonly Kind[] = [
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

const FEW_KINDS = KINDS.filter(({ name }) => ["GET", "If-None-Match: *"].includes(name));

/** A refusal that tells nothing of the file: none of its bytes, its validators, its size, its being there. */
function expectNothingTold(
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

const REFUSALS = [302, 401, 403, 404];
const UNREACHABLE = [502, 504];

type Verdict = "served" | "refused" | "unreachable";

/** Asks in every way, and tells each answer that is not what this asker may see right now. */
async function check(
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

type Column = "public" | "private" | "was public" | "revoked" | "removed";
const COLUMNS: readonly Column[] = ["public", "private", "was public", "revoked", "removed"];
const matrix = new Map<string, Map<Column, string>>();

type Door = { readonly forge: ForgeName; readonly channel: Channel };

function note({ forge, channel }: Door, name: string, column: Column, letter: string): void {
  const row = `${forge} ${channel}, ${name}`;
  const columns: Map<Column, string> = matrix.get(row) ?? new Map();
  matrix.set(row, columns.set(column, (columns.get(column) ?? "") + letter));
}

/** Prints a letter for each run of ways to ask: all served, all refused, or not as they should be. */
function printMatrix(): void {
  const line = (row: string, cells: readonly string[]) =>
    row.padEnd(44) + cells.map((cell) => cell.padEnd(12)).join("");
  const names = DOORS.flatMap(({ forge, channel, principals }) =>
    principals.map(({ name }) => `${forge} ${channel}, ${name}`),
  );
  const rows = names.map((row) =>
    line(
      row,
      COLUMNS.map((column) => matrix.get(row)?.get(column) ?? "-"),
    ),
  );
  const legend = `s served, r refused, ! neither, in up to ${KINDS.length} ways to ask: ${KINDS.map(({ name }) => name).join(", ")}`;
  console.log([legend, line("", COLUMNS), ...rows].join("\n"));
}

/** Where alone what was learned before is still remembered. */
const MEMORY = { tier: "memory", kinds: KINDS, forget: async () => undefined };
const COLO = { tier: "colo", kinds: FEW_KINDS, forget: async () => await scene.harness.newIsolate() };
const KV = {
  tier: "kv",
  kinds: FEW_KINDS,
  forget: async () => {
    await scene.harness.world({ cache: "failing" });
    await scene.harness.newIsolate();
  },
};
const TIERS = [MEMORY, COLO, KV];

function breakOrigin(forge: ForgeName): void {
  scene.forge(forge).intercept = (request) => {
    request.socket.destroy();
    return true;
  };
}

/** Does something for each of a list, all at once, and gathers the faults. */
async function forAll<T>(
  list: readonly T[],
  act: (each: T, index: number) => Promise<readonly string[]>,
): Promise<string[]> {
  return (await Promise.all(list.map(act))).flat();
}

describe.each(DOORS)("$forge $channel", ({ forge, channel, principals }) => {
  const mayRead = (principal: Principal) => principal.reads.includes(channel);
  const readers = principals.filter(mayRead);

  type Checking = { readonly verdict: Verdict; readonly column?: Column; readonly kinds?: readonly Kind[] };
  const checkOne = async (
    principal: Principal,
    file: PrivateFile,
    { verdict, column, kinds = KINDS }: Checking,
  ) => {
    const faults = await check(forge, principal, file, { verdict, kinds });
    const letter = faults.length > 0 ? "!" : verdict === "served" ? "s" : "r";
    if (column !== undefined) note({ forge, channel }, principal.name, column, letter);
    return faults;
  };
  const checkReaders = async (file: PrivateFile, checking: Checking) =>
    await forAll(readers, async (reader) => await checkOne(reader, file, checking));
  /** A hit may still be given, or already be refused, but nothing between. */
  const checkLast = async (file: PrivateFile, refusals: number[]) =>
    await forAll(readers, async (reader) => {
      const answer = await askAs(forge, reader, file.path);
      if (answer.status !== 200) expectNothingTold(answer, file, refusals);
      return [];
    });

  it("agrees with the forge on who may read what", async () => {
    const file = await privateFile(forge, channel);
    const served = async () =>
      await forAll(principals, async (principal) => {
        const { status } = await askAs(forge, principal, file.path, { direct: true });
        return status === 200 ? [principal.name] : [];
      });
    expect(await served()).toEqual(readers.map(({ name }) => name));
    scene.forge(forge).setVisibility(SECRET[forge], "public");
    const known = principals.filter(({ unknown }) => unknown !== true);
    expect(await served()).toEqual(known.map(({ name }) => name));
  });

  it.each(["public", "private"] as const)("%s: cold, warm by another, warm by the same", async (column) => {
    scene.forge(forge).setVisibility(SECRET[forge], column);
    const [warm, ...cold] = await privateFiles(forge, channel, 1 + principals.length);
    for (const reader of [...READERS[forge], READERS[forge][0]]) {
      expect((await askAs(forge, reader, warm.path)).status).toBe(200);
    }
    const faults = await forAll(principals, async (principal, index) => {
      const isServed = column === "public" ? principal.unknown !== true : mayRead(principal);
      const checking: Checking = { verdict: isServed ? "served" : "refused", column };
      // The first way to ask finds the file cold, those after it find it warmed by the same asker.
      const first = await checkOne(principal, cold[index] ?? warm, checking);
      return [...first, ...(await checkOne(principal, warm, checking))];
    });
    expect(faults).toEqual([]);
  });

  it.each([MEMORY, KV])(
    "private after having been public, remembered in $tier",
    async ({ kinds, forget }) => {
      const file = await privateFile(forge, channel);
      scene.forge(forge).setVisibility(SECRET[forge], "public");
      await forAll(principals, async (principal) => {
        await askAs(forge, principal, file.path);
        return [];
      });
      scene.forge(forge).setVisibility(SECRET[forge], "private");
      await scene.settle();
      await forget();
      await scene.advance(30_000);
      const faults = await forAll(principals, async (principal) => {
        const verdict = mayRead(principal) ? "served" : "refused";
        return await checkOne(principal, file, { verdict, column: "was public", kinds });
      });
      expect(faults).toEqual([]);
    },
  );

  const revoke = () => {
    for (const { secret = "" } of readers) scene.forge(forge).revokeToken(secret);
  };
  const remove = () => {
    for (const user of ["reader", DEPLOY_USER]) scene.forge(forge).setMember(user, SECRET[forge], false);
  };
  const endings = [
    ...TIERS.map((tier) => ({ column: "revoked" as const, end: revoke, ...tier })),
    { column: "removed" as const, end: remove, ...MEMORY },
  ];

  it.each(endings)(
    "$column after a hit in $tier: over after 30 s",
    async ({ column, kinds, end, forget }) => {
      const file = await privateFile(forge, channel);
      for (let hit = 0; hit < 2; hit++) {
        expect(await checkReaders(file, { verdict: "served", kinds: FEW_KINDS })).toEqual([]);
      }
      end();
      await scene.settle();
      await forget();
      await scene.advance(30_000);
      expect(await checkReaders(file, { verdict: "refused", column, kinds })).toEqual([]);
      await scene.harness.newIsolate();
      expect(await checkReaders(file, { verdict: "refused", kinds: FEW_KINDS })).toEqual([]);
    },
  );

  it.each(TIERS)("a grant in $tier is one for 25 s, and for 30 s no more", async ({ tier, forget }) => {
    const file = await privateFile(forge, channel);
    expect(await checkReaders(file, { verdict: "served", kinds: FEW_KINDS })).toEqual([]);
    await scene.settle();
    await forget();
    // Without the colo there is nothing but the origin to bring the body.
    if (tier !== "kv") breakOrigin(forge);
    await scene.advance(25_000);
    const faults = await forAll(readers, async (reader) => {
      const { status, caches } = await askAs(forge, reader, file.path);
      const isHit = status === 200 && caches["grant"]?.includes(`detail=${tier}`) === true;
      return isHit ? [] : [`${reader.name}: ${status} ${caches["grant"]}`];
    });
    expect(faults).toEqual([]);
    await scene.settle();
    if (tier === "kv") return; // those hits have renewed the grants
    await scene.advance(4900);
    await checkLast(file, UNREACHABLE);
    await scene.advance(100);
    expect(await checkReaders(file, { verdict: "unreachable" })).toEqual([]);
    await scene.harness.newIsolate();
    expect(await checkReaders(file, { verdict: "unreachable", kinds: FEW_KINDS })).toEqual([]);
  });

  it.each([COLO, KV])(
    "a grant in $tier of 30 s is none while the origin is unreachable",
    async ({ kinds, forget }) => {
      const file = await privateFile(forge, channel);
      expect(await checkReaders(file, { verdict: "served", kinds: FEW_KINDS })).toEqual([]);
      await scene.settle();
      await forget();
      breakOrigin(forge);
      await scene.advance(30_000);
      expect(await checkReaders(file, { verdict: "unreachable", kinds })).toEqual([]);
    },
  );

  it("revoked while hits go on: over after 30 s", async () => {
    const file = await privateFile(forge, channel);
    expect(await checkReaders(file, { verdict: "served", kinds: FEW_KINDS })).toEqual([]);
    revoke();
    for (const ms of [10_000, 9900, 6000, 4000]) {
      await scene.advance(ms);
      await checkLast(file, REFUSALS);
      await scene.settle();
    }
    await scene.advance(100);
    expect(await checkReaders(file, { verdict: "refused", kinds: FEW_KINDS })).toEqual([]);
    await scene.advance(10_000);
    await scene.harness.newIsolate();
    expect(await checkReaders(file, { verdict: "refused", kinds: FEW_KINDS })).toEqual([]);
  });
});

describe("a grant", () => {
  const [reader] = READERS.gitlab;
  const other = { headers: { "PRIVATE-TOKEN": "glpat-other" } };

  it("for one project serves no other, under any of its names", async () => {
    const file = await privateFile("gitlab", "web");
    const name = file.path.slice(file.path.lastIndexOf("/") + 1);
    const ref = file.path.split("/-/raw/")[1]?.split("/")[0] ?? "";
    const project = SECRET.gitlab;
    const commit = (await scene.forge("gitlab").objectId(project, ref)) ?? "";
    const blob = (await scene.forge("gitlab").objectId(project, `${ref}:${name}`)) ?? "";
    // Known by number in the API and by path on the web and in the API.
    const api = (id: string | number) => `/api/v4/projects/${id}/repository`;
    const forms = [
      file.path,
      `${file.path}?inline=false`,
      `${file.path}?ref_type=heads`,
      `/${project}/raw/${ref}/${name}`,
      `/${project}/-/raw/${commit}/${name}`,
      `${api(2)}/files/${name}/raw?ref=${ref}`,
      `${api(2)}/files/${name}/raw?ref=${commit}`,
      `${api(2)}/files/${name}/raw?ref=${ref}&lfs=true`,
      `${api(encodeURIComponent(project))}/files/${name}/raw?ref=${ref}`,
      `${api(2)}/blobs/${blob}/raw`,
    ];
    const nobody = {};
    for (const path of forms) expect((await askAs("gitlab", reader, path)).status).toBe(200);
    for (const path of ["/demo/other/-/raw/main/README.md", `${api(3)}/files/README.md/raw?ref=main`]) {
      expect((await askAs("gitlab", other, path)).status).toBe(200);
      expect((await askAs("gitlab", nobody, "/demo/hello/-/raw/main/README.md")).status).toBe(200);
    }
    for (const path of forms) {
      for (const principal of [other, nobody]) {
        for (const method of ["GET", "HEAD"]) {
          expectNothingTold(await askAs("gitlab", principal, path, { method }), file);
        }
      }
    }
    // Bytes are kept by project: the same names in another, even a readable one, are none there.
    for (const path of forms) {
      const elsewhere = path.replaceAll(project, "demo/other").replace(/projects\/[^/]+/, "projects/3");
      expectNothingTold(await askAs("gitlab", other, elsewhere), file);
    }
  });

  it("for a large file lets nobody else have a part of it", async () => {
    const path = "/demo/nested/secret/-/raw/main/big/blob.bin";
    const file = { path, bytes: Buffer.alloc(0), etag: "", untold: [String(8 * 1024 * 1024)] };
    const whole = await askAs("gitlab", reader, path);
    expect(whole.body).toHaveLength(8 * 1024 * 1024);
    file.etag = String(whole.headers.etag);
    for (const principal of [{}, other, { query: "token=glpat-reader" }]) {
      for (const { name, method, headers } of KINDS) {
        const answer = await askAs("gitlab", principal, path, {
          headers: headers?.(file) ?? {},
          ...(method && { method }),
        });
        expect([name, REFUSALS.includes(answer.status)]).toEqual([name, true]);
        expectNothingTold(answer, file);
      }
    }
  });

  it("for the web serves not the API, nor a grant for the API the web", async () => {
    const web = await privateFile("gitlab", "web");
    const name = web.path.slice(web.path.lastIndexOf("/") + 1);
    const ref = web.path.split("/-/raw/")[1]?.split("/")[0] ?? "";
    const api = pathOf("gitlab", "api", { project: SECRET.gitlab, ref, name });
    expect((await askAs("gitlab", reader, api)).status).toBe(200);
    for (const webOnly of PRINCIPALS.gitlab.filter(({ reads }) => reads.length === 1)) {
      expect((await askAs("gitlab", webOnly, web.path)).status).toBe(200);
      expectNothingTold(await askAs("gitlab", webOnly, api), web);
    }
    const [, cookie] = READERS.gitlab;
    expect((await askAs("gitlab", cookie, api)).status).toBe(200);
    scene.forge("gitlab").revokeToken("session-reader");
    expectNothingTold(await askAs("gitlab", cookie, web.path), web);
  });

  it("at one forge serves not at another where the same secret is known", async () => {
    const file = await privateFile("gitea", "web");
    const password = { headers: { authorization: basic("reader", "password") } };
    scene.forge("gitea").setMember("reader", SECRET.gitea, false);
    const there = file.path.replace(`${SECRET.gitea}/raw/branch`, `${SECRET.gitlab}/-/raw`);
    expect((await askAs("gitlab", password, there)).status).toBe(200);
    const principal = { ...password, name: "password", reads: [] };
    expect(await check("gitea", principal, file, { verdict: "refused" })).toEqual([]);
  });

  it("that is new is not held back by an older denial", async () => {
    const [first, second = first] = await privateFiles("gitlab", "web", 2);
    expectNothingTold(await askAs("gitlab", other, first.path), first);
    scene.forge("gitlab").setMember("other", SECRET.gitlab, true);
    await scene.advance(9000);
    expectNothingTold(await askAs("gitlab", other, first.path), first);
    await scene.advance(1000);
    expect((await askAs("gitlab", other, first.path)).status).toBe(200);
    await scene.harness.newIsolate();
    expect((await askAs("gitlab", other, second.path)).status).toBe(200);
  });

  it.each([MEMORY, COLO])(
    "that is old does not come back over a newer denial in $tier",
    async ({ forget }) => {
      const [first, second = first] = await privateFiles("gitlab", "web", 2);
      expect((await askAs("gitlab", reader, first.path)).status).toBe(200);
      scene.forge("gitlab").revokeToken("glpat-reader");
      await scene.advance(5000);
      // The grant is young, but the origin says no when it is asked for the other file's bytes.
      expectNothingTold(await askAs("gitlab", reader, second.path), second);
      await scene.settle();
      await forget();
      expectNothingTold(await askAs("gitlab", reader, first.path), first);
      await scene.advance(10_500); // the denial is over, the grant would live on
      expectNothingTold(await askAs("gitlab", reader, first.path), first);
    },
  );

  it("that ran out while the origin was waited for is none", async () => {
    const file = await privateFile("gitlab", "web");
    const path = file.path.replace(/branch-\d+/, "$&x");
    const [, branch = ""] = /-\/raw\/([^/]+)/.exec(path) ?? [];
    const name = file.path.slice(file.path.lastIndexOf("/") + 1);
    await scene.forge("gitlab").commit(SECRET.gitlab, branch, { [name]: file.bytes });
    expect((await askAs("gitlab", reader, path)).status).toBe(200);
    await scene.advance(35_000);
    expect((await askAs("gitlab", reader, file.path)).status).toBe(200); // a grant of its own age
    await scene.advance(26_000); // the branch must be looked up again, and the origin lets us wait for it
    scene.forge("gitlab").revokeToken("glpat-reader");
    let release = () => {};
    scene.forge("gitlab").intercept = (request) => {
      release = () => request.socket.destroy();
      return true;
    };
    const late = askAs("gitlab", reader, path);
    await scene.settle();
    await scene.advance(5000);
    release();
    expectNothingTold(await late, file, UNREACHABLE);
  });
});
