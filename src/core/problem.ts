import { ZIP_PROBLEMS } from "./zip/problems.ts";

/** Every failure of our own: status and title; the name is the stable end of the problem's `type` (RFC 9457). */
const PROBLEMS = {
  bad_path: [400, "Path could be read in more than one way"],
  path_too_long: [414, "Path is too long"],
  signature_malformed: [400, "Signature cannot be read"],
  signature_scope: [400, "Signature was made for another day, region or service"],
  presigned_malformed: [
    400,
    "Signature in the query cannot be read, or was made for another day, region or service",
  ],
  access_key_unknown: [403, "Access key is not known here"],
  signature_mismatch: [403, "Signature is not that of this request"],
  signature_skewed: [403, "Signature was made too long ago, or by a clock that is wrong"],
  signature_early: [403, "Signature is not valid yet"],
  signature_expired: [403, "Signature has expired"],
  payload_hash_missing: [400, "Request does not say the SHA-256 of its payload"],
  override_unsigned: [400, "Only a signed request may change header fields of the answer"],
  headers_unsigned: [403, "Request has x-amz- header fields that were not signed"],
  chunk_signature_mismatch: [403, "Signature of a chunk is not that of its bytes"],
  chunk_malformed: [400, "Body is not framed in chunks as it says"],
  unauthorized: [401, "Control token is missing or wrong"],
  event_malformed: [400, "Event cannot be read"],
  event_unproven: [401, "Event does not prove that it comes from who knows the secret"],
  event_too_large: [413, "Event is too large"],
  event_busy: [503, "Too much of other events is being read"],
  purge_malformed: [400, "Purge cannot be read"],
  purge_too_large: [413, "Purge is too large"],
  not_found: [404, "Nothing is served here"],
  method_not_allowed: [405, "Method is not allowed here"],
  precondition_failed: [412, "Precondition failed"],
  range_not_satisfiable: [416, "Range is not satisfiable"],
  unknown_host: [421, "No site is configured for this host"],
  misconfigured: [500, "Configuration has faults"],
  internal: [500, "Internal error"],
  origin_unreachable: [502, "Origin could not be reached"],
  origin_error: [502, "Origin failed"],
  origin_changed: [502, "Origin changed while its bytes were being read"],
  origin_truncated: [502, "Origin broke off its answer"],
  origin_timeout: [504, "Origin did not answer in time"],
  loop: [508, "Request has already passed through here"],
  parameter_malformed: [400, "Parameter of the query cannot be read"],
  ...ZIP_PROBLEMS,
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemName = keyof typeof PROBLEMS;

/** The one error class; `detail` is shown to the client, so it never holds a credential or an upstream URL. */
export class Failure extends Error {
  readonly problem: ProblemName;
  readonly detail: string | undefined;

  constructor(problem: ProblemName, detail?: string, cause?: unknown) {
    super(detail === undefined ? problem : `${problem}: ${detail}`, { cause });
    this.name = "Failure";
    this.problem = problem;
    this.detail = detail;
  }
}

export function problemStatus(problem: ProblemName): number {
  return PROBLEMS[problem][0];
}

export function problemTitle(problem: ProblemName): string {
  return PROBLEMS[problem][1];
}

/** The document of a problem, as `application/problem+json` (RFC 9457 §3). */
export function problemDocument(problem: ProblemName, detail: string | undefined): string {
  const [status, title] = PROBLEMS[problem];
  return JSON.stringify({ type: `urn:forgefront:problem:${problem}`, title, status, detail });
}
