import { chanceOf } from "./chance.ts";
import { startCoverage } from "./coverage.ts";
import { inputWriter } from "./last-input.ts";
import type { FuzzTarget } from "./target.ts";
import type { FromExplorer, ToExplore } from "./watched.ts";

/*
 * A process that explores one target, as it is told by whoever started it. Coverage begins before anything that is covered
 * is loaded.
 */

process.once("disconnect", () => process.exit(1)); // nobody waits for it any more
process.once("message", (message: ToExplore) => {
  void obey(message); // what fails here ends the process, and that is waited for
});

async function obey({ place, task, file }: ToExplore): Promise<void> {
  const coverage = startCoverage(place.sources);
  const { TARGETS } = (await import(place.targets)) as { readonly TARGETS: readonly FuzzTarget[] };
  const { explore, outcomeOf, thinOut } = await import("./explore.ts");
  const target = TARGETS.find(({ name }) => name === task.target);
  if (target === undefined) throw new Error(`There is no target ${task.target}`);
  const written = inputWriter(file);
  const onInput = (input: Uint8Array) => written.write(input);
  coverage.forget(); // what modules do when they are loaded
  tell({ kind: "ready" });
  if (task.kind === "try") {
    onInput(task.input);
    await outcomeOf(target, task.input);
    tell({ kind: "tried" });
  } else {
    const { seed, keepBytes, ...how } = task;
    const explored = await explore(target, { ...how, coverage, chance: chanceOf(seed), onInput });
    const inputs = [...how.corpus, ...explored.kept];
    const kept = keepBytes === 0 ? [] : await thinOut(target, coverage, inputs, keepBytes);
    tell({ kind: "explored", explored: { ...explored, kept } });
  }
  written.close();
}

function tell(message: FromExplorer): void {
  process.send?.(message);
}
