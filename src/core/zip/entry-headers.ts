import type { HeaderFields } from "../header-fields.ts";
import { uriEncode } from "../uri-encode.ts";

export type Disposition = "inline" | "attachment";

/** How an entry is shown, and the Content Security Policy's source of all that is in the archive with it. */
export type Shown = { readonly disposition: Disposition; readonly files: string };

/**
 * What an HTML report may do: run its own scripts and show its own files, which are all below `files`, in an origin of its own
 * that no cookie, storage or request belongs to (CSP Level 3, HTML "sandboxing"). There is no `frame-ancestors`: inside the sandbox not even a report's
 * own frames would count as `'self'`, and there is nothing to click that acts for whoever sees it.
 */
function sandbox(files: string): string {
  return [
    "sandbox allow-scripts",
    "default-src 'none'",
    `script-src ${files} 'unsafe-inline' 'unsafe-eval' data: blob:`,
    "worker-src data: blob:",
    `style-src ${files} 'unsafe-inline' data: blob:`,
    `img-src ${files} data: blob:`,
    `media-src ${files} data: blob:`,
    `font-src ${files} data: blob:`,
    `frame-src ${files} data: blob:`,
    "connect-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** `type/subtype` and parameters of visible ASCII, so that nothing else gets into the header (RFC 9110 §8.3.1). */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[ -~]*)?$/;

const IS_TEXT = /^(?:text\/.*|.*[/+](?:json|xml)|application\/(?:java|ecma)script)$/i;

/** What would break a header, or turn a name around before the eyes of whoever saves it. */
const TREACHEROUS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Few file systems take more than 255; the end is kept, as it says what kind of file it is. */
const MAX_NAME_LENGTH = 200;

/**
 * The header fields of an archive's entry that is sent as an answer of our own: its media type, its name for whoever saves it
 * (RFC 6266), and what a browser may do with it.
 */
export function entryHeaders(
  path: string,
  mediaType: string | undefined,
  { disposition, files }: Shown,
): [name: string, value: string][] {
  return [
    ["Content-Type", contentType(mediaType)],
    ["Content-Disposition", contentDisposition(path, disposition)],
    ["X-Content-Type-Options", "nosniff"],
    ["Content-Security-Policy", sandbox(files)],
    ["Referrer-Policy", "no-referrer"],
  ];
}

/**
 * Who may use an entry beside its own pages. In the sandbox a report asks for its own files like any strange site would, and
 * without a cookie. So what anyone may read has to say that it may be used from everywhere (Fetch: "CORS protocol",
 * "Cross-Origin-Resource-Policy header"), and what not everyone may read must never say so.
 */
export function sharingHeaders(isForAnyone: boolean): HeaderFields {
  return isForAnyone ? FOR_ANYONE : FOR_ITS_OWN;
}

const FOR_ANYONE = [
  ["Cross-Origin-Resource-Policy", "cross-origin"],
  ["Access-Control-Allow-Origin", "*"],
] as const;
const FOR_ITS_OWN = [["Cross-Origin-Resource-Policy", "same-origin"]] as const;

function contentType(mediaType: string | undefined): string {
  if (mediaType === undefined || !MEDIA_TYPE.test(mediaType)) return "application/octet-stream";
  return IS_TEXT.test(mediaType) && !mediaType.includes(";") ? `${mediaType}; charset=utf-8` : mediaType;
}

/** The name twice where RFC 6266 §4.3 asks for it: in ASCII for old readers, and whole (RFC 8187 §3.2). */
function contentDisposition(path: string, disposition: Disposition): string {
  const name = fileName(path);
  const plain = name.replace(/[^ -~]/gu, "_").replace(/["\\%]/g, "_");
  const whole = plain === name ? "" : `; filename*=UTF-8''${uriEncode(name)}`;
  return `${disposition}; filename="${plain}"${whole}`;
}

function fileName(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name === "" ? "download" : name.replace(TREACHEROUS, "_").slice(-MAX_NAME_LENGTH).toWellFormed();
}
