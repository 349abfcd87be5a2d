import { pseudoRandomBytes } from "../demo/pseudo-random.ts";
import { PRIVATE_MARKER } from "../demo/sample-content.ts";
import { HOSTS } from "./edge.ts";
import type { Origins } from "./origins.ts";
import type { Target } from "./reads.ts";

const RANDOM_MEMBER_BYTES = 3 * 1024 * 1024;
/** Longer than a block, so that parts cross its edges. */
const PART_BYTES = 3 * 1024 * 1024;
const SMALL_PART_BYTES = 200 * 1024;

type Row = {
  readonly name: string;
  readonly path: string;
  readonly isPublic: boolean;
  readonly parts?: number;
};

const HELLO = "/demo/hello/-";
const SECRET = "/demo/nested/secret/-";
const API = "/api/v4/projects";

const FORGE_ROWS: readonly Row[] = [
  { name: "readme", path: `${HELLO}/raw/main/README.md`, isPublic: true },
  { name: "small file", path: `${HELLO}/raw/main/docs/small.txt`, isPublic: true },
  { name: "file of a tag", path: `${HELLO}/raw/v1.0/docs/small.txt`, isPublic: true },
  {
    name: "file by the API",
    path: `${API}/1/repository/files/docs%2Fsmall.txt/raw?ref=main`,
    isPublic: true,
  },
  { name: "large file", path: `${HELLO}/raw/main/big/blob.bin`, isPublic: true, parts: PART_BYTES },
  { name: "private file", path: `${SECRET}/raw/main/config/private.txt`, isPublic: false },
  { name: "private records", path: `${SECRET}/raw/main/data/records.txt`, isPublic: false },
  {
    name: "private file by the API",
    path: `${API}/2/repository/files/config%2Fprivate.txt/raw?ref=main`,
    isPublic: false,
  },
  { name: "private large file", path: `${SECRET}/raw/main/big/blob.bin`, isPublic: false, parts: PART_BYTES },
  { name: "page of a report", path: `${API}/1/jobs/1001/artifacts/coverage/index.html`, isPublic: true },
  {
    name: "stored entry",
    path: `${API}/1/jobs/1002/artifacts/data/random.bin`,
    isPublic: true,
    parts: SMALL_PART_BYTES,
  },
  {
    name: "deflated entry",
    path: `${API}/1/jobs/1002/artifacts/logs/build.log`,
    isPublic: true,
    parts: SMALL_PART_BYTES,
  },
  { name: "private entry", path: `${API}/2/jobs/2001/artifacts/private/report.txt`, isPublic: false },
  { name: "list of pipelines", path: `${API}/1/pipelines?per_page=5`, isPublic: true },
  { name: "private list of pipelines", path: `${API}/2/pipelines?per_page=5`, isPublic: false },
];

const SITE = "/demo/builds/site.zip!";

/** What a run reads, with the true bytes of each: the origins' own, asked for past the edge and the proxies. */
export async function readTargets(origins: Origins): Promise<Target[]> {
  const { store } = origins;
  const forge = await Promise.all(FORGE_ROWS.map((row) => forgeTarget(row, origins)));
  const object = (name: string, path: string, more: Partial<Target> = {}): Target => {
    const [, bucket = "", ...key] = path.split("/");
    const bytes = store.get(bucket, key.join("/"))?.bytes() ?? Buffer.alloc(0);
    return { name, site: "s3", path, bytes, isPublic: bucket === "public", ...more };
  };
  const random = Buffer.concat([...pseudoRandomBytes("artifact", RANDOM_MEMBER_BYTES)]);
  return [
    ...forge,
    object("public object", "/public/hello.txt"),
    object("private object", "/demo/hello.txt"),
    object("large object", "/demo/big.bin", { parts: PART_BYTES }),
    object("private entry of an object", `${SITE}/private.txt`, {
      bytes: Buffer.from(`${PRIVATE_MARKER} of the site\n`),
    }),
    object("stored entry of an object", `${SITE}/data/random.bin`, {
      bytes: random,
      parts: SMALL_PART_BYTES,
    }),
  ];
}

async function forgeTarget(row: Row, { demo, gitlab }: Origins): Promise<Target> {
  const headers = { "PRIVATE-TOKEN": "glpat-developer" };
  const response = await fetch(demo.gitlab.url + row.path, { headers });
  if (response.status !== 200) throw new Error(`The origin answered ${response.status} for ${row.path}`);
  const own = Buffer.from(await response.arrayBuffer());
  const isList = (response.headers.get("content-type") ?? "").includes("json");
  const bytes = isList ? Buffer.from(own.toString().replaceAll(gitlab.url, `http://${HOSTS.gitlab}`)) : own;
  return { ...row, site: "gitlab", bytes };
}
