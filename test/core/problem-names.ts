import type { ProblemName } from "../../src/core/problem.ts";

/** Every problem with the status it has; a new one does not compile before it is listed. */
export const PROBLEM_STATUSES: Readonly<Record<ProblemName, number>> = {
  bad_path: 400,
  path_too_long: 414,
  signature_malformed: 400,
  signature_scope: 400,
  presigned_malformed: 400,
  access_key_unknown: 403,
  signature_mismatch: 403,
  signature_skewed: 403,
  signature_early: 403,
  signature_expired: 403,
  payload_hash_missing: 400,
  override_unsigned: 400,
  headers_unsigned: 403,
  chunk_signature_mismatch: 403,
  chunk_malformed: 400,
  unauthorized: 401,
  not_found: 404,
  method_not_allowed: 405,
  precondition_failed: 412,
  range_not_satisfiable: 416,
  unknown_host: 421,
  misconfigured: 500,
  internal: 500,
  origin_unreachable: 502,
  origin_error: 502,
  origin_changed: 502,
  origin_truncated: 502,
  origin_timeout: 504,
  loop: 508,
};

export const PROBLEM_NAMES = Object.keys(PROBLEM_STATUSES) as readonly ProblemName[];
