import type { Asking, Sent } from "./s3-client.ts";
import { KEYS } from "./s3-scene.ts";

/** Somebody who asks for objects, and how. */
export type S3Asker = {
  readonly name: string;
  /** What is theirs about a request; `method` is the one that is sent. */
  readonly asking: (method: string) => Partial<Asking>;
};

const { reader, other, writer } = KEYS;
const STRANGER = { id: "AKIASTRANGER", secret: "never heard of" };
const MINUTE_MS = 60_000;

const as = (name: string, asking: Partial<Asking>): S3Asker => ({ name, asking: () => asking });
const changed = (name: string, change: (sent: Sent) => Sent): S3Asker => as(name, { as: reader, change });
const presignedChanged = (name: string, change: (sent: Sent) => Sent): S3Asker =>
  as(name, { as: reader, by: "query", change });

const withHeader = (header: string, value: string) => (sent: Sent) => ({
  ...sent,
  headers: { ...sent.headers, [header]: value },
});
const withoutHeader = (header: string) => (sent: Sent) => ({
  ...sent,
  headers: Object.fromEntries(Object.entries(sent.headers).filter(([name]) => name !== header)),
});
const withAuthorization = (change: (text: string) => string) => (sent: Sent) =>
  withHeader("authorization", change(sent.headers["authorization"] ?? ""))(sent);
const withTarget = (change: (target: string) => string) => (sent: Sent) => ({
  ...sent,
  target: change(sent.target),
});
const withQuery = (more: string) =>
  withTarget((target) => `${target}${target.includes("?") ? "&" : "?"}${more}`);
const flipped = (text: string) =>
  text.replace(
    /(Signature=)(.)/,
    (_match, name: string, digit: string) => `${name}${digit === "0" ? "1" : "0"}`,
  );

/** Those who may read the private bucket. */
export const S3_READERS: readonly S3Asker[] = [
  as("the reader", { as: reader }),
  as("the reader, presigned", { as: reader, by: "query" }),
  as("the reader, payload unsigned", { as: reader, payload: "UNSIGNED-PAYLOAD" }),
  as("the writer", { as: writer }),
  as("the writer, presigned", { as: writer, by: "query", expiresS: 600 }),
];

/** Those whose signature is good, or who have none, and who may read only what is public. */
export const S3_STRANGERS: readonly S3Asker[] = [
  as("nobody", {}),
  as("another key", { as: other }),
  as("another key, presigned", { as: other, by: "query" }),
];

