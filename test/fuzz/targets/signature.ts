import fc from "fast-check";
import { bytesOf, insist, textOf, type FuzzTarget } from "../../../scripts/fuzz/target.ts";
import { route } from "../../../src/core/route.ts";
import { formatAmzDate } from "../../../src/core/signature.ts";
import type { StoreSite } from "../../../src/core/site.ts";
import type { Signer } from "../../../src/core/signer.ts";
import { sigv4 } from "../../../src/origin/sigv4.ts";
import type { Ports } from "../../../src/serve/ports.ts";
import { readStoreAsker, type StoreAsker } from "../../../src/serve/store-asker.ts";
import { presignedWire, signedWire, type Signing, type Wire } from "../../origin/independent-signer.ts";
import { percentDecoded } from "./percent-decoded.ts";

/**
 * Input: "header" or "query", the method, the path, the query, header fields ("name: value", up to an empty line), then edits of
 * the signed request: "path=/x", "search+=&a=b", "method=PUT", "host=h", "now+=60", "authorization~17" (that character changed),
 * "range=bytes=0-1" (a field). What is signed by a signer of our own is accepted; and what is still accepted after the edits
 * is the same request, by the same key, of the same object.
 */
export function signatureTarget(signer: Signer = sigv4()): FuzzTarget {
  return {
    name: "signature",
    holds: "text",
    mostBytes: 600,
    fresh,
    words: [
      ..."\npath= \nsearch= \nsearch+=& \nmethod=PUT \nhost=x \nnow+=900 \nnow+=901 \nnow-=901 \nauthorization= \nauthorization~9 \nsearch~99 %2F %2f %20 + %2B // /../ %00 %".split(
        " ",
      ),
      ..."X-Amz-Signature= x-amz-signature= X-Amz-Expires=1 X-Amz-Date= X-Amz-Credential= X-Amz-SignedHeaders=host __proto__=1 versionId=1 response-expires=1 acl".split(
        " ",
      ),
      ..."\nrange: \nx-amz-meta-a: \nx-amz-content-sha256=UNSIGNED-PAYLOAD \nx-amz-date= \nx-amz-security-token=a AWS4-HMAC-SHA256 Credential= SignedHeaders= Signature= ; ,".split(
        " ",
      ),
    ],
    check: (input) => check(signer, textOf(input)),
  };
}

const SIGNING: Signing = {
  accessKey: "AKIA",
  secret: "secret",
  date: "20130524T000000Z",
  region: "us-east-1",
};
const AT = Date.UTC(2013, 4, 24);
const HOST = "s3.example.com";
const SITE: StoreSite = {
  host: HOST,
  origin: "https://origin",
  kind: "s3",
  auth: "edge",
  region: "us-east-1",
};
const EXPIRES_S = 3600;

const segment = fc.constantFrom(
  "a",
  "b",
  "c d",
  "%20",
  "+",
  "%2B",
  "%2F",
  ".",
  "..",
  "",
  "%C3%A9",
  "~",
  "%7E",
  "*",
  "!",
  "a.zip!",
  "%41",
  "=",
  "&",
);
const path = fc.array(segment, { maxLength: 4 }).map((all) => `/bucket/${all.join("/")}`);
const parameter = fc.constantFrom(
  "versionId=1",
  "a=b",
  "a=b",
  "a=a",
  "A=1",
  "x%20y=1",
  "x+y=1",
  "acl",
  "=v",
  "e=%C3%A9",
  "response-content-type=x",
  "a%5B%5D=1",
  "x-id=GetObject",
  "b",
  "b=",
  "__proto__=1",
  "zip=list",
);
const query = fc
  .array(parameter, { maxLength: 4 })
  .map((all) => (all.length === 0 ? "" : `?${all.join("&")}`));
