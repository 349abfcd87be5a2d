/**
 * Eight bytes as a number, the lowest first. Past 2^53 it is rounded, and so is any sum it goes into: both stay larger than
 * whatever an archive's size is, which is what they are compared with.
 */
export function uint64(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}
