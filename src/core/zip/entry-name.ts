import { strictUtf8 } from "../strict-utf8.ts";
import type { CentralRecord } from "./central-record.ts";
import { decodeCp437 } from "./cp437.ts";
import type { Member } from "./member.ts";
import { pathProblem } from "./path-problem.ts";
import type { ZipProblem } from "./problems.ts";

/** What an entry is called and what it is. */
export type EntryName = Pick<Member, "path" | "type" | "mode"> & {
  readonly problem: ZipProblem | undefined;
  /** It is the archive's root (`./`), which is no member of it. */
  readonly isRoot: boolean;
};

const UTF8_FLAG = 1 << 11;

/** Hosts whose external attributes have a Unix mode in their upper half (APPNOTE 4.4.2.2): Unix, macOS. */
const UNIX_HOSTS: ReadonlySet<number> = new Set([3, 19]);

const FORMAT_BITS = 0xf000;
const DIRECTORY_FORMAT = 0x4000;
const LINK_FORMAT = 0xa000;
/** A regular file, or nothing said. */
const FILE_FORMATS: ReadonlySet<number> = new Set([0x8000, 0]);
const PERMISSION_BITS = 0o777;

const LENIENT_UTF8 = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/**
 * The path, type and mode of an entry (APPNOTE 4.4.2, 4.4.15, 4.4.17; Info-ZIP puts the mode into the external attributes).
 *
 * A name that ends with `/`, or a mode that says so, makes it a directory; its path ends with one `/` in either case. Each
 * leading `./` is dropped. A path with a problem stays as it was written, that it can be shown.
 */
export function entryName(record: CentralRecord): EntryName {
  const { text, isText } = decodeName(record);
  const unixMode = UNIX_HOSTS.has(record.host) ? record.externalAttributes >>> 16 : 0;
  const format = unixMode & FORMAT_BITS;
  const stripped = text.replace(/^(?:\.\/)+/, "");
  const isDirectory = format === DIRECTORY_FORMAT || text.endsWith("/");
  const path = isDirectory && !text.endsWith("/") ? `${stripped}/` : stripped;
  const isRoot = isDirectory && (text === "." || (text !== "" && stripped === ""));
  const malformed = isText && text !== "" ? undefined : "name_malformed";
  return {
    path,
    type: isDirectory ? "directory" : format === LINK_FORMAT ? "symlink" : "file",
    mode: unixMode === 0 ? undefined : unixMode & PERMISSION_BITS,
    problem: malformed ?? pathProblem(path) ?? formatProblem(format, isDirectory),
    isRoot,
  };
}

/** UTF-8 where flag bit 11 says so, else Info-ZIP's Unicode path, else UTF-8 if it happens to be, else code page 437. */
function decodeName({ name, flags, unicodePath }: CentralRecord): { text: string; isText: boolean } {
  if ((flags & UTF8_FLAG) !== 0) {
    const text = strictUtf8(name);
    return text === undefined ? { text: LENIENT_UTF8.decode(name), isText: false } : { text, isText: true };
  }
  const text = (unicodePath && strictUtf8(unicodePath)) ?? strictUtf8(name) ?? decodeCp437(name);
  return { text, isText: true };
}

/** A directory that says it is a link has two faces; devices, pipes and sockets have no content to serve. */
function formatProblem(format: number, isDirectory: boolean): ZipProblem | undefined {
  if (isDirectory) return format === LINK_FORMAT ? "entry_lies" : undefined;
  return format === LINK_FORMAT || FILE_FORMATS.has(format) ? undefined : "name_device";
}
