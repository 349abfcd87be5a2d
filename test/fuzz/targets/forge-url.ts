import fc from "fast-check";
import { bytesOf, insist, textOf, type FuzzTarget } from "../../../scripts/fuzz/target.ts";
import { isRewrittenByUrl } from "../../../src/core/request-path.ts";
import { route } from "../../../src/core/route.ts";
import type { ForgeKind } from "../../../src/core/site.ts";
import type { Target } from "../../../src/core/target.ts";
import { nameGrantKey } from "../../../src/serve/keys.ts";
import type { Visit } from "../../../src/serve/visit.ts";
import { readAgain, sameRead, type UrlReading } from "./url-reading.ts";
import { spellTarget } from "./spell-target.ts";

export type UrlParts = { readonly route: typeof route };

const PATH_BYTES = 4096;

/**
 * Input: two URLs of a forge, path and query, a line each. What is claimed must read the same when it is written in its plainest
 * spelling, by the product and by a reading of our own; two URLs have one key if and only if they name one thing; and
 * what other readers of URLs take in another way must not be claimed.
 */
export function forgeUrlTarget(kind: ForgeKind, parts: UrlParts = { route }): FuzzTarget {
  return {
    name: `${kind}-url`,
    holds: "text",
    mostBytes: 500,
    fresh: fc
      .tuple(urlOf(kind), urlOf(kind), fc.nat(3))
      .map(([one, other, same]) => bytesOf(`${one}\n${same === 0 ? other : respelled(one, same)}`)),
    words: WORDS,
    check: (input) => check(kind, parts, textOf(input)),
  };
}

const OID = "0123456789abcdef0123456789abcdef01234567";
const HOSTILE = [
  "..",
  ".",
  "%2e%2e",
  "%2E.",
  "%2f",
  "%2F",
  "%5c",
  "\\",
  "%00",
  "%0a",
  "%c0%af",
  "%e0%80%af",
  "%ff",
  "%25",
  "%252e%252e",
  "%",
  "//",
  ";",
  "%3B",
];
const WORDS = [
  ...HOSTILE,
  ..."/-/ /raw/ /media/ /branch/ /tag/ /commit/ /blob/ /jobs/ /artifacts /pipelines /actions/runs /actions/tasks /tree /download /browse/ /file/".split(
    " ",
  ),
  ..."?ref= ?ref_type=heads &ref_type=tags &inline=false &lfs=true ?format=tar &format=zip &path= &recursive=1 &page=2 &per_page=101 ?job=".split(
    " ",
  ),
  ..."&scope=running &status=success &ref[]=x &ref%5B%5D=x &private_token=s &sort=asc HEAD refs/heads/ %C3%A9 + & = ? 42 g%2Fp".split(
    " ",
  ),
  OID,
  "/api/v4/projects/",
  "/api/v1/repos/",
];

const word = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "a",
      "b",
      "main",
      "raw",
      "-",
      "x.txt",
      "v1.0",
      "HEAD",
      "branch",
      "tree",
      "file",
      OID,
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...HOSTILE, "a%20b", "%61", "\u00e9", "%C3%A9", "a+b") },
);
const words = fc.array(word, { minLength: 1, maxLength: 4 });
const below = words.map((all) => all.join("/"));
const encoded = words.map((all) => all.join("%2F"));
const project = fc.constantFrom("g/p", "g/h/p", "%67/p");
const id = fc.oneof(fc.constantFrom("42", "g%2Fp", "g%2fp", "g%2Fh%2Fp"), encoded);
const parameter = fc.oneof(
  fc.constantFrom(
    "ref=main",
    "ref=a%2Fb",
    "ref=",
    "ref=%ff",
    "ref[]=x",
    "inline=false",
    "inline=true",
    "ref_type=heads",
    "ref_type=TAGS",
    "lfs=true",
    "lfs=0",
  ),
  fc.constantFrom(
    "job=test",
    "job=%C3%A9",
    "format=tar",
    "format=zip",
    "path=a",
    "path=a/b/",
    "recursive=true",
    "page=2",
    "page=0",
    "per_page=500",
    "file_type=junit",
  ),
  fc.constantFrom(
    "scope=running",
    "scope[]=failed",
    "status=success",
    "sort=asc",
    "sort=desc",
    "per_page=20",
    "private_token=x",
    "branch=main",
    "limit=5",
    "x=y",
  ),
);
const query = fc
  .array(parameter, { maxLength: 3 })
  .map((all) => (all.length === 0 ? "" : `?${all.join("&")}`));

function urlOf(kind: ForgeKind): fc.Arbitrary<string> {
  const path = kind === "gitlab" ? fc.oneof(...GITLAB) : fc.oneof(...GITEA);
  return fc.tuple(path, query).map((all) => all.join(""));
}

