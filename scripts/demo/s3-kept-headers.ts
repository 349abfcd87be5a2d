import type { IncomingHttpHeaders } from "node:http";
import { headerOf } from "./s3-exchange.ts";
import { S3Failure } from "./s3-failure.ts";

const KEPT = new Set(["cache-control", "content-disposition", "content-language", "expires"]);
const UNKNOWN =
  /^x-amz-(server-side-encryption-customer-|server-side-encryption-aws-kms-|object-lock-|tagging$|website-)/;
const DEFAULT_TYPE = "binary/octet-stream";

/**
 * The headers of an upload that its object keeps and that every answer with it carries, by lower-case name; throws for those
 * that ask for what this store has not.
 */
export function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const unknown = Object.keys(headers).find((name) => UNKNOWN.test(name));
  if (unknown !== undefined) throw new S3Failure("NotImplemented", { elements: { Header: unknown } });
  const encoding = encodingOf(headers);
  const storageClass = headerOf(headers, "x-amz-storage-class") ?? "STANDARD";
  return {
    "content-type": headers["content-type"] ?? DEFAULT_TYPE,
    ...(encoding === "" ? {} : { "content-encoding": encoding }),
    // The usual class goes unsaid.
    ...(storageClass === "STANDARD" ? {} : { "x-amz-storage-class": storageClass }),
    ...Object.fromEntries(
      Object.keys(headers)
        .filter((name) => KEPT.has(name) || name.startsWith("x-amz-meta-"))
        .map((name) => [name, headerOf(headers, name) ?? ""]),
    ),
  };
}

/** The object's own encoding: `aws-chunked` is only that of its upload. */
function encodingOf(headers: IncomingHttpHeaders): string {
  return (headers["content-encoding"] ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "" && item.toLowerCase() !== "aws-chunked")
    .join(",");
}
