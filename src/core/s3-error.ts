import type { ProblemName } from "./problem.ts";
import { ZIP_PROBLEMS, type ZipProblem } from "./zip/problems.ts";

/** How S3 names our own failures, and its status where that is another one (S3: "Error responses"). */
const CODES: Readonly<Record<ProblemName, readonly [code: string, status?: number]>> = {
  bad_path: ["InvalidURI"],
  path_too_long: ["KeyTooLongError", 400],
  signature_malformed: ["AuthorizationHeaderMalformed"],
  signature_scope: ["AuthorizationHeaderMalformed"],
  presigned_malformed: ["AuthorizationQueryParametersError"],
  access_key_unknown: ["InvalidAccessKeyId"],
  signature_mismatch: ["SignatureDoesNotMatch"],
  signature_skewed: ["RequestTimeTooSkewed"],
  signature_early: ["AccessDenied"],
  signature_expired: ["AccessDenied"],
  payload_hash_missing: ["MissingSecurityHeader"],
  override_unsigned: ["InvalidRequest"],
  headers_unsigned: ["AccessDenied"],
  chunk_signature_mismatch: ["SignatureDoesNotMatch"],
  chunk_malformed: ["IncompleteBody"],
  unauthorized: ["AccessDenied"],
  event_malformed: ["InvalidRequest"],
  event_unproven: ["AccessDenied"],
  event_too_large: ["EntityTooLarge"],
  event_busy: ["SlowDown"],
  purge_malformed: ["InvalidRequest"],
  purge_too_large: ["EntityTooLarge"],
  not_found: ["NoSuchKey"],
  method_not_allowed: ["MethodNotAllowed"],
  precondition_failed: ["PreconditionFailed"],
  range_not_satisfiable: ["InvalidRange"],
  unknown_host: ["InvalidURI"],
  misconfigured: ["InternalError"],
  internal: ["InternalError"],
  origin_unreachable: ["ServiceUnavailable"],
  origin_error: ["ServiceUnavailable"],
  origin_changed: ["ServiceUnavailable"],
  origin_truncated: ["ServiceUnavailable"],
  origin_timeout: ["ServiceUnavailable"],
  loop: ["InvalidRequest"],
  parameter_malformed: ["InvalidArgument"],
  ...zipCodes(),
};

/** S3 has no names for what can be wrong inside of an archive; these are in its manner. */
function zipCodes(): Record<ZipProblem, readonly [code: string]> {
  const names = Object.keys(ZIP_PROBLEMS) as ZipProblem[];
  const codes = names.map((name) => [name, [isAbsence(name) ? "NoSuchKey" : "InvalidArchive"]] as const);
  return Object.fromEntries(codes) as unknown as Record<ZipProblem, readonly [code: string]>;
}

function isAbsence(name: ZipProblem): boolean {
  return ZIP_PROBLEMS[name][0] === 404;
}

export function s3Status(problem: ProblemName): number | undefined {
  return CODES[problem][1];
}

export type S3ErrorParts = {
  readonly problem: ProblemName;
  readonly message: string;
  readonly resource: string;
  readonly requestId: string;
  /** Elements that only some errors have, by name. */
  readonly more?: Readonly<Record<string, string>>;
};

/** An error document as S3 writes it. */
export function s3ErrorDocument({ problem, message, resource, requestId, more = {} }: S3ErrorParts): string {
  const elements = {
    Code: CODES[problem][0],
    Message: message,
    ...more,
    Resource: resource,
    RequestId: requestId,
  };
  const lines = Object.entries(elements).map(([name, text]) => `<${name}>${escapeXml(text)}</${name}>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${lines.join("")}</Error>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#13;",
};
// oxlint-disable-next-line no-control-regex -- they are what no document may hold (XML 1.0 §2.2)
const NO_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

function escapeXml(text: string): string {
  const sound = text.toWellFormed().replaceAll(NO_CHARACTER, "\ufffd");
  return sound.replaceAll(/[&<>"\r]/g, (character) => ENTITIES[character] ?? character);
}
