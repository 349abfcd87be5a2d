import fc from "fast-check";
import { bytesOf, insist, textOf, type FuzzTarget } from "../../../scripts/fuzz/target.ts";
import { objectUrls } from "../../../src/core/inside-urls.ts";
import { canonicalPath } from "../../../src/core/object-path.ts";
import { Failure } from "../../../src/core/problem.ts";
import { route } from "../../../src/core/route.ts";
import type { ObjectTarget } from "../../../src/core/target.ts";
import { storeUrl } from "../../../src/origin/store-request.ts";
import { nameGrantKey, writtenKeys } from "../../../src/serve/keys.ts";
import type { Visit } from "../../../src/serve/visit.ts";
import { percentDecoded as decodedOnce } from "./percent-decoded.ts";

export type S3UrlParts = { readonly route: typeof route; readonly storeUrl: typeof storeUrl };

const PATH_BYTES = 4096;

/**
 * Input: two times the bucket in the host name (or nothing) and the URL, a line each. A key is whatever its bytes are after one
 * decoding: two URLs have one key if and only if they name one object (in the path or in the host), the path that is sent on
 * survives a URL parser, and the links of a listing lead to what they name.
 */
export function s3UrlTarget(parts: S3UrlParts = { route, storeUrl }): FuzzTarget {
  return {
    name: "s3-url",
    holds: "text",
    mostBytes: 500,
    fresh: fc.tuple(oneUrl, oneUrl).map((all) => bytesOf(all.flat().join("\n"))),
    words: [
      ...SEGMENTS,
      ..."?versionId= &response-content-type= ?zip=list ?zip=entry &path= &page= &recursive=true !/ .zip!/ %2e%2e%2f ?x-id=GetObject ?acl ?partNumber=1".split(
        " ",
      ),
    ],
    check: (input) => check(parts, textOf(input)),
  };
}

const SEGMENTS = [
  "",
  ".",
  "..",
  "%2e",
  "%2E%2e",
  "a",
  "b",
  "%2F",
  "%2f",
  "%5C",
  "\\",
  "+",
  "%20",
  "%2B",
  "%00",
  "%0A",
  "%ff",
  "%c0%af",
  "%25",
  "%252e",
  "%",
  "\u00e9",
  "%C3%A9",
  "a.zip",
  "a.zip!",
  "!",
  "*",
  "'",
  "~",
  "%7E",
  ";",
  ":",
  "@",
  "//",
];
const anyPath = fc
  .tuple(
    fc.constantFrom("bucket", "b.2", "buck%65t", "x", ".."),
    fc.array(
      fc.oneof(fc.constantFrom(...SEGMENTS), fc.constantFrom("a", "b", "c.txt", "site.zip!", "A.ZIP!")),
      { minLength: 1, maxLength: 5 },
    ),
  )
  .map(([bucket, key]) => `/${[bucket, ...key].join("/")}`);
const parameter = fc.constantFrom(
  "versionId=1",
  "versionId=%31",
  "versionId=",
  "response-content-type=a/b",
  "response-content-type=a%2Fb",
  "response-expires=x y",
  "zip=list",
  "zip=entry",
  "zip=tar",
  "path=a",
  "path=a%2Fb",
  "path=../a",
  "path=a/",
  "page=2",
  "x-id=GetObject",
  "acl",
  "X-Amz-Date=1",
  "x=y",
);
const query = fc
  .array(parameter, { maxLength: 3 })
  .map((all) => (all.length === 0 ? "" : `?${all.join("&")}`));
const oneUrl = fc.tuple(
  fc.constantFrom("", "", "bucket", "b.2"),
  fc.tuple(anyPath, query).map((all) => all.join("")),
);

type Claimed = { readonly key: string; readonly resource: string };

function check(parts: S3UrlParts, text: string): string {
  const [host = "", url = "", otherHost = "", otherUrl = ""] = text.split("\n");
  const one = checkUrl(parts, host, url);
  const other = checkUrl(parts, otherHost, otherUrl);
  if (typeof one === "string") return one;
  if (typeof other === "string") return one.shape;
  const isOne = one.resource === other.resource;
  insist((one.key === other.key) === isOne, "gives one key to one thing", () => ({ one, other }));
  return `${one.shape}, ${isOne ? "twice" : "and another"}`;
}

