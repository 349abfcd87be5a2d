/** A stream, or what reads it. */
type Cancellable = { cancel(): Promise<void> };

/**
 * Lets a stream go that will not be read on: an unread one can hold a connection, or a block of the store, for ever. It never
 * throws, as one that broke off rejects its own cancelling with what broke it, and there is nothing left to let go then; `false`
 * tells that it was so.
 */
export async function letGo(stream: Cancellable | null | undefined): Promise<boolean> {
  try {
    await stream?.cancel();
    return true;
  } catch {
    return false; // nobody wanted what was lost
  }
}
