import type { Codec } from "../core/codec.ts";
import { Failure } from "../core/problem.ts";
import type { Member } from "../core/zip/member.ts";

/** Follows a member's content from its first byte to its last. */
export type ContentCheck = {
  update(bytes: Uint8Array): void;
  /** Fails (`entry_corrupt`) where what was seen is not what the directory said. */
  end(): void;
  /** Why reading it really failed: what cannot be unpacked is the entry's fault, unless its packed bytes could not be had. */
  blame(error: unknown): unknown;
};

/** A check by CRC-32; the length is checked by whoever reads exactly so many bytes. */
export function contentCheck(
  codec: Codec,
  { crc, path }: Member,
  fed: { readonly error: unknown },
): ContentCheck {
  let seen = 0;
  return {
    update(bytes) {
      seen = codec.crc32(bytes, seen);
    },
    end() {
      if (seen !== crc) throw new Failure("entry_corrupt", path);
    },
    blame: (error) => fed.error ?? (isOfReading(error) ? new Failure("entry_corrupt", path, error) : error),
  };
}

/** Too short, too long or not to be unpacked at all. */
function isOfReading(error: unknown): boolean {
  return (
    !(error instanceof Failure) || error.problem === "origin_truncated" || error.problem === "origin_changed"
  );
}