/** Those whose request is not what a key's holder signed for now: nothing at all is for them. */
export const S3_FORGERS: readonly S3Asker[] = [
  as("an unknown key", { as: STRANGER }),
  as("an unknown key, presigned", { as: STRANGER, by: "query" }),
  as("a wrong secret", { as: { ...reader, secret: other.secret } }),
  as("a wrong secret, presigned", { as: { ...reader, secret: other.secret }, by: "query" }),
  as("presigned and expired", { as: reader, by: "query", skewMs: -2 * MINUTE_MS }),
  as("presigned, not valid yet", { as: reader, by: "query", skewMs: 20 * MINUTE_MS, expiresS: 6000 }),
  as("presigned for longer than a week", { as: reader, by: "query", expiresS: 604_801 }),
  as("presigned for no time", { as: reader, by: "query", expiresS: 0 }),
  as("presigned for less than no time", { as: reader, by: "query", expiresS: -5 }),
  as("signed 16 minutes ago", { as: reader, skewMs: -16 * MINUTE_MS }),
  as("signed in 16 minutes", { as: reader, skewMs: 16 * MINUTE_MS }),
  as("signed for PUT", { as: reader, signed: { method: "PUT" } }),
  as("presigned for PUT", { as: reader, by: "query", signed: { method: "PUT" } }),
  {
    name: "signed for HEAD or GET, sent as the other",
    asking: (method) => ({ as: reader, signed: { method: method === "GET" ? "HEAD" : "GET" } }),
  },
  {
    name: "presigned for HEAD or GET, sent as the other",
    asking: (method) => ({ as: reader, by: "query", signed: { method: method === "GET" ? "HEAD" : "GET" } }),
  },
  as("signed for another host", { as: reader, signed: { host: "elsewhere.test" } }),
  as("presigned for another host", { as: reader, by: "query", signed: { host: "elsewhere.test" } }),
  as("signed for another region", { as: reader, region: "eu-central-1" }),
  as("presigned for another region", { as: reader, by: "query", region: "eu-central-1" }),
  as("signed for another service", { as: reader, service: "sts" }),
  as("signed for another path", { as: reader, signed: { path: "/demo/hello.txt" } }),
  as("presigned for another path", { as: reader, by: "query", signed: { path: "/demo/hello.txt" } }),
  as("signed with another query", { as: reader, query: "x-id=GetObject", signed: { query: "" } }),
  as("presigned with another query", {
    as: reader,
    by: "query",
    query: "x-id=GetObject",
    signed: { query: "" },
  }),
  changed("a parameter added behind the signature", withQuery("response-content-type=text%2Fhtml")),
  presignedChanged("a parameter added behind the presigned", withQuery("response-content-type=text%2Fhtml")),
  changed("an empty parameter added behind the signature", withQuery("x-id")),
  changed("a digit of the signature changed", withAuthorization(flipped)),
  presignedChanged("a digit of the presigned signature changed", withTarget(flipped)),
  changed(
    "the signature cut",
    withAuthorization((text) => text.slice(0, -1)),
  ),
  changed(
    "the signature gone",
    withAuthorization((text) => text.replace(/Signature=.*$/, "Signature=")),
  ),
  changed(
    "nothing of it but the algorithm",
    withAuthorization(() => "AWS4-HMAC-SHA256"),
  ),
  changed(
    "no algorithm",
    withAuthorization((text) => text.replace("AWS4-HMAC-SHA256 ", "")),
  ),
  changed(
    "another algorithm",
    withAuthorization((text) => text.replace("SHA256", "SHA1")),
  ),
  changed(
    "no credential",
    withAuthorization((text) => text.replace(/Credential=[^,]*, /, "")),
  ),
  changed(
    "another's credential",
    withAuthorization((text) => text.replace(reader.id, writer.id)),
  ),
  changed(
    "a credential of yesterday",
    withAuthorization((text) => text.replace(/\/\d{8}\//, "/20200101/")),
  ),
  changed(
    "a capital in the signature",
    withAuthorization((text) => text.replace(/[0-9a-f]{64}$/, (hex) => hex.toUpperCase())),
  ),
  changed(
    "host not among what is signed",
    withAuthorization((text) => text.replace("host;", "")),
  ),
  presignedChanged(
    "another's credential, presigned",
    withTarget((text) => text.replace(reader.id, writer.id)),
  ),
  presignedChanged(
    "a longer life",
    withTarget((text) => text.replace("Expires=60", "Expires=600")),
  ),
  presignedChanged(
    "another date",
    withTarget((text) => text.replace(/(X-Amz-Date=\d{8}T)\d{4}/, "$10000")),
  ),
  presignedChanged(
    "no signature",
    withTarget((text) => text.replace(/&X-Amz-Signature=.*$/, "")),
  ),
  presignedChanged("two signatures", withQuery(`X-Amz-Signature=${"0".repeat(64)}`)),
  presignedChanged("both ways at once", (sent) =>
    withHeader("authorization", "AWS4-HMAC-SHA256 Credential=a")(sent),
  ),
  as("an unsigned x-amz header", {
    as: reader,
    headers: { "x-amz-meta-a": "b" },
    unsigned: ["x-amz-meta-a"],
  }),
  as("an unsigned x-amz header, presigned", {
    as: reader,
    by: "query",
    headers: { "x-amz-meta-a": "b" },
    unsigned: ["x-amz-meta-a"],
  }),
  as("an x-amz header beside a signature that has none", {
    as: reader,
    change: withHeader("x-amz-security-token", "token"),
  }),
  as("a signed header taken away", {
    as: reader,
    headers: { "x-amz-meta-a": "b" },
    change: withoutHeader("x-amz-meta-a"),
  }),
  as("a signed header changed", {
    as: reader,
    headers: { "x-amz-meta-a": "b" },
    change: withHeader("x-amz-meta-a", "c"),
  }),
  as("a signed plain header changed", {
    as: reader,
    headers: { "content-type": "a/b" },
    change: withHeader("content-type", "a/c"),
  }),
  changed("the payload's hash changed", withHeader("x-amz-content-sha256", "0".repeat(64))),
  changed("no date", withoutHeader("x-amz-date")),
  changed("version 2, in the header", (sent) =>
    withHeader("authorization", `AWS ${reader.id}:c2lnbmF0dXJl`)(withoutHeader("x-amz-date")(sent)),
  ),
  as("version 2, in the query", {
    query: `AWSAccessKeyId=${reader.id}&Expires=99999999999&Signature=c2lnbmF0dXJl`,
  }),
  as("a password", {
    headers: { authorization: `Basic ${Buffer.from(`${reader.id}:${reader.secret}`).toString("base64")}` },
  }),
  as("a token", { headers: { authorization: `Bearer ${reader.secret}` } }),
];
