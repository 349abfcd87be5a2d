/** What Node has under the name that came to be the standard's (Streams: "ReadableStreamBYOBReader", `min`). */
type MinimumReader = {
  read(view: Uint8Array, options: { readonly min: number }): Promise<ReadableStreamReadResult<Uint8Array>>;
};

/** Gives Node's readers the method by which workerd's read no less than so many bytes. */
export function addReadAtLeast(): void {
  Object.assign(ReadableStreamBYOBReader.prototype, {
    readAtLeast(this: MinimumReader, min: number, view: Uint8Array) {
      return this.read(view, { min });
    },
  });
}
