const encoder = new TextEncoder();

// oxlint-disable-next-line no-control-regex -- ASCII has them.
const ASCII = /^[\0-\x7f]*$/;

/** How many bytes a text is as UTF-8. */
export function utf8Length(text: string): number {
  return ASCII.test(text) ? text.length : encoder.encode(text).byteLength;
}
