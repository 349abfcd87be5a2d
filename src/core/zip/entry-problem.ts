import { DEFLATED, STORED, ZSTANDARD } from "../codec.ts";
import type { CentralRecord } from "./central-record.ts";
import type { ZipProblem } from "./problems.ts";

/** Flag bits of what cannot be read without a key: encrypted, strongly encrypted, its local header masked (APPNOTE 4.4.4). */
export const LOCKED_FLAGS = (1 << 0) | (1 << 6) | (1 << 13);

const METHODS: ReadonlySet<number> = new Set([STORED, DEFLATED, ZSTANDARD]);
/** WinZip's AES: which method it hides is in an extra field. */
const AES_METHOD = 99;

/** Up to here anything may unpack to what it likes: a bomb it is not. */
const HARMLESS_BYTES = 1024 * 1024;

/** Why the content of an entry is not served, going by its record alone; `ratio` is the most it may grow by. */
export function entryProblem(
  record: CentralRecord,
  isDirectory: boolean,
  ratio: number,
): ZipProblem | undefined {
  const { flags, method, size, compressedSize } = record;
  if ((flags & LOCKED_FLAGS) !== 0 || method === AES_METHOD) return "entry_encrypted";
  if (!METHODS.has(method)) return "entry_method";
  if (!Number.isSafeInteger(size) || (isDirectory && size > 0)) return "entry_lies";
  if (method === STORED && size !== compressedSize) return "entry_lies";
  return size > HARMLESS_BYTES && size > ratio * compressedSize ? "entry_ratio" : undefined;
}