const field = fc.constantFrom(
  "range: bytes=0-9",
  "x-amz-meta-a:  b   c ",
  "content-type: a/b",
  'if-match: "a"',
  "x-amz-date: 1",
);
const edit = fc.oneof(
  fc.constantFrom(
    "path=/bucket/other",
    "path+=x",
    "path+=/",
    "path=/bucket/%61",
    "search+=&a=b",
    "search=",
    "search+=&x-amz-signature=1",
    "method=HEAD",
    "method=PUT",
    "host=other.example.com",
  ),
  fc.constantFrom(
    "range=bytes=0-1",
    "x-amz-meta-a=c",
    "x-amz-meta-new=1",
    "x-amz-date=20130524T000001Z",
    "x-amz-content-sha256=UNSIGNED-PAYLOAD",
    "authorization=",
    "authorization+=x",
  ),
  fc
    .tuple(fc.constantFrom("authorization", "search", "path"), fc.nat(420))
    .map(([name, at]) => `${name}~${at}`),
  fc
    .tuple(fc.constantFrom("now+=", "now-="), fc.constantFrom(1, 899, 900, 901, 3599, 3600, 3601))
    .map((all) => all.join("")),
);
const fresh = fc
  .record({
    place: fc.constantFrom("header", "query"),
    method: fc.constantFrom("GET", "GET", "HEAD", "PUT"),
    path,
    query,
    fields: fc.uniqueArray(field, { maxLength: 2 }),
    edits: fc.array(edit, { maxLength: 2 }),
  })
  .map(({ place, method, path: at, query: search, fields, edits }) =>
    bytesOf([place, method, at, search, ...fields, "", ...edits].join("\n")),
  );

type Asked = { readonly wire: Wire; readonly now: number };

function check(signer: Signer, text: string): string {
  const lines = text.split("\n");
  const end = lines.indexOf("", 4);
  const edits = end === -1 ? [] : lines.slice(end + 1);
  const plain = readWire(lines.slice(0, end === -1 ? undefined : end));
  if (plain === undefined) return "no request";
  const signed = lines[0] === "query" ? presignedWire(plain, SIGNING, EXPIRES_S) : signedWire(plain, SIGNING);
  const first = ask(signer, { wire: signed, now: AT });
  const isClear = isWellEncoded(plain) && !isSpecial(plain);
  insist(!isClear || first.kind === "key", "accepts what is signed", () => ({ first, signed }));
  let edited: Asked = { wire: signed, now: AT };
  for (const each of edits) edited = edit1(edited, each);
  if (!isSendable(edited.wire)) return `${first.kind}, no request`;
  const answer = ask(signer, edited);
  if (answer.kind !== "key")
    return `${first.kind}, ${answer.kind === "refused" ? answer.problem : answer.kind}`;
  insistOnSame({ wire: signed, now: AT }, edited, answer);
  return `${first.kind}, key${edits.length === 0 ? "" : " after edits"}`;
}

function readWire([, method = "", path1 = "", search = "", ...fields]: readonly string[]): Wire | undefined {
  const headers = Object.fromEntries(
    fields.map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
  const wire = { method, host: HOST, path: path1, search, headers };
  return isSendable(wire) ? wire : undefined;
}

/** What a server lets pass (RFC 9110 §5, RFC 9112 §3). */
function isSendable({ method, host, path: at, search, headers }: Wire): boolean {
  const isUrl = /^\/[!"$->@-~\u0080-\u00ff]*$/.test(at) && /^(?:\?[!"$-~\u0080-\u00ff]*)?$/.test(search);
  const areFields = Object.entries(headers).every(
    ([name, value]) =>
      /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) &&
      /^(?:[!-~\u0080-\u00ff](?:[\t -~\u0080-\u00ff]*[!-~\u0080-\u00ff])?)?$/.test(value),
  );
  return isUrl && areFields && /^[A-Z]{1,9}$/.test(method) && /^[a-z0-9.:-]+$/.test(host);
}

/** Each part is UTF-8 after one decoding. */
function isWellEncoded({ path: at, search }: Wire): boolean {
  return [at, ...search.split(/[?&=]/)].every(
    (each) => percentDecoded(each) !== undefined && /^[ -~]*$/.test(each),
  );
}

/** Has what a signature is not made over, or says something of the signature itself. */
function isSpecial({ search, headers, method, path: at }: Wire): boolean {
  const names = [...new URLSearchParams(search).keys()].map((each) => each.toLowerCase());
  const isOdd = names.some(
    (name) =>
      name.startsWith("x-amz-") ||
      name === "__proto__" ||
      name === "" ||
      name === "awsaccesskeyid" ||
      name === "signature",
  );
  const isTold = Object.entries(headers).some(
    ([name, value]) =>
      /^(?:x-amz-(?:date|content-sha256)|authorization|host|__proto__)$/.test(name) ||
      /[^ -~]| {2}|\t/.test(value),
  );
  return isOdd || isTold || search === "?" || /[?&]&|&$/.test(search) || method === "" || at.includes("?");
}

