/** Picks one of several values, each as likely; `random` gives numbers from 0 up to, but not including, 1. */
export function picker(random: () => number): <Value>(values: readonly Value[]) => Value {
  return (values) => {
    const value = values[Math.floor(random() * values.length)];
    if (value === undefined) throw new RangeError("There is nothing to pick from");
    return value;
  };
}
