import { problemDocument, problemStatus, problemTitle, type ProblemName } from "../core/problem.ts";
import { s3ErrorDocument, s3Status } from "../core/s3-error.ts";
import type { Site } from "../core/site.ts";

/** A failure of our own as clients see it (RFC 9457); never stored by anyone. */
export function problemResponse(
  problem: ProblemName,
  headers: Record<string, string> = {},
  detail?: string,
): Response {
  return new Response(problemDocument(problem, detail), {
    status: problemStatus(problem),
    headers: { "Content-Type": "application/problem+json", "Cache-Control": "no-store", ...headers },
  });
}

/** To whom a failure is told. */
export type Addressee = { readonly site: Site; readonly method: string; readonly path: string };

export type FailureParts = {
  readonly problem: ProblemName;
  readonly headers?: Record<string, string>;
  readonly detail?: string | undefined;
  /** What S3 says of it besides. */
  readonly more?: Readonly<Record<string, string>>;
};

/** The same in the manner of the site: an object store's clients read XML. */
export function failureResponse(
  { site, method, path }: Addressee,
  { problem, headers = {}, detail, more = {} }: FailureParts,
): Response {
  if (site.kind !== "s3") return problemResponse(problem, headers, detail);
  const requestId = crypto.randomUUID();
  const message = detail === undefined ? problemTitle(problem) : `${problemTitle(problem)}: ${detail}`;
  const document = s3ErrorDocument({ problem, message, resource: path, requestId, more });
  return new Response(method === "HEAD" ? null : document, {
    status: s3Status(problem) ?? problemStatus(problem),
    headers: {
      "Content-Type": "application/xml",
      "Cache-Control": "no-store",
      "x-amz-request-id": requestId,
      ...headers,
    },
  });
}
