import { pseudoRandomBytes } from "../demo/pseudo-random.ts";
import { PRIVATE_MARKER } from "../demo/sample-content.ts";
import type { Origins } from "./origins.ts";
import type { Target } from "./reads.ts";

const RANDOM_MEMBER_BYTES = 3 * 1024 * 1024;
/** Longer than a block, so that parts cross its edges. */
const PART_BYTES = 3 * 1024 * 1024;
const SMALL_PART_BYTES = 200 * 1024;

type Row = Omit<Target, "site" | "bytes">;

const HELLO = "/demo/hello/-";
const SECRET = "/demo/nested/secret/-";
const API = "/api/v4/projects";

const GITLAB_ROWS: readonly Row[] = [
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

const GITEA_API = "/api/v1/repos/demo";

/** The same repositories by Gitea's grammar. */
const GITEA_ROWS: readonly Row[] = [
  { name: "Gitea's readme", path: "/demo/hello/raw/branch/main/README.md", isPublic: true },
  { name: "Gitea's file of a tag", path: "/demo/hello/raw/tag/v1.0/docs/small.txt", isPublic: true },
  { name: "Gitea's file by the API", path: `${GITEA_API}/hello/raw/docs/small.txt?ref=main`, isPublic: true },
  {
    name: "Gitea's private large file",
    path: "/demo/secret/raw/branch/main/big/blob.bin",
    isPublic: false,
    parts: PART_BYTES,
  },
  {
    name: "Gitea's private file",
    path: "/demo/secret/raw/branch/main/config/private.txt",
    isPublic: false,
  },
  {
    name: "Gitea's private records by the API",
    path: `${GITEA_API}/secret/raw/data/records.txt?ref=main`,
    isPublic: false,
  },
  { name: "list of runs", path: `${GITEA_API}/hello/actions/runs?limit=5`, isPublic: true },
  { name: "private list of runs", path: `${GITEA_API}/secret/actions/runs?limit=5`, isPublic: false },
];

/** Who may read all of it. */
const READERS = {
  gitlab: { "PRIVATE-TOKEN": "glpat-developer" },
  gitea: { Authorization: "token gitea-reader" },
} as const;

const SITE = "/demo/builds/site.zip!";

/** What a run reads, with the true bytes of each: the origins' own, asked for past the edge and the proxies. */
export async function readTargets(origins: Origins): Promise<Target[]> {
  const { store } = origins;
  const forges = await Promise.all([
    ...GITLAB_ROWS.map((row) => forgeTarget("gitlab", row, origins)),
    ...GITEA_ROWS.map((row) => forgeTarget("gitea", row, origins)),
  ]);
  const object = (name: string, path: string, more: Partial<Target> = {}): Target => {
    const [, bucket = "", ...key] = path.split("/");
    const bytes = store.get(bucket, key.join("/"))?.bytes() ?? Buffer.alloc(0);
    return { name, site: "s3", path, bytes, isPublic: bucket === "public", ...more };
  };
  const random = Buffer.concat([...pseudoRandomBytes("artifact", RANDOM_MEMBER_BYTES)]);
  return [
    ...forges,
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

async function forgeTarget(site: keyof typeof READERS, row: Row, origins: Origins): Promise<Target> {
  const response = await fetch(origins.demo[site].url + row.path, { headers: READERS[site] });
  if (response.status !== 200) throw new Error(`The origin answered ${response.status} for ${row.path}`);
  return { ...row, site, bytes: Buffer.from(await response.arrayBuffer()) };
}
