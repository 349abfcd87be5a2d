import crypto from "k6/crypto";
import type { StoreAsker } from "../../../scripts/load/plan.ts";

const UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD";
const SIGNED_HEADERS = "host;x-amz-content-sha256;x-amz-date";

/** Header fields that sign a request without a body as a key's owner (AWS Signature Version 4); the URL is encoded already. */
export function signatureHeaders(
  key: NonNullable<StoreAsker["key"]>,
  method: "GET" | "HEAD",
  url: string,
): Record<string, string> {
  const [, host = "", path = "/", query = ""] = /^https?:\/\/([^/]+)([^?]*)\??(.*)$/.exec(url) ?? [];
  const date = `${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
  const scope = `${date.slice(0, 8)}/${key.region}/s3/aws4_request`;
  const canonical = [
    method,
    path === "" ? "/" : path,
    canonicalQuery(query),
    `host:${host}\nx-amz-content-sha256:${UNSIGNED_PAYLOAD}\nx-amz-date:${date}\n`,
    SIGNED_HEADERS,
    UNSIGNED_PAYLOAD,
  ].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", date, scope, crypto.sha256(canonical, "hex")].join("\n");
  const signature = crypto.hmac("sha256", signingKey(key, date.slice(0, 8)), toSign, "hex");
  return {
    "x-amz-content-sha256": UNSIGNED_PAYLOAD,
    "x-amz-date": date,
    Authorization: `AWS4-HMAC-SHA256 Credential=${key.id}/${scope}, SignedHeaders=${SIGNED_HEADERS}, Signature=${signature}`,
  };
}

function canonicalQuery(query: string): string {
  if (query === "") return "";
  const pairs = query.split("&").map((pair) => (pair.includes("=") ? pair : `${pair}=`));
  return pairs.toSorted().join("&");
}

const keys = new Map<string, ArrayBuffer>();

/** A key is good for a day, a region and a service. */
function signingKey({ id, secret, region }: NonNullable<StoreAsker["key"]>, day: string): ArrayBuffer {
  const name = `${id} ${day}`;
  const known = keys.get(name);
  if (known !== undefined) return known;
  let made: ArrayBuffer | string = `AWS4${secret}`;
  for (const part of [day, region, "s3", "aws4_request"]) made = crypto.hmac("sha256", made, part, "binary");
  keys.set(name, made as ArrayBuffer);
  return made as ArrayBuffer;
}
