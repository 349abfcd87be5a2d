export type Minimising = {
  /** Whether an input still shows the same. */
  readonly shows: (input: Uint8Array) => Promise<boolean>;
  /** Whether there is time for another try. */
  readonly goesOn: () => boolean;
};

const PLAIN = 0x61; // "a"

/** The same find by a smaller and plainer input: parts are left out while it shows, then bytes made plain. */
export async function minimise(input: Uint8Array, { shows, goesOn }: Minimising): Promise<Uint8Array> {
  let least = input;
  let before: Uint8Array | undefined;
  while (before !== least && goesOn()) {
    before = least;
    for (
      let size = Math.ceil(least.byteLength / 2);
      size >= 1 && goesOn();
      size = size === 1 ? 0 : Math.ceil(size / 2)
    )
      least = await leaveOut(least, size, { shows, goesOn });
  }
  return await makePlain(least, { shows, goesOn });
}

async function leaveOut(input: Uint8Array, size: number, { shows, goesOn }: Minimising): Promise<Uint8Array> {
  let least = input;
  for (let at = 0; at < least.byteLength && goesOn();) {
    const without = Buffer.concat([least.subarray(0, at), least.subarray(at + size)]);
    if (await shows(without)) least = without;
    else at += size;
  }
  return least;
}

async function makePlain(input: Uint8Array, { shows, goesOn }: Minimising): Promise<Uint8Array> {
  let plain = input;
  for (let at = 0; at < plain.byteLength && goesOn(); at += 1) {
    if (plain[at] === PLAIN) continue;
    const changed = Uint8Array.from(plain);
    changed[at] = PLAIN;
    if (await shows(changed)) plain = changed;
  }
  return plain;
}
