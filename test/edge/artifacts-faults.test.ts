import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PART_FAULTS, PART_MANNERS, breakReads, wholeInstead, type Faulty } from "./artifact-faults.ts";
import { text, startArtifactScene, type ArtifactScene, type Built } from "./artifact-scene.ts";
import type { BodyFault } from "./origin-faults.ts";
import type { Answer } from "./scene.ts";

const BLOCK_BYTES = 16 * 1024;
const VARS = { BLOCK_BYTES, HOT_BODY_BYTES: 8 * 1024, ORIGIN_TIMEOUT_S: 1, ORIGIN_STALL_S: 1 };

const CONTENTS = {
  "small.txt": { content: text(3000), method: 8 },
  "large.bin": { content: randomBytes(3 * BLOCK_BYTES + 77) },
  "large.txt": { content: text(4 * BLOCK_BYTES), method: 8 },
  "large.zst": { content: text(4 * BLOCK_BYTES), method: 93 },
} as const;
const ENTRIES = Object.entries(CONTENTS).map(([name, entry]) => Object.assign({ name }, entry));
const LAST_MODIFIED = Date.parse("2026-01-05T09:00:00Z");
const DELIVERIES = ["local", "object"] as const;

/** What is asked for, by a name. */
const FORMS: Readonly<Record<string, (built: Built) => string>> = {
  ...Object.fromEntries(Object.keys(CONTENTS).map((name) => [name, ({ api }: Built) => api.entry(name)])),
  listing: ({ api }) => api.list(),
  tar: ({ api }) => api.made("tar"),
  zip: ({ api }) => api.made("zip"),
  archive: ({ api }) => api.archive,
};

let scene: ArtifactScene;
let right: Readonly<Record<string, Buffer>>;

type Seen = Readonly<Record<string, Answer>>;
type Trial = { readonly built: Built; readonly seen: { while: Seen; after: Seen; anew: Seen } };
const trials = new Map<string, Trial>();

const build = (storage: (typeof DELIVERIES)[number]) =>
  scene.build(ENTRIES, { storage, lastModified: LAST_MODIFIED });

async function look(built: Built): Promise<Seen> {
  const asked = Object.entries(FORMS).map(async ([form, path]) => {
    return [form, await scene.get(path(built), { headers: { "accept-encoding": "identity" } })] as const;
  });
  return Object.fromEntries(await Promise.all(asked));
}

const FAULTS = { ...PART_FAULTS, ...PART_MANNERS, "all in the place of a part": "whole" } as const;
/** What does not depend on who sends the bytes is tried with the forge alone. */
const OF_BOTH = new Set<string>([
  "nothing at all",
  "half of it, cut, with its length",
  "half of it, ended well, in chunks",
  "all of it and more, in chunks",
  "500",
  "404",
  "another part than it says",
  "another version's validators",
  "416",
  "401",
  "429",
  "a redirect to elsewhere",
  ...Object.keys(PART_MANNERS),
  "all in the place of a part",
]);
const CASES = DELIVERIES.flatMap((storage) =>
  Object.keys(FAULTS)
    .filter((fault) => storage === "local" || OF_BOTH.has(fault))
    .map((fault) => ({ storage, fault })),
);

const AT_ONCE = 8;

/** A few at a time: all at once would be overdue for want of time to answer them. */
async function inTurn<T, U>(list: readonly T[], act: (each: T) => Promise<U>): Promise<U[]> {
  const done: U[] = [];
  for (let at = 0; at < list.length; at += AT_ONCE)
    done.push(...(await Promise.all(list.slice(at, at + AT_ONCE).map(act))));
  return done;
}

/** Many at once, each with a job of its own: most of the time goes by in waiting. */
beforeAll(async () => {
  scene = await startArtifactScene({ vars: VARS });
  await scene.fresh();
  const healthy = await look(build("local"));
  right = Object.fromEntries(Object.entries(healthy).map(([form, { body }]) => [form, body]));
  const faulty: Faulty = new Map();
  breakReads(scene, faulty);
  const begun = await inTurn(CASES, async ({ storage, fault }) => {
    const built = build(storage);
    const made = (FAULTS as Record<string, BodyFault | "whole">)[fault];
    faulty.set(built.job.id, made === undefined || made === "whole" ? wholeInstead(built) : made);
    return { key: `${storage} ${fault}`, built, while: await look(built) };
  });
  faulty.clear();
  await scene.settle();
  await scene.advance(11_000);
  const after = await inTurn(begun, async ({ built }) => await look(built));
  await scene.settle();
  await scene.harness.newIsolate();
  const anew = await inTurn(begun, async ({ built }) => await look(built));
  begun.forEach(({ key, built, while: first }, index) => {
    trials.set(key, { built, seen: { while: first, after: after[index] ?? {}, anew: anew[index] ?? {} } });
  });
}, 60_000);
afterAll(async () => await scene.harness.close());

/** Whether somebody who gets this can tell that it is not what was asked for, where it is not. */
function isExactOrBroken({ status, headers, body, whole }: Answer, bytes: Buffer): boolean {
  if (status === 0) return true;
  if (status === 302) return true; // left to the forge, which sends its clients to the storage
  if (status !== 200) return status >= 400 && headers.etag === undefined;
  if (!whole) return bytes.subarray(0, body.length).equals(body);
  return body.equals(bytes);
}

const outline = ({ status, body, whole }: Answer) =>
  `${status} ${whole ? "whole" : "broken"}, ${body.length} bytes`;

function faultsIn(seen: Seen, isGood: (answer: Answer, bytes: Buffer) => boolean): string[] {
  return Object.entries(right)
    .filter(([form, bytes]) => seen[form] === undefined || !isGood(seen[form], bytes))
    .map(([form]) => `${form}: ${seen[form] && outline(seen[form])}`);
}

const isRight = ({ status, body, whole }: Answer, bytes: Buffer) =>
  status === 200 && whole && body.equals(bytes);

describe("a read of an archive that brings", () => {
  it.each(CASES)(
    "$fault ($storage): never something else in the place of what was asked for",
    ({ storage, fault }) => {
      const { seen } = trials.get(`${storage} ${fault}`) ?? {};
      expect(faultsIn(seen?.while ?? {}, isExactOrBroken)).toEqual([]);
    },
  );

  it.each(CASES)("$fault ($storage): leaves nothing wrong behind", ({ storage, fault }) => {
    const { seen } = trials.get(`${storage} ${fault}`) ?? {};
    expect(faultsIn(seen?.after ?? {}, isRight)).toEqual([]);
    expect(faultsIn(seen?.anew ?? {}, isRight)).toEqual([]);
  });

  const FINE = DELIVERIES.flatMap((storage) =>
    [...Object.keys(PART_MANNERS), "all in the place of a part"].map((manner) => ({ storage, manner })),
  );
  it.each(FINE)("$manner ($storage): is as good as any", ({ storage, manner }) => {
    const { seen } = trials.get(`${storage} ${manner}`) ?? {};
    expect(faultsIn(seen?.while ?? {}, isRight)).toEqual([]);
  });

  it.each(DELIVERIES)("nothing at all (%s): is told as such", (storage) => {
    const { seen } = trials.get(`${storage} nothing at all`) ?? {};
    for (const [form, answer] of Object.entries(seen?.while ?? {}))
      expect([form, answer.status]).toEqual([form, 504]);
  });

  it.each(DELIVERIES)("500 (%s): is told as such", (storage) => {
    const { seen } = trials.get(`${storage} 500`) ?? {};
    for (const [form, answer] of Object.entries(seen?.while ?? {}))
      expect([form, answer.status]).toEqual([form, 502]);
  });
});