function checkUrl(
  parts: S3UrlParts,
  host: string,
  url: string,
): string | (Claimed & { readonly shape: string }) {
  if (!/^\/[!"$-~\u0080-\u00ff]*$/.test(url) || !/^[a-z0-9.-]*$/.test(host)) return "no URL";
  const [urlPath = "", ...rest] = url.split("?");
  const search = rest.length === 0 ? "" : `?${rest.join("?")}`;
  insistOnSending(parts, urlPath);
  const bucket = host === "" ? undefined : host;
  const ask = (askedPath: string, askedSearch: string, askedBucket = bucket) => {
    const asked = {
      method: "GET",
      path: askedPath,
      search: askedSearch,
      bucket: askedBucket,
      corsOrigin: undefined,
    };
    return parts.route("s3", { ...asked, scheme: "https:" }, PATH_BYTES * 4);
  };
  const answer = ask(urlPath, search);
  if (answer.kind !== "target") return answer.kind === "pass" ? "pass" : answer.problem;
  const { target } = answer;
  insist(target.lane === "object", "claims what a store has", () => target);
  const resource = JSON.stringify(readAgain(bucket, urlPath, search));
  const plain = target.literal ?? target;
  const named = JSON.stringify([plain.bucket, plain.key]);
  insist(resource.startsWith(`[${named.slice(1, -1)},`), "reads the object that the URL names", () => ({
    target,
    resource,
  }));
  const isNameable = bucket === undefined || !/^\.{1,2}(?:\/|$)/.test(target.key); // no URL parser lets such a path be
  if (target.inside !== undefined && isNameable) insistOnLinks(target, bucket, ask);
  return {
    key: keyOf(target),
    resource,
    shape: `${target.inside?.kind} ${target.literal !== undefined} ${bucket !== undefined}`,
  };
}

/** The path as it is sent is the very one after a URL parser and one decoding, and both forms stay as they are. */
function insistOnSending(parts: S3UrlParts, path: string): void {
  const decoded = decodedOnce(path);
  if (decoded === undefined) return;
  const sent = sentPath(parts, path);
  if (sent !== undefined) {
    const arrived = new URL(`http://h${sent}`).pathname;
    insist(arrived === sent, "sends what no URL parser changes", () => ({ path, sent, arrived }));
    insist(decodedOnce(sent) === decoded, "sends the path that was asked for", () => ({ path, sent }));
  }
  const canonical = canonicalPath(path);
  insist(
    canonicalPath(canonical) === canonical && decodedOnce(canonical) === decoded,
    "has one canonical path",
    () => canonical,
  );
}

/** A path that cannot be sent is refused: only the first segment after a host, where a bucket would stand, has no other spelling. */
function sentPath({ storeUrl: send }: S3UrlParts, path: string): string | undefined {
  try {
    return send("", path, "");
  } catch (error) {
    insist(error instanceof Failure && error.problem === "bad_path", "fails as declared", () =>
      String(error),
    );
    insist(/^\/(?:\.|%2e){1,2}(?:\/|%2f|$)/i.test(path), "refuses only what cannot be sent", () => path);
    return undefined;
  }
}

/** What leads on from a listing is again a part of that very archive. */
function insistOnLinks(
  target: ObjectTarget,
  bucket: string | undefined,
  ask: (path: string, search: string) => ReturnType<typeof route>,
): void {
  const { urls } = objectUrls(target, bucket);
  const { inside, ...object } = target;
  const links = [
    [urls.file("a b/\u00e9"), "entry", "a b/\u00e9"],
    [urls.directory("d/", 1), "browse", "d"],
    [urls.download("d", "tar"), "tar", "d"],
  ] as const;
  for (const [link, kind, path] of links) {
    const parsed = new URL(link, "http://h/");
    insist(parsed.host === "h", "links to its own host", () => link);
    const again = ask(parsed.pathname, parsed.search);
    const isRight =
      again.kind === "target" &&
      again.target.lane === "object" &&
      again.target.inside?.kind === kind &&
      again.target.inside.path === path &&
      again.target.key === object.key &&
      again.target.bucket === object.bucket &&
      again.target.versionId === object.versionId;
    insist(isRight, "links to what is in the archive", () => ({ target, link, again, inside }));
  }
}

function keyOf(target: ObjectTarget): string {
  const visit = { site: { host: "h" }, target, asker: { id: "0" } } as unknown as Visit;
  const plain = target.literal ?? target;
  return JSON.stringify([nameGrantKey(visit), target.inside ?? "", writtenKeys(visit, plain)]);
}

/** The object and whatever else of the URL tells one answer from another, by a reading of our own. */
function readAgain(host: string | undefined, path: string, search: string): readonly unknown[] {
  const decoded = decodedOnce(path) ?? "";
  const whole = host === undefined ? decoded : `/${host}${decoded}`;
  const [, bucket = "", key = ""] = /^\/([^/]*)\/?(.*)$/s.exec(whole) ?? [];
  const said = search
    .slice(1)
    .split("&")
    .map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [name, decodedOnce(value.join("=").replaceAll("+", " "))] as const;
    })
    .filter(([name]) => /^(?:versionId|response-.*|zip|path|page|per_page|recursive)$/.test(name));
  const zip = said.find(([name]) => name === "zip")?.[1];
  const meant = zip === undefined ? said : said.flatMap(([name, value]) => meaning(zip, name, value));
  const mark = zip === undefined ? /^(.*?.\.zip)!\/(.*)$/is.exec(key) : null;
  const inner = mark?.[2] ?? "";
  const isInside = mark !== null && isPlainPath(inner);
  if (isInside && (inner === "" || inner.endsWith("/")))
    meant.push(["zip", "browse"], ["path", inner.replace(/\/$/, "")]);
  else if (isInside) meant.push(["zip", "entry"], ["path", inner]);
  const spelled = [...new Set(meant.filter(([, value]) => value !== "").map((pair) => JSON.stringify(pair)))];
  return [bucket, key, isInside ? mark[1] : key, spelled.toSorted()];
}

function isPlainPath(path: string): boolean {
  const segments = path.replace(/\/$/, "").split("/");
  return path === "" || (!path.includes("\\") && segments.every((each) => !["", ".", ".."].includes(each)));
}

function meaning(
  zip: string,
  name: string,
  value: string | undefined,
): (readonly [string, string | undefined])[] {
  if (["versionId", "zip"].includes(name) || name.startsWith("response-")) return [[name, value]];
  if (name === "path")
    return [[name, zip === "entry" ? value : (value ?? "").replace(/^\/$/, "").replace(/\/$/, "")]];
  const isListing = zip === "list" || (zip === "browse" && name === "page");
  if (!isListing || value === "") return [];
  if (name === "recursive") return /^(?:1|t|true|y|yes|on)$/i.test(value ?? "") ? [[name, "true"]] : [];
  const [fallback, most] = name === "page" ? [1, 1_000_000] : [20, 100];
  const count = Math.min(Math.max(Number(value), 1), most);
  return count === fallback ? [] : [[name, String(count)]];
}
