/** What S3 refuses with: the status and, unless a case has better words, the message of each error code. */
const FAILURES = {
  AccessDenied: [403, "Access Denied"],
  AuthorizationHeaderMalformed: [400, "The authorization header that you provided is not valid."],
  AuthorizationQueryParametersError: [
    400,
    "The authorization query parameters that you provided are not valid.",
  ],
  BadDigest: [
    400,
    "The Content-MD5 or checksum value that you specified did not match what the server received.",
  ],
  BucketAlreadyExists: [409, "The requested bucket name is not available."],
  BucketAlreadyOwnedByYou: [
    409,
    "Your previous request to create the named bucket succeeded and you already own it.",
  ],
  BucketNotEmpty: [409, "The bucket you tried to delete is not empty"],
  EntityTooSmall: [400, "Your proposed upload is smaller than the minimum allowed size"],
  IncompleteBody: [400, "The request body terminated unexpectedly"],
  InternalError: [500, "We encountered an internal error. Please try again."],
  InvalidAccessKeyId: [403, "The AWS Access Key Id you provided does not exist in our records."],
  InvalidArgument: [400, "Invalid Argument"],
  InvalidChunkSizeError: [403, "Only the last chunk is allowed to have a size less than 8192 bytes"],
  InvalidDigest: [400, "The Content-MD5 you specified was invalid."],
  InvalidPart: [
    400,
    "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  ],
  InvalidPartNumber: [416, "The requested partnumber is not satisfiable"],
  InvalidPartOrder: [
    400,
    "The list of parts was not in ascending order. Parts must be ordered by part number.",
  ],
  InvalidRange: [416, "The requested range is not satisfiable"],
  InvalidRequest: [400, "Invalid Request"],
  InvalidToken: [400, "The provided token is malformed or otherwise invalid."],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  KeyTooLongError: [400, "Your key is too long"],
  MalformedTrailerError: [
    400,
    "The request contained trailing data that was not well-formed or did not conform to our published schema.",
  ],
  MalformedXML: [
    400,
    "The XML you provided was not well-formed or did not validate against our published schema",
  ],
  MethodNotAllowed: [405, "The specified method is not allowed against this resource."],
  MissingContentLength: [411, "You must provide the Content-Length HTTP header."],
  NoSuchBucket: [404, "The specified bucket does not exist"],
  NoSuchKey: [404, "The specified key does not exist."],
  NoSuchUpload: [
    404,
    "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.",
  ],
  NoSuchVersion: [404, "The specified version does not exist."],
  NotImplemented: [501, "A header you provided implies functionality that is not implemented"],
  PreconditionFailed: [412, "At least one of the pre-conditions you specified did not hold"],
  RequestTimeTooSkewed: [403, "The difference between the request time and the current time is too large."],
  SignatureDoesNotMatch: [
    403,
    "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
  ],
  XAmzContentSHA256Mismatch: [
    400,
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
  ],
} as const satisfies Record<string, readonly [number, string]>;

export type S3ErrorCode = keyof typeof FAILURES;

export interface FailureDetails {
  readonly message?: string;
  /** Elements of the answer's XML, between `Message` and `RequestId`. */
  readonly elements?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that the store refuses, in S3's own words. */
export class S3Failure extends Error {
  readonly code: S3ErrorCode;
  readonly status: number;
  readonly elements: Readonly<Record<string, string | number>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: S3ErrorCode, { message, elements = {}, headers = {} }: FailureDetails = {}) {
    super(message ?? FAILURES[code][1]);
    this.code = code;
    this.status = FAILURES[code][0];
    this.elements = elements;
    this.headers = headers;
  }
}
