import { expect, test } from "vitest";
import { formatMachine, readMachine, systemName } from "../../scripts/bench/machine.ts";

test.each([
  [
    'NAME="Debian GNU/Linux"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
    "Debian GNU/Linux 12 (bookworm)",
  ],
  ["PRETTY_NAME='Some Linux'\n", "Some Linux"],
  ["PRETTY_NAME=Plain\nNAME=Other\n", "Plain"],
  ['PRETTY_NAME=""\n', undefined],
  ["NAME=Debian\n", undefined],
  ["", undefined],
])("systemName() of %j is %j", (osRelease, name) => {
  expect(systemName(osRelease)).toBe(name);
});

test("readMachine() finds out all that is written", async () => {
  const machine = await readMachine();
  expect(machine.cores).toBeGreaterThan(0);
  expect(machine.memoryBytes).toBeGreaterThan(2 ** 26);
  expect(formatMachine(machine)).toMatch(
    /^.+, \d+ cores, [\d.]+ GiB of memory, .+, kernel \S+, load before \d+\.\d\d$/,
  );
});