const joined = (...pieces: readonly (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
  fc
    .tuple(...pieces.map((each) => (typeof each === "string" ? fc.constant(each) : each)))
    .map((all) => all.join(""));

const GITLAB = [
  joined("/", project, fc.constantFrom("/-/raw/", "/raw/"), below),
  joined("/api/v4/projects/", id, "/repository/files/", encoded, "/raw"),
  joined("/api/v4/projects/", id, "/repository/blobs/", word, "/raw"),
  joined(
    "/api/v4/projects/",
    id,
    "/jobs/",
    fc.constantFrom("1", "1001", "0"),
    "/artifacts",
    fc.constantFrom("", "/", "/tree", "/x/"),
    fc.oneof(below, fc.constant("")),
  ),
  joined(
    "/api/v4/projects/",
    id,
    "/jobs/artifacts/",
    encoded,
    fc.constantFrom("/download", "/raw/"),
    fc.oneof(below, fc.constant("")),
  ),
  joined(
    "/",
    project,
    "/-/jobs/1001/artifacts/",
    fc.constantFrom("download", "browse", "browse/", "file/", "raw/"),
    fc.oneof(below, fc.constant("")),
  ),
  joined(
    "/",
    project,
    "/-/jobs/artifacts/",
    below,
    fc.constantFrom("/download", "/browse/", "/file/", "/raw/"),
    fc.oneof(below, fc.constant("")),
  ),
  joined("/api/v4/projects/", id, "/pipelines", fc.constantFrom("", "/latest", "/7", "/7/jobs", "/x")),
];
const GITEA = [
  joined(
    "/o/r/",
    fc.constantFrom("raw/", "media/"),
    fc.constantFrom("branch/", "tag/", "commit/", "blob/", ""),
    below,
  ),
  joined(
    "/",
    word,
    "/",
    word,
    "/raw/",
    fc.constantFrom("branch/", `commit/${OID}/`, `blob/${OID}`, "tag/"),
    below,
  ),
  joined("/api/v1/repos/o/r/", fc.constantFrom("raw/", "media/"), below),
  joined("/api/v1/repos/", word, "/r/actions/", fc.constantFrom("runs", "tasks", "x")),
];

/** The same URL with one of its letters escaped, or another in one place. */
function respelled(url: string, how: number): string {
  const at = url.search(/[a-z](?=[^/]*$)/);
  if (at === -1) return url;
  const letter = url.charCodeAt(at);
  const by = how === 1 ? `%${letter.toString(16)}` : how === 2 ? "z" : `${url.charAt(at)}%2F`;
  return url.slice(0, at) + by + url.slice(at + 1);
}

type Claimed = { readonly key: string; readonly plain: string; readonly reading: UrlReading };

function check(kind: ForgeKind, parts: UrlParts, text: string): string {
  const [one = "", other = ""] = text.split("\n");
  const outcomes: string[] = [];
  const claimed: Claimed[] = [];
  for (const url of [one, other]) {
    if (!isSent(url)) return "no URL";
    const { outcome, claim } = checkUrl(kind, parts, url);
    outcomes.push(outcome);
    if (claim !== undefined) claimed.push(claim);
  }
  const [a, b] = claimed;
  if (a === undefined || b === undefined) return outcomes[0] ?? "";
  const isOne = sameRead(a.reading, b.reading);
  insist((a.key === b.key) === isOne, "gives one key to one thing", () => ({ a, b }));
  insist((a.plain === b.plain) === isOne, "has one normal form for one thing", () => ({ a, b }));
  return `${outcomes[0]}, ${isOne ? "twice" : "and another"}`;
}

/** What can stand in the first line of a request (RFC 9112 §3.2), and bytes past ASCII, which some servers let pass. */
function isSent(url: string): boolean {
  return /^\/[!"$-~\u0080-\u00ff]*$/.test(url);
}

function checkUrl(kind: ForgeKind, parts: UrlParts, url: string): { outcome: string; claim?: Claimed } {
  const { path, search } = split(url);
  insistOnRewritten(path);
  const answer = parts.route(kind, askedOf(url), PATH_BYTES);
  if (answer.kind !== "target") return { outcome: answer.kind === "pass" ? "pass" : answer.problem };
  const { target } = answer;
  insist(target.lane !== "object", "claims what a forge has", () => target);
  const reading = readAgain(kind, target, path, search);
  insist(
    reading.kind === "read",
    `claims no URL with ${reading.kind === "odd" ? reading.why : ""}`,
    () => target,
  );
  const plain = spellTarget(kind, target);
  const again = parts.route(kind, askedOf(plain), PATH_BYTES * 3);
  const isSame = again.kind === "target" && JSON.stringify(again.target) === JSON.stringify(target);
  insist(isSame, "reads the plainest spelling of a target as that", () => ({ target, plain, again }));
  const plainParts = split(plain);
  const plainReading = readAgain(kind, target, plainParts.path, plainParts.search);
  insist(sameRead(reading, plainReading), "reads what the URL says", () => ({
    reading,
    plain,
    plainReading,
  }));
  return { outcome: shapeOf(target), claim: { key: keyOf(target), plain, reading } };
}

function askedOf(url: string) {
  const scheme = "https:" as const;
  return { method: "GET", ...split(url), bucket: undefined, corsOrigin: undefined, scheme };
}

function split(url: string): { path: string; search: string } {
  const at = url.indexOf("?");
  return at === -1 ? { path: url, search: "" } : { path: url.slice(0, at), search: url.slice(at) };
}

/** All that tells a target's answers from others': what grants and facts are kept under, and what of an archive is asked for. */
function keyOf(target: Target): string {
  const visit = { site: { host: "h" }, target, asker: { id: "0" } } as unknown as Visit;
  const inside = target.lane === "artifact" ? target.inside : undefined;
  return `${nameGrantKey(visit)} ${JSON.stringify(inside ?? "")}`;
}

function shapeOf(target: Exclude<Target, { lane: "object" }>): string {
  if (target.lane === "raw") return `${target.lane} ${target.channel} ${target.name.kind} ${target.variant}`;
  if (target.lane === "pipelines") return `${target.lane} ${target.resource.kind}`;
  return `${target.lane} ${target.channel} ${target.job.kind} ${target.inside?.kind}`;
}

/** What a URL parser would make another path of is known as such. */
function insistOnRewritten(path: string): void {
  const parsed = new URL(`http://h${path}`).pathname;
  const isOther = parsed.split("/").length !== path.split("/").length;
  insist(!isOther || isRewrittenByUrl(path), "knows which paths a URL parser rewrites", () => ({
    path,
    parsed,
  }));
}
