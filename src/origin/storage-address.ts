import { parseAmzDate } from "../core/signature.ts";

/** A presigned address in an object storage: whoever has it may read, so it is held in memory alone and never shown. */
export type StorageAddress = {
  readonly url: string;
  /** Until when its signature is good, in milliseconds. */
  readonly until: number;
};

/** How long an address is believed that does not say until when it is good. */
const UNKNOWN_LIFE_S = 60;
/** An address is not used in the last part of its life: a clock may be wrong, and a read must still begin. */
const MARGIN_S = 20;

/** An address that the forge has just given. Until when it is good stands in it, in the manner of S3, Google or Azure. */
export function storageAddress(location: URL, now: number): StorageAddress {
  const until = signedUntil(location.searchParams) ?? now + UNKNOWN_LIFE_S * 1000;
  return { url: location.href, until: until - MARGIN_S * 1000 };
}

/** Whether an address is signed for reading: any other redirect may lead to where one has to sign in, and is no yes. */
export function isPresigned({ searchParams }: URL): boolean {
  return SIGNED.some((names) => names.every((name) => searchParams.has(name)));
}

/** What is in addresses that are signed by S3, Google, their older signatures and networks, and Azure; a sign-in has but some of it. */
const SIGNED = [
  ["X-Amz-Signature", "X-Amz-Date"],
  ["X-Goog-Signature", "X-Goog-Date"],
  ["Signature", "Expires"],
  ["Signature", "Policy"],
  ["sig", "se"],
];

function signedUntil(parameters: URLSearchParams): number | undefined {
  for (const prefix of ["X-Amz", "X-Goog"]) {
    const from = parseAmzDate(parameters.get(`${prefix}-Date`) ?? "");
    const seconds = Number(parameters.get(`${prefix}-Expires`) ?? Number.NaN);
    if (from !== undefined && Number.isFinite(seconds)) return from + seconds * 1000;
  }
  const expires = parameters.get("Expires"); // S3's and Google's older signatures, in seconds since 1970
  if (expires !== null && /^\d{9,11}$/.test(expires)) return Number(expires) * 1000;
  const azure = Date.parse(parameters.get("se") ?? "");
  return Number.isNaN(azure) ? undefined : azure;
}
