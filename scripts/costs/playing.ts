import type { CostsScene, Played } from "./scene.ts";

const AT_ONCE = 8;
const LONGER_THAN_ANY_LIFE_MS = 1_000_000;

/** Sends all of them, a few at a time. */
export async function playAll(scene: CostsScene, all: readonly Played[]): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let played = all[next++]; played !== undefined; played = all[next++]) await scene.play(played);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Forgets all memory, and moves on to when nothing that lives for a time lives any more. */
export async function afresh(scene: CostsScene): Promise<void> {
  await scene.settled();
  scene.advance(LONGER_THAN_ANY_LIFE_MS);
  await scene.newIsolates();
}
