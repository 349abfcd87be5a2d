/** What things come to, by a number of each. */
export function sum<T>(list: readonly T[], value: (each: T) => number): number {
  return list.reduce((total, each) => total + value(each), 0);
}
