import { CONTROL_CHARACTER } from "../control-characters.ts";
import type { ZipProblem } from "./problems.ts";

const MOST_PATH_BYTES = 4096;
const MOST_BYTES_A_UNIT = 3; // of UTF-8 for one of UTF-16

/**
 * Names that mean something else to some system than a place below the folder that an archive is unpacked into. The first
 * rule that holds names the problem.
 *
 * - Colons are common in names (`12:30.log`, `std::vector.html`) and stay, but for a letter and a colon that begin a segment,
 *   a drive to Windows, and for `:$`, the type of an NTFS stream (`a::$DATA`).
 * - Windows drops dots and blanks that end a segment, so `.. ` and `...` are `..` to it.
 * - No text has more than 30 combining marks in a row (UAX #15, Stream-Safe Text Format), which would be slow to compare.
 * - Devices are such in every folder, with any extension, in any case; blanks before the extension do not count.
 */
const RULES: readonly (readonly [ZipProblem, RegExp])[] = [
  ["name_control", CONTROL_CHARACTER],
  ["name_backslash", /\\/],
  ["name_absolute", /^\//],
  ["name_drive", /(?:^|\/)[a-z]:|:\$/i],
  ["name_escapes", /(?:^|\/)\.\.[. ]*(?:\/|$)/],
  ["name_malformed", /\/\/|(?:^|\/)\.(?:\/|$)|(?<!\p{M})\p{M}{31}/u],
  [
    "name_device",
    /(?:^|\/)(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9\u00b9\u00b2\u00b3]) *(?:[.:][^/]*)?(?:\/|$)/i,
  ],
];

/** Why an entry must not be known by a path; `undefined` for one that means the same everywhere. */
export function pathProblem(path: string): ZipProblem | undefined {
  if (path === "" || isTooLong(path)) return "name_malformed";
  return RULES.find(([, pattern]) => pattern.test(path))?.[0];
}

function isTooLong(path: string): boolean {
  if (path.length * MOST_BYTES_A_UNIT <= MOST_PATH_BYTES) return false;
  return path.length > MOST_PATH_BYTES || new TextEncoder().encode(path).byteLength > MOST_PATH_BYTES;
}