/** Edits the request, or the time it arrives at. */
function edit1({ wire, now }: Asked, text: string): Asked {
  const [, name = "", how = "", value = ""] = /^([a-z0-9-]+?)(\+=|-=|=|~)(.*)$/s.exec(text) ?? [];
  const before =
    name === "now"
      ? ""
      : name === "path" || name === "search" || name === "method" || name === "host"
        ? wire[name]
        : (wire.headers[name] ?? "");
  if (name === "now")
    return { wire, now: now + (how === "-=" ? -1 : 1) * 1000 * Number(/^\d{1,8}$/.exec(value)?.[0] ?? 0) };
  const changed =
    how === "+="
      ? before + value
      : how === "~"
        ? changedAt(before, Number(/^\d{1,4}$/.exec(value)?.[0] ?? 0))
        : value;
  if (name === "path" || name === "search" || name === "method" || name === "host")
    return { wire: { ...wire, [name]: changed }, now };
  return name === ""
    ? { wire, now }
    : { wire: { ...wire, headers: { ...wire.headers, [name]: changed } }, now };
}

function changedAt(text: string, at: number): string {
  const place = text === "" ? 0 : at % text.length;
  const by = text[place] === "0" ? "1" : "0";
  return text.slice(0, place) + by + text.slice(place + 1);
}

function ask(signer: Signer, { wire, now }: Asked): StoreAsker {
  const config = { storeKeys: new Map([[SIGNING.accessKey, SIGNING.secret]]) };
  const ports = { config, signer, now: () => now } as unknown as Ports;
  const { method, host, path: at, search } = wire;
  const headers = new Headers(wire.headers);
  const acceptEncoding = () => headers.get("accept-encoding");
  return readStoreAsker(ports, SITE, { method, host, path: at, search, headers, acceptEncoding });
}

/** The same key, date, expiry, method, object, parameters and signed fields; and in time. */
function insistOnSame(before: Asked, after: Asked, answer: StoreAsker & { readonly kind: "key" }): void {
  const [was, is] = [before.wire, after.wire];
  const { signature } = answer;
  insist(
    answer.accessKey === SIGNING.accessKey && was.method === is.method,
    "accepts no other method",
    () => is,
  );
  insist(was.host === is.host, "accepts no other host", () => is);
  const [one, other] = [targetOf(was), targetOf(is)];
  // An empty parameter says nothing, but makes it a question for the origin.
  insist(one === undefined || other === undefined || one === other, "accepts no other object", () => ({
    was,
    is,
  }));
  insist(percentDecoded(was.path) === percentDecoded(is.path), "accepts no other path", () => ({ was, is }));
  insist(meant(was) === meant(is), "accepts no other parameters", () => ({ was: meant(was), is: meant(is) }));
  for (const name of signature.signedHeaders) {
    if (name === "host") continue;
    const fold = (value = "") => value.trim().replaceAll(/[ \t]+/g, " ");
    insist(
      fold(was.headers[name]) === fold(is.headers[name]),
      "accepts no other field that is signed",
      () => ({ name, is }),
    );
  }
  const unsigned = Object.keys(is.headers).filter(
    (name) =>
      name.startsWith("x-amz-") && name !== "x-amz-content-sha256" && !signature.signedHeaders.includes(name),
  );
  insist(unsigned.length === 0, "accepts no field of Amazon's that is not signed", () => unsigned);
  insist(signature.date === formatAmzDate(AT), "accepts no other date", () => signature);
  const age = (after.now - AT) / 1000;
  const isInTime =
    signature.expiresS === undefined
      ? Math.abs(age) <= 900
      : age >= -900 && age < EXPIRES_S && signature.expiresS === EXPIRES_S;
  insist(isInTime, "accepts nothing out of time", () => ({ age, signature }));
}

function targetOf({ method, path: at, search }: Wire): string | undefined {
  const answer = route(
    "s3",
    { method, path: at, search, bucket: undefined, corsOrigin: undefined, scheme: "https:" },
    9999,
  );
  return answer.kind === "target" ? JSON.stringify(answer.target) : undefined;
}

/** All parameters, decoded, in an order of their own. */
function meant({ search }: Wire): string {
  const pairs = search
    .slice(1)
    .split("&")
    .filter((each) => each !== "" && each !== "=");
  const read = pairs.map((each) => {
    const at = each.includes("=") ? each.indexOf("=") : each.length;
    return JSON.stringify(
      [each.slice(0, at), each.slice(at + 1)].map(
        (part) => percentDecoded(part.replaceAll("+", " ")) ?? part,
      ),
    );
  });
  return read.toSorted().join("&");
}
