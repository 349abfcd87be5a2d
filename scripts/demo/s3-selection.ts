import type { IncomingHttpHeaders } from "node:http";
import type { ByteRange } from "./blob-response.ts";
import type { S3Object } from "./s3-buckets.ts";
import { rangeApplies } from "./s3-conditions.ts";
import { headerOf } from "./s3-exchange.ts";
import type { ObjectExchange } from "./s3-exchange.ts";
import { S3Failure } from "./s3-failure.ts";
import { s3Range } from "./s3-range.ts";

/** What a GET or HEAD is answered with: the whole object or a part of it, and the headers that say so. */
export interface Selection {
  readonly status: 200 | 206;
  readonly range: ByteRange;
  readonly headers: Readonly<Record<string, string | number>>;
}

/** Chooses by `partNumber` or `Range`; throws where that cannot be had. */
export function select({ request: { headers }, target }: ObjectExchange, object: S3Object): Selection {
  const { size } = object.content;
  const partNumber = target.query.get("partNumber");
  if (partNumber !== undefined) return selectPart(headers, object, partNumber);
  const wanted = rangeApplies(headerOf(headers, "if-range"), object) ? headers.range : undefined;
  const answer = s3Range(wanted, size);
  if (answer.kind === "whole") return { status: 200, range: { start: 0, end: size }, headers: {} };
  if (answer.kind === "part") return part(answer.range, size);
  throw new S3Failure("InvalidRange", {
    elements: { RangeRequested: headers.range ?? "", ActualObjectSize: size },
  });
}

/** `?partNumber=`, by which clients fetch what was uploaded in parts; any other object is its own first part. */
function selectPart(headers: IncomingHttpHeaders, { content, partSizes }: S3Object, text: string): Selection {
  if (headers.range !== undefined)
    throw new S3Failure("InvalidRequest", {
      message: "Cannot specify both Range header and partNumber query parameter",
    });
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > 10_000)
    throw new S3Failure("InvalidArgument", {
      message: "Part number must be an integer between 1 and 10000, inclusive",
      elements: { ArgumentName: "partNumber", ArgumentValue: text },
    });
  const sizes = partSizes ?? [content.size];
  const size = sizes[number - 1];
  if (size === undefined)
    throw new S3Failure("InvalidPartNumber", {
      elements: { PartNumberRequested: number, ActualPartCount: sizes.length },
    });
  if (size === 0) return { status: 200, range: { start: 0, end: 0 }, headers: {} };
  const start = sizes.slice(0, number - 1).reduce((sum, each) => sum + each, 0);
  const { status, range, headers: described } = part({ start, end: start + size }, content.size);
  const count = partSizes === undefined ? {} : { "x-amz-mp-parts-count": partSizes.length };
  return { status, range, headers: { ...described, ...count } };
}

function part(range: ByteRange, size: number): Selection {
  const headers = { "Content-Range": `bytes ${range.start}-${range.end - 1}/${size}` };
  return { status: 206, range, headers };
}
